package org.heapspan.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Many roots with one handle: what {@link SecondHeap#append} has written, or {@link SecondHeap#tagRoots} has tagged. Each element is a graph of its own.
 * In the second heap it shares no objects with the others, and costs the Java heap less than a byte.
 *
 * @param <E> class of the elements
 */
public final class H2Sequence<E> extends H2Handle<List<E>> {
    /** On the Java heap: its own copy of the tagged elements. */
    H2Sequence(SecondHeap heap, LabelSpace space, @Nullable Object[] elements) {
        super(heap, space, elements, null);
    }

    /** In the second heap. */
    H2Sequence(SecondHeap heap, LabelSpace space, Residence residence) {
        super(heap, space, null, residence);
    }

    /** All elements in a list, which is the caller's; {@link #elements} is for those that do not fit in the Java heap. */
    @Override
    public List<E> get() {
        return super.get();
    }

    @Override
    @SuppressWarnings("unchecked") // What was given.
    List<E> ofFirstHeap(Object object) {
        synchronized (this) {
            return new ArrayList<>(Arrays.asList((E[]) object));
        }
    }

    @Override
    Object toFirstHeap(List<E> elements) {
        return elements.toArray();
    }

    @Override
    List<E> decode(Residence residence) {
        List<E> all = new ArrayList<>((int) Math.min(residence.elementCount(), Integer.MAX_VALUE - 16));
        ReadAhead.Cursor readAhead = heap().readAhead(residence);
        for (int piece = 0; piece < residence.pieceCount(); piece++) {
            readAhead.at(piece);
            all.addAll(ofPiece(residence, piece));
        }
        return all;
    }

    @SuppressWarnings("unchecked") // What was given.
    private List<E> ofPiece(Residence residence, int piece) {
        return (List<E>) Arrays.asList(heap().decode(residence, piece));
    }

    @Override
    public Iterable<E> elements() {
        return this::iterator;
    }

    /**
     * Begins to read the elements, as {@link #elements} does for each of its iterators, for those who may end early.
     *
     * @return the elements; the caller goes to the end or closes it
     * @throws SecondHeapException as {@link #get}
     */
    @SuppressWarnings("unchecked") // What was given.
    public H2Iterator<E> iterator() {
        while (true) {
            state().checkOpen();
            heap().checkOpen();
            Object object = inFirstHeap();
            if (object != null) {
                return new OfFirstHeap<>(ofFirstHeap(object).iterator());
            }
            Residence use = state().use();
            if (use != null) {
                return (H2Iterator<E>) ElementIterator.over(heap(), use);
            }
        }
    }

    /**
     * Returns one element. In the second heap the group around it is decoded: use {@link #elements} to read many.
     *
     * @param index from 0
     * @return the element
     * @throws IndexOutOfBoundsException if there is none
     * @throws SecondHeapException as {@link #get}
     */
    @SuppressWarnings("unchecked") // What was given.
    public E element(long index) {
        while (true) {
            state().checkOpen();
            heap().checkOpen();
            Object object = inFirstHeap();
            if (object != null) {
                E[] elements = (E[]) object;
                return elements[(int) Objects.checkIndex(index, (long) elements.length)];
            }
            Residence use = state().use();
            if (use != null) {
                try {
                    Objects.checkIndex(index, use.elementCount());
                    int piece = use.pieceOf(index);
                    return ofPiece(use, piece).get((int) (index - use.firstElement(piece)));
                } finally {
                    use.release();
                }
            }
        }
    }

    /**
     * Changes one element. In the second heap the group around it is encoded anew. As in {@link #update} the function moves no label.
     *
     * @param index from 0
     * @param change gets the element, and gives it changed or another one
     * @throws IndexOutOfBoundsException if there is none
     * @throws SecondHeapException as {@link #get}; of category LIMIT or IO if the changed group cannot be stored. All elements are then as
     *     before
     * @throws org.heapspan.HeapspanException if the new element cannot be encoded; all are then as before
     */
    public void updateElement(long index, UnaryOperator<E> change) {
        UpdateScope.run(() -> updateElementAlone(index, change));
    }

    private synchronized void updateElementAlone(long index, UnaryOperator<E> change) {
        if (updateInFirstHeap(index, change)) {
            return;
        }
        Residence use = useOrThrow();
        try {
            Objects.checkIndex(index, use.elementCount());
            int piece = use.pieceOf(index);
            List<E> elements = ofPiece(use, piece);
            int within = (int) (index - use.firstElement(piece));
            elements.set(within, change.apply(elements.get(within)));
            settle(heap().roots().replacePiece(use, piece, elements));
        } finally {
            use.release();
        }
    }

    @SuppressWarnings("unchecked") // What was given.
    private boolean updateInFirstHeap(long index, UnaryOperator<E> change) {
        state().checkOpen();
        Object object = inFirstHeap();
        if (object == null) {
            return false;
        }
        E[] elements = (E[]) object;
        int at = (int) Objects.checkIndex(index, (long) elements.length);
        changed();
        elements[at] = change.apply(elements[at]);
        // A move may have refused the element before.
        state().tag();
        return true;
    }

    /**
     * Changes all elements, group by group, or replaces none if that fails: what a superstep of a graph engine does. As in {@link #update} the function
     * moves no label.
     *
     * @param change gets each element, and gives it changed or another one
     * @throws SecondHeapException as {@link #updateElement}
     * @throws org.heapspan.HeapspanException as {@link #updateElement}
     */
    public void updateElements(UnaryOperator<E> change) {
        UpdateScope.run(() -> updateElementsAlone(change));
    }

    @SuppressWarnings("unchecked") // What was given.
    private synchronized void updateElementsAlone(UnaryOperator<E> change) {
        state().checkOpen();
        Object object = inFirstHeap();
        if (object != null) {
            changed();
            E[] elements = ((E[]) object).clone();
            Arrays.asList(elements).replaceAll(change);
            keepInFirstHeap(elements);
            return;
        }
        Residence use = useOrThrow();
        try {
            ReadAhead.Cursor readAhead = heap().readAhead(use);
            settle(heap().roots().rewrite(use, piece -> {
                readAhead.at(piece);
                List<E> elements = ofPiece(use, piece);
                elements.replaceAll(change);
                return elements;
            }));
        } finally {
            use.release();
        }
    }

    /** Only under the lock of this, which keeps it from moving. */
    private Residence useOrThrow() {
        Residence use = state().use();
        if (use == null) {
            throw new IllegalStateException("a sequence is neither on the Java heap nor in the second heap");
        }
        return use;
    }

    @Override
    void write(Object object, GroupSink sink) {
        for (Object element : (@Nullable Object[]) object) {
            sink.add(element);
        }
        sink.endGroup();
    }

    @Override
    public long elementCount() {
        while (true) {
            state().checkOpen();
            Object object = inFirstHeap();
            if (object != null) {
                return ((Object[]) object).length;
            }
            Residence use = state().use();
            if (use != null) {
                try {
                    return use.elementCount();
                } finally {
                    use.release();
                }
            }
        }
    }

    /** Nothing has to be let go of on the Java heap. */
    private record OfFirstHeap<E>(Iterator<E> elements) implements H2Iterator<E> {
        @Override
        public boolean hasNext() {
            return elements.hasNext();
        }

        @Override
        public E next() {
            return elements.next();
        }

        @Override
        public void close() {
            // See above.
        }
    }
}
