package org.heapspan;

import java.io.IOException;
import java.io.OutputStream;
import org.heapspan.image.engine.GraphStreamOutput;

/**
 * An {@link java.io.ObjectOutputStream} that writes object images. A program switches by changing one constructor call (Skyway section 3.3). Objects
 * shared by the graphs of one stream stay shared, until {@link #reset()}. Any class may be written, Serializable or not. Methods of classes that take
 * part in serialization are called.
 *
 * <p>A large graph leaves in frames while it is traversed. A small one leaves with {@link #flush()} or {@link #close()}. If an object changes between two
 * writes, the second write is a reference to the first, as with Java's streams. Not thread-safe.
 *
 * <p>Failures: for an object that cannot be written Java's stream throws a {@code NotSerializableException} or an {@code InvalidClassException}. This
 * stream throws an unchecked {@link HeapspanException} with a category and the path to the object. The {@link IOException}s of the target arrive as they
 * are. After either the stream is unusable, because a part of the object may have left: every further call except {@link #close} throws an IOException.
 * Open another stream.
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
