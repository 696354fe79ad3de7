package org.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import org.heapspan.image.GraphStreamInput;

/**
 * An {@link java.io.ObjectInputStream} that reads what {@link HeapspanObjectOutputStream} has written. The bytes need not be
 * trusted; see {@link Heapspan#decode}. Objects are usable while later ones are still on their way. Not thread-safe.
 *
 * <p>The filter is chosen when the stream is opened; {@link #setObjectInputFilter} is refused by the superclass for streams that
 * are not its own.
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
