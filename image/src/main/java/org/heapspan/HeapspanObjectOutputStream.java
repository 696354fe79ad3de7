package org.heapspan;

import java.io.IOException;
import java.io.OutputStream;
import org.heapspan.image.engine.GraphStreamOutput;

/**
 * An {@link java.io.ObjectOutputStream} that writes object images: a program switches by changing one constructor (Skyway section
 * 3.3). Objects shared by the graphs of one stream stay shared, until {@link #reset()}. Any class may be written, Serializable or
 * not; methods of classes that take part in serialization are honoured.
 *
 * <p>Bytes leave while a large graph is traversed, in frames; a small one leaves with {@link #flush()} or {@link #close()}. Objects
 * must not change between two writes if the second is to show the change: as with Java's streams it would be a reference to the
 * first. Not thread-safe.
 *
 * <p>Failures: an object that cannot be written, which Java's stream reports as a {@code NotSerializableException} or
 * {@code InvalidClassException}, is an unchecked {@link HeapspanException} with a category and the path to the object. The
 * {@link IOException}s of the target arrive as they are. Either leaves the stream unusable, because part of the object may have left: every
 * further call but {@link #close} throws an IOException; open another stream.
 */
public final class HeapspanObjectOutputStream extends GraphStreamOutput {
    /**
     * Opens a stream with all options at their defaults.
     *
     * @param target takes the bytes
     * @throws IOException if the stream cannot be opened
     */
    public HeapspanObjectOutputStream(OutputStream target) throws IOException {
        this(target, Heapspan.withDefaults());
    }

    /**
     * Opens a stream.
     *
     * @param target takes the bytes
     * @param heapspan the options
     * @throws IOException if the stream cannot be opened
     */
    public HeapspanObjectOutputStream(OutputStream target, Heapspan heapspan) throws IOException {
        super(heapspan.engine(), target);
    }
}
