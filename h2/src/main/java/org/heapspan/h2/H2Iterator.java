package org.heapspan.h2;

import java.util.Iterator;

/**
 * Goes through a sequence once. Who does not come to its end closes it, or else the bytes it has yet to read cannot be used again before a
 * collection of the Java heap has found that nobody refers to it. {@link #next} is for one thread at a time; any thread may close it.
 *
 * @param <E> class of the elements
 */
public interface H2Iterator<E> extends Iterator<E>, AutoCloseable {
    /**
     * Ends the use of the bytes. What has been decoded already may still be had; after that {@link #hasNext} throws a {@link SecondHeapException} of
     * category USAGE, unless the end has come. Closing again does nothing.
     */
    @Override
    void close();
}
