package org.heapspan.h2;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A handle of a root. The root is on the Java heap at first, and in the second heap after a move. It lives as long as its handle is reachable
 * and not closed (TeraHeap section 3.3).
 *
 * <p>Thread-safe. An unreachable handle is closed after a garbage collection.
 *
 * @param <T> class of the root
 */
public abstract sealed class H2Handle<T> implements AutoCloseable permits H2Root, H2Sequence {
    private final HandleState state;
    private final ElementCodec codec;
    private final Runnable cleanable;

    /** The root while it is on the Java heap; written under the lock of this. */
    private volatile @Nullable Object inFirstHeap;

    /** How many updates of the root have begun; guarded by this. */
    private int version;

    H2Handle(SecondHeap heap, LabelSpace space, @Nullable Object inFirstHeap, @Nullable Residence residence) {
        this.inFirstHeap = inFirstHeap;
        codec = residence == null ? heap.codec() : residence.codec();
        state = new HandleState(this, heap, space, residence);
        cleanable = heap.cleanWhenUnreachable(this, state);
    }

    final HandleState state() {
        return state;
    }

    /** What encodes the root. */
    final ElementCodec codec() {
        return codec;
    }

    final SecondHeap heap() {
        return state.heap();
    }

    final @Nullable Object inFirstHeap() {
        return inFirstHeap;
    }

    final synchronized int version() {
        return version;
    }

    /**
     * Returns the root. Before the move this is the object that was tagged. After the move each call returns a new copy of its graph. Changes to
     * a copy do not change the root: use {@link #update}.
     *
     * @return the root
     * @throws SecondHeapException of category USAGE if the handle or the heap has been closed; IO if a read from the device failed
     * @throws org.heapspan.HeapspanException as {@link org.heapspan.Heapspan#decodeTrusted}
     */
    public T get() {
        while (true) {
            state.checkOpen();
            heap().checkOpen();
            Object object = inFirstHeap;
            if (object != null) {
                return ofFirstHeap(object);
            }
            Residence use = state.use();
            if (use != null) {
                try {
                    return decode(use);
                } finally {
                    use.release();
                }
            }
        }
    }

    /** The root in the form for users. */
    abstract T ofFirstHeap(Object object);

    abstract T decode(Residence residence);

    /**
     * Returns the elements of a sequence, an array of objects, or an {@link Iterable}. A sequence is read group by group. Another root is first
     * decoded as a whole, because its elements can share objects. An iterator that has begun can be read to its end, even if the handle is closed.
     * Each iterator is for one thread. For an array of numbers use {@link #get}.
     *
     * @return the elements, in the order of the root
     * @throws SecondHeapException as {@link #get}, but for a sequence when {@link Iterable#iterator} is called; of category USAGE also if the
     *     root is none of these
     */
    public abstract Iterable<?> elements();

    /**
     * Changes the root. If the root is on the Java heap, the handle then refers to the new object. If it is in the second heap, the new object
     * is encoded, and the old bytes become dead. If the new object cannot be stored (the second heap is full, a write fails, the image is too
     * long, or a class is refused), it stays tagged on the Java heap. A root that a move has refused is tagged again. If the function fails while
     * the root is on the Java heap, what it has changed in the root stays changed.
     *
     * <p>Updates of a handle run one after the other: each waits for those before it. The function may tag other roots, in its own thread, but
     * must not call {@link SecondHeap#move}. If functions update other handles, all threads must do so in the same order. Otherwise they can
     * wait for each other for ever.
     *
     * @param change gets the root, and returns the same object or another one, never null
     * @return the new root
     * @throws SecondHeapException as {@link #get}
     * @throws org.heapspan.HeapspanException as {@link #get}
     * @throws NullPointerException if the function returns null
     */
    public T update(UnaryOperator<T> change) {
        return UpdateScope.call(() -> updateAlone(change));
    }

    private synchronized T updateAlone(UnaryOperator<T> change) {
        changed();
        T next = Objects.requireNonNull(change.apply(get()), "an update gave null, expected the new root");
        if (inFirstHeap != null) {
            keepInFirstHeap(toFirstHeap(next));
            return next;
        }
        Object object = toFirstHeap(next);
        Residence stored = heap().roots().storeOrNull(this, object);
        if (stored == null) {
            keepInFirstHeap(object);
            state.settle(null);
        } else if (!state.settle(stored)) {
            stored.release();
        }
        return next;
    }

    /** What the handle holds of a root on the Java heap. */
    abstract Object toFirstHeap(T root);

    /** Replaces bytes by others, under the lock of this. */
    final void settle(Residence next) {
        version++;
        if (!state.settle(next)) {
            next.release();
            state.checkOpen();
        }
    }

    /** The root is in the second heap from now on, unless it has been updated or closed since. */
    final synchronized boolean moved(Object object, int versionMoved, Residence stored) {
        if (inFirstHeap != object || version != versionMoved || !state.settle(stored)) {
            return false;
        }
        inFirstHeap = null;
        return true;
    }

    /**
     * Notes that a root may change, under the lock of this and before it does: the function may change it in place and fail after that. A move that
     * asks for the version waits until the update has ended.
     */
    final void changed() {
        version++;
    }

    /** The root is this object of the Java heap from now on; under the lock of this. */
    final void keepInFirstHeap(Object object) {
        inFirstHeap = object;
        if (state.isClosed()) {
            inFirstHeap = null;
        }
        // It may have been refused as it was before.
        state.tag();
    }

    /** Writes the root as pieces. */
    abstract void write(Object object, GroupSink sink);

    /**
     * Returns the number of elements; 1 for a root that is not a sequence.
     *
     * @return elements
     * @throws SecondHeapException of category USAGE if the handle of a sequence has been closed
     */
    public abstract long elementCount();

    /**
     * Returns the bytes of the root in the second heap, with the shared objects that were first written for it.
     *
     * @return bytes; 0 while it is on the Java heap
     * @throws SecondHeapException of category USAGE if the handle has been closed
     */
    public long imageBytes() {
        Residence use = state.use();
        if (use == null) {
            return 0;
        }
        try {
            return use.storedBytes();
        } finally {
            use.release();
        }
    }

    /**
     * Returns whether the root is in the second heap. After {@link #close} the result has no meaning.
     *
     * @return false while it is on the Java heap
     */
    public boolean isMoved() {
        return inFirstHeap == null;
    }

    /**
     * Returns the label.
     *
     * @return the one that was given
     */
    public Label label() {
        return state.space().label;
    }

    /** Releases the root. Its bytes become dead when active readers have finished. A second call does nothing. */
    @Override
    public void close() {
        cleanable.run();
        inFirstHeap = null;
    }
}
