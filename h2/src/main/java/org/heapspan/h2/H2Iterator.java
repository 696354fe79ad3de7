package org.heapspan.h2;

import java.util.Iterator;

/**
 * Goes through a sequence once. Close it if you do not read to its end. Otherwise the unread bytes stay in use until a collection of the Java heap finds
 * that nobody refers to the iterator. {@link #next} is for one thread at a time. Any thread may close it.
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
