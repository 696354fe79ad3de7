package org.heapspan.h2;

import java.util.NoSuchElementException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** Reads pieces one after the other and keeps none. For one thread. */
final class ElementIterator implements H2Iterator<@Nullable Object> {
    private static final @Nullable Object[] NONE = {};

    private final SecondHeap heap;
    private final Use use;
    private final ReadAhead.Cursor readAhead;
    private final Runnable release;
    private int nextPiece;
    private @Nullable Object[] elements = NONE;
    private int next;

    /** Guarded by this, as decoding is: bytes that are being read are not let go of. */
    private boolean closed;

    /** The use of the bytes, which ends with the last group, or when nobody refers to the iterator any more. */
    private record Use(Residence residence) implements Runnable {
        @Override
        public void run() {
            residence.release();
        }
    }

    private ElementIterator(SecondHeap heap, Use use) {
        this.heap = heap;
        this.use = use;
        readAhead = heap.readAhead(use.residence);
        release = heap.cleanWhenUnreachable(this, use);
    }

    /**
     * Begins.
     *
     * @param use the use of the bytes, which is the iterator's from now on
     */
    static H2Iterator<@Nullable Object> over(SecondHeap heap, Residence use) {
        ElementIterator iterator = new ElementIterator(heap, new Use(use));
        if (use.pieceCount() == 0) {
            iterator.close();
        }
        return iterator;
    }

    @Override
    public boolean hasNext() {
        while (next == elements.length) {
            if (!decodeNext()) {
                return false;
            }
        }
        return true;
    }

    private synchronized boolean decodeNext() {
        if (nextPiece == use.residence.pieceCount()) {
            // Whoever keeps the iterator does not keep the last group.
            elements = NONE;
            next = 0;
            return false;
        }
        if (closed) {
            throw new SecondHeapException(
                    Category.USAGE, "the iterator has been closed before its end; close it after its last use");
        }
        readAhead.at(nextPiece);
        // All that counts it as read comes after it, for those who go on after a failure.
        elements = heap.decode(use.residence, nextPiece);
        nextPiece++;
        next = 0;
        if (nextPiece == use.residence.pieceCount()) {
            close();
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        release.run();
    }

    @Override
    public @Nullable Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the sequence has no further element");
        }
        Object element = elements[next];
        // Not kept: the caller may be done with it long before the group is.
        elements[next++] = null;
        return element;
    }
}
