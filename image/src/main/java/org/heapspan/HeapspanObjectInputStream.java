package org.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import org.heapspan.image.engine.GraphStreamInput;

/**
 * An {@link java.io.ObjectInputStream} that reads what {@link HeapspanObjectOutputStream} has written. The bytes need not be trusted; see
 * {@link Heapspan#decode}. Objects are usable while later ones are still on their way. Not thread-safe.
 *
 * <p>Failures: Java's stream throws an {@code InvalidClassException}, a {@code ClassNotFoundException} or a {@code StreamCorruptedException}. This stream
 * throws an unchecked {@link HeapspanException} with a category instead. The {@link IOException}s of the source arrive as they are. The end of the
 * source is an {@link java.io.EOFException}. If primitive data come before the object that is asked for, that is an
 * {@link java.io.OptionalDataException}. After a failure within an object every further read throws a {@link java.io.StreamCorruptedException} with the
 * failure as its cause: open another stream. A source that fails between two items, as by a timeout, may be asked again.
 *
 * <p>{@link #readUnshared} reads as {@link #readObject} does. It does not check that nothing else refers to the object.
 *
 * <p>Give the filter to the constructor, or set it by {@link #setObjectInputFilter} before the first value is read. If it is set later, reading the next
 * item throws an {@link IllegalStateException}.
 */
public final class HeapspanObjectInputStream extends GraphStreamInput {
    /**
     * Opens a stream with all options at their defaults.
     *
     * @param source delivers the bytes
     * @throws IOException if the stream cannot be opened
     */
    public HeapspanObjectInputStream(InputStream source) throws IOException {
        this(source, Heapspan.withDefaults());
    }

    /**
     * Opens a stream.
     *
     * @param source delivers the bytes
     * @param heapspan the options
     * @throws IOException if the stream cannot be opened
     */
    public HeapspanObjectInputStream(InputStream source, Heapspan heapspan) throws IOException {
        super(heapspan.engine(), null, source);
    }

    /**
     * Opens a stream with a filter of its own.
     *
     * @param source delivers the bytes
     * @param heapspan the options
     * @param filter asked for each class and array, in place of the filter among the options
     * @throws IOException if the stream cannot be opened
     */
    public HeapspanObjectInputStream(InputStream source, Heapspan heapspan, ObjectInputFilter filter)
            throws IOException {
        super(heapspan.engine(), filter, source);
    }
}
