package org.heapspan.h2;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Refers to a tagged root: on the Java heap at first, in the second heap after a move. The root lives as long as its handle is reachable and not
 * closed (TeraHeap section 3.3).
 *
 * <p>Thread-safe. A handle that nobody refers to is closed by the collector, some time later.
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
     * Returns the root. While it is on the Java heap, that is the object that was tagged. Afterwards each call makes a new copy of its graph. A change to
     * a copy changes nothing else: {@link #update} changes the root.
     *
     * @return the root
     * @throws SecondHeapException of category USAGE if the handle or the heap has been closed; IO if the device cannot read
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
     * Returns the elements of the root, one pass for each iterator: the appended elements of a sequence, the elements of an array or another
     * {@link Iterable}. A sequence is read group by group, and the iterator keeps none. Another root is decoded as a whole first, because all in it may be
     * shared. An iterator that has begun goes on to its end, even if the handle is closed meanwhile. Iterators are for one thread.
     *
     * @return the elements, young objects in the order of the root
     * @throws SecondHeapException as {@link #get}; of category USAGE also if the root is neither an array nor Iterable
     */
    public abstract Iterable<?> elements();

    /**
     * Changes the root. On the Java heap the handle refers to the new object from now on. In the second heap the new object is encoded, and the old
     * bytes become dead. Updates of a handle happen one after the other. If the new object cannot be stored, because the second heap is full or refuses its
     * class, it stays on the Java heap, tagged. A root that a move has refused is tagged again. The function may tag other roots, but it may not call
     * {@link SecondHeap#move}.
     *
     * @param change gets the root, and gives the same object changed or another one, never null
     * @return the new root
     * @throws SecondHeapException as {@link #get}
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
     * How many elements there are: 1 of a root that is no sequence.
     *
     * @return elements
     */
    public abstract long elementCount();

    /**
     * How many bytes it takes in the second heap, with those shared objects that it was the first to refer to.
     *
     * @return bytes; 0 while it is on the Java heap
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
     * Whether the root is in the second heap.
     *
     * @return false while it is on the Java heap
     */
    public boolean isMoved() {
        return inFirstHeap == null;
    }

    /**
     * The label.
     *
     * @return the one that was given
     */
    public Label label() {
        return state.space().label;
    }

    /** Lets go of the root. Its bytes are dead once those who are reading them have come to the end. Closing again does nothing. */
    @Override
    public void close() {
        cleanable.run();
        inFirstHeap = null;
    }
}
