package org.heapspan.h2;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** A root whose graph is one record. */
final class H2Root<T> extends H2Handle<T> {
    H2Root(SecondHeap heap, LabelSpace space, T root) {
        super(heap, space, root, null);
    }

    @Override
    @SuppressWarnings("unchecked") // It is what was tagged.
    T ofFirstHeap(Object object) {
        return (T) object;
    }

    @Override
    Object toFirstHeap(T root) {
        return root;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // It is a copy of what was tagged, and that was not null.
    T decode(Residence residence) {
        @Nullable Object[] records = heap().decode(residence, 0);
        return (T) records[0];
    }

    @Override
    public Iterable<?> elements() {
        Object root = get();
        if (root instanceof Object[] array) {
            return Collections.unmodifiableList(Arrays.asList(array));
        }
        if (root instanceof Iterable<?> iterable) {
            return iterable;
        }
        throw new SecondHeapException(
                Category.USAGE,
                "the root is a " + root.getClass().getName()
                        + ", which has no elements; expected an array of objects, an Iterable, or a sequence of"
                        + " SecondHeap.append");
    }

    @Override
    void write(Object object, GroupSink sink) {
        sink.add(object);
        sink.endGroup();
    }

    @Override
    public long elementCount() {
        return 1;
    }

    /** For messages. */
    @Override
    public String toString() {
        return "root of " + List.of(label(), isMoved() ? "second heap" : "Java heap");
    }
}
