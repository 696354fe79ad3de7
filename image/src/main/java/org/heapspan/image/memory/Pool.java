package org.heapspan.image.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few idle objects of a kind, for any number of threads, virtual ones too. Taking is one atomic exchange in a slot that depends
 * on the thread; whoever finds none makes a new one.
 */
public abstract class Pool<T> {
    private static final int SLOTS =
            Integer.highestOneBit(Math.max(4, Runtime.getRuntime().availableProcessors()) * 2);
    /** Slots lie this far apart, so that threads do not write to one another's cache lines. */
    private static final int STRIDE = 16;

    private final AtomicReferenceArray<@Nullable T> slots = new AtomicReferenceArray<>(SLOTS * STRIDE);

    /** Makes another object. */
    public abstract T make();

    private static int slot() {
        long id = Thread.currentThread().getId();
        return (int) ((id ^ id >>> 7) & SLOTS - 1) * STRIDE;
    }

    public final T take() {
        T idle = slots.getAndSet(slot(), null);
        return idle != null ? idle : make();
    }

    /** Whether an object may serve again. */
    public boolean isReusable(T idle) {
        return true;
    }

    public final void give(T idle) {
        if (isReusable(idle)) {
            slots.setRelease(slot(), idle);
        }
    }

    /** Gives an object back that is worth closing: false if another is idle in its place, and then it stays the caller's. */
    public final boolean giveIfRoom(T idle) {
        return slots.compareAndSet(slot(), null, idle);
    }
}
