package org.heapspan.h2;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** A shared object in the second heap, for as long as bytes depend on it. Thread-safe. */
final class SharedRoot {
    private final SharedObjects owner;
    private final SecondHeap heap;
    private final long number;
    private final Residence residence;

    /** One more than that of the deepest that it depends on. */
    private final int depth;

    // Guarded by this.
    private int dependents;
    private boolean gone;

    /** Held while the object is made of its bytes, so that there is one; never together with the lock of another root that leads back to this. */
    private final Object reading = new Object();

    /** The object as it is on the Java heap, if it is kept there or anybody has it; guarded by {@link #reading}. */
    private Reference<Object> live;

    /**
     * Creates one on which nothing depends yet.
     *
     * @param residence its bytes, which are its own from now on
     * @param object of which they are
     */
    SharedRoot(SharedObjects owner, SecondHeap heap, long number, Residence residence, Object object) {
        this.owner = owner;
        this.heap = heap;
        this.number = number;
        this.residence = residence;
        depth = 1 + residence.dependencyDepth();
        live = owner.referenceTo(object, imageBytes());
    }

    long number() {
        return number;
    }

    /** How long the longest chain of shared objects is that begins here. */
    int depth() {
        return depth;
    }

    long imageBytes() {
        return residence.imageBytes();
    }

    /** Begins a dependence; false if there was none any more, so that its bytes may be gone. */
    synchronized boolean retain() {
        if (gone) {
            return false;
        }
        dependents++;
        return true;
    }

    /** Ends a dependence; the last one frees the bytes. */
    void release() {
        synchronized (this) {
            if (--dependents > 0) {
                return;
            }
            gone = true;
        }
        synchronized (reading) {
            owner.gone(this, live);
        }
        residence.release();
        heap.leave(residence.space());
    }

    /** The object; the same for all as long as anybody holds it. The caller's bytes depend on it. */
    Object object() {
        synchronized (reading) {
            Object object = live.get();
            if (object == null) {
                object = decoded();
                live = owner.isNow(this, object, live);
            }
            return object;
        }
    }

    private Object decoded() {
        @Nullable Object[] records = heap.decode(residence, 0);
        Object object = records[0];
        if (object == null) {
            throw new IllegalStateException("a shared object was stored as null");
        }
        return object;
    }
}
