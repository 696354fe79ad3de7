package org.heapspan.h2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Many roots with one handle, written by {@link SecondHeap#append} or tagged by {@link SecondHeap#tagRoots}. Each element is a separate graph.
 * In the second heap elements do not share objects, and each takes less than a byte of the Java heap.
 *
 * @param <E> class of the elements
 */
public final class H2Sequence<E> extends H2Handle<List<E>> {
    /** Of elements on the Java heap. Whoever reads them does not wait for updates, whose functions may read other sequences. */
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);

    /** On the Java heap: its own copy of the tagged elements. */
    H2Sequence(SecondHeap heap, LabelSpace space, @Nullable Object[] elements) {
        super(heap, space, elements, null);
    }

    /** In the second heap. */
    H2Sequence(SecondHeap heap, LabelSpace space, Residence residence) {
        super(heap, space, null, residence);
    }

    /** Returns all elements in a new list. If they do not fit in the Java heap, use {@link #elements}. */
    @Override
    public List<E> get() {
        return super.get();
    }

    @Override
    @SuppressWarnings("unchecked") // What was given.
    List<E> ofFirstHeap(Object object) {
        @Nullable Object[] elements = (@Nullable Object[]) object;
        List<E> copy = new ArrayList<>(elements.length);
        for (int i = 0; i < elements.length; i++) {
            copy.add((E) ELEMENT.getAcquire(elements, i));
        }
        return copy;
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
     * Returns an iterator over the elements that can be closed before its end.
     *
     * @return the iterator; read it to its end, or close it
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
     * Returns one element. If the sequence is in the second heap, this decodes the whole group of the element. To read many elements use {@link
     * #elements}.
     *
     * @param index from 0
     * @return the element
     * @throws IndexOutOfBoundsException if there is no such element
     * @throws SecondHeapException as {@link #get}
     */
    @SuppressWarnings("unchecked") // What was given.
    public E element(long index) {
        while (true) {
            state().checkOpen();
            heap().checkOpen();
            Object object = inFirstHeap();
            if (object != null) {
                @Nullable Object[] elements = (@Nullable Object[]) object;
                return (E) ELEMENT.getAcquire(elements, (int) Objects.checkIndex(index, (long) elements.length));
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
     * Changes one element. If the sequence is in the second heap, the whole group of the element is encoded again. The rules of {@link #update}
     * for the function apply: it must not move a label, and what it has changed in an object on the Java heap stays changed if it fails.
     *
     * @param index from 0
     * @param change gets the element, and returns the same object or another one
     * @throws IndexOutOfBoundsException if there is no such element
     * @throws SecondHeapException as {@link #get}; of category LIMIT or IO if the changed group cannot be stored. No element is then changed
     * @throws org.heapspan.HeapspanException if the new element cannot be encoded; no element is then changed
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
        ELEMENT.setRelease(elements, at, change.apply(elements[at]));
        // A move may have refused the element before.
        state().tag();
        return true;
    }

    /**
     * Changes all elements, group by group. A graph engine can use it for a superstep. If that fails, no element is replaced. While the sequence is
     * on the Java heap, the function gets the tagged objects themselves: what it has changed in them stays changed. Return new objects if a failure
     * must change nothing. As in {@link #update}, the function must not move a label.
     *
     * @param change gets each element, and returns the same object or another one
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
