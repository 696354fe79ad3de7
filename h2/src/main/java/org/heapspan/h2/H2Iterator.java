package org.heapspan.h2;

import java.util.Iterator;

/**
 * Reads a sequence once. Close it if you do not read to the end. Otherwise the unread bytes stay in use until a garbage collection finds the
 * iterator unreachable. {@link #next} is for one thread at a time. Any thread may close the iterator.
 *
 * @param <E> class of the elements
 */
public interface H2Iterator<E> extends Iterator<E>, AutoCloseable {
    /**
     * Releases the bytes. Elements that are already decoded can still be read. Then {@link #hasNext} throws a {@link SecondHeapException} of
     * category USAGE, unless the sequence has ended. A second call does nothing.
     */
    @Override
    void close();
}
