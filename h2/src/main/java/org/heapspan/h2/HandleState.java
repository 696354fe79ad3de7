package org.heapspan.h2;

import java.lang.ref.WeakReference;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** What outlives a handle until its bytes are free: the handle was closed, or nobody refers to it any more. Thread-safe. */
final class HandleState extends WeakReference<H2Handle<?>> implements Runnable {
    private final SecondHeap heap;
    private final LabelSpace space;
    private @Nullable Residence residence;
    private boolean tagged;
    private boolean closed;

    /**
     * Creates the state of a handle.
     *
     * @param residence its bytes, or null for a root on the Java heap
     */
    HandleState(H2Handle<?> handle, SecondHeap heap, LabelSpace space, @Nullable Residence residence) {
        super(handle);
        this.heap = heap;
        this.space = space;
        this.residence = residence;
    }

    SecondHeap heap() {
        return heap;
    }

    LabelSpace space() {
        return space;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Puts the root among those that wait to be moved. */
    void tag() {
        synchronized (this) {
            if (closed || tagged) {
                return;
            }
            tagged = true;
        }
        boolean waits = false;
        try {
            space.tag(this);
            waits = true;
        } finally {
            // Without memory for that another call may have it.
            if (!waits) {
                untagged();
            }
        }
    }

    /** The root was taken from among those that wait. */
    synchronized void untagged() {
        tagged = false;
    }

    /** A use of its bytes, which the caller releases; null if there are none. */
    synchronized @Nullable Residence use() {
        checkOpen();
        return residence != null && residence.retain() ? residence : null;
    }

    synchronized void checkOpen() {
        if (closed) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "the handle has been closed, its object is gone; close handles after their last use");
        }
    }

    /**
     * Takes over bytes.
     *
     * @return false if the handle has been closed, and the bytes remain the caller's
     */
    boolean settle(@Nullable Residence next) {
        Residence before;
        synchronized (this) {
            if (closed) {
                return false;
            }
            before = residence;
            residence = next;
        }
        if (before != null) {
            before.release();
        }
        return true;
    }

    /** Lets go of the bytes; once. */
    @Override
    public void run() {
        Residence last;
        boolean wasTagged;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = residence;
            residence = null;
            wasTagged = tagged;
        }
        if (last != null) {
            last.release();
        }
        if (wasTagged) {
            space.closedWhileTagged();
        }
        heap.leave(space);
    }
}
