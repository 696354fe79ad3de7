package org.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import org.heapspan.image.engine.GraphStreamInput;

/**
 * An {@link java.io.ObjectInputStream} that reads what {@link HeapspanObjectOutputStream} has written. The bytes need not be trusted; see {@link
 * Heapspan#decode}. An object can be used before later objects have arrived. Not thread-safe.
 *
 * <p>Failures: Java's stream throws an {@code InvalidClassException}, a {@code ClassNotFoundException} or a {@code StreamCorruptedException}.
 * This stream throws an unchecked {@link HeapspanException} with a category instead. An {@link IOException} of the source is thrown unchanged.
 * At the end of the source the stream throws an {@link java.io.EOFException}. If primitive data come where the program reads an object, it
 * throws an {@link java.io.OptionalDataException}. After a failure within an object every further read throws a {@link
 * java.io.StreamCorruptedException} with the failure as its cause: open another stream. If the source fails between two items, for example by a
 * timeout, the program can read again.
 *
 * <p>{@link #readUnshared} is the same as {@link #readObject}. It does not check that the object is unshared.
 *
 * <p>Give the filter to the constructor, or set it by {@link #setObjectInputFilter} before the first value is read. If it is set later, reading the next
 * item throws an {@link IllegalStateException}.
 */
public final class HeapspanObjectInputStream extends GraphStreamInput {
    /**
     * Opens a stream with all options at their defaults.
     *
     * @param source delivers the bytes
     * @throws IOException never. The header is read with the first value
     * @throws LinkageError if property {@code heapspan.verify} or {@code heapspan.verify.dump} is invalid: correct or remove it
     */
    public HeapspanObjectInputStream(InputStream source) throws IOException {
        this(source, Heapspan.withDefaults());
    }

    /**
     * Opens a stream.
     *
     * @param source delivers the bytes
     * @param heapspan the options
     * @throws IOException never. The header is read with the first value
     */
    public HeapspanObjectInputStream(InputStream source, Heapspan heapspan) throws IOException {
        super(heapspan.engine(), null, source);
    }

    /**
     * Opens a stream with its own filter.
     *
     * @param source delivers the bytes
     * @param heapspan the options
     * @param filter accepts or rejects each class and array, instead of the filter of the options
     * @throws IOException never. The header is read with the first value
     */
    public HeapspanObjectInputStream(InputStream source, Heapspan heapspan, ObjectInputFilter filter)
            throws IOException {
        super(heapspan.engine(), filter, source);
    }
}
