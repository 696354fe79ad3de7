package org.heapspan.image.graph;

import java.lang.reflect.Field;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.Derivation;
import org.heapspan.image.type.DerivedObject;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.jspecify.annotations.Nullable;

/**
 * The sub lists and iterators of a record that is being read. Some are created before their list has its elements, because the elements
 * refer to the sub list, or because they were deferred. These get their bounds when the list is complete.
 */
public final class SubLists {
    private static final @Nullable FieldAccess MODIFICATIONS = fieldOf(AbstractList.class, "modCount");

    private final List<Entry> entries = new ArrayList<>(0);

    /**
     * A sub list that has been made.
     *
     * @param list what gave it
     * @param first index of its first element in that list
     * @param size what it has to have
     */
    private record Entry(List<?> list, List<?> view, int first, int size) {
        boolean isInBounds() {
            return size <= list.size() - first;
        }

        boolean isSettled() {
            try {
                return view.size() == size;
            } catch (ConcurrentModificationException elementsCameLater) {
                return false;
            }
        }
    }

    /**
     * An iterator that has been made.
     *
     * @param collection what gave it
     * @param passed how many elements it has passed
     */
    private record Position(Collection<?> collection, Iterator<?> iterator, Derivation way, int passed) {}

    private final List<Position> positions = new ArrayList<>(0);

    boolean isEmpty() {
        return entries.isEmpty() && positions.isEmpty();
    }

    void clear() {
        entries.clear();
        positions.clear();
    }

    /** Has an iterator compared with its collection once that is complete. */
    public void expectIterator(
            ImageReader reader, Collection<?> collection, Iterator<?> iterator, Derivation way, int passed) {
        positions.add(new Position(collection, iterator, way, passed));
        reader.hasUnfinished();
    }

    /** Makes a sub list, an empty one for now if the list does not have its elements yet. */
    public List<?> make(ImageReader reader, List<?> list, int first, int size) {
        boolean inBounds = size <= list.size() - first;
        List<?> view = inBounds ? list.subList(first, first + size) : list.subList(0, 0);
        entries.add(new Entry(list, view, first, size));
        reader.hasUnfinished();
        return view;
    }

    /** How many sub lists wait for the end of the record. */
    int count() {
        return entries.size();
    }

    /**
     * Gives sub lists their bounds whose lists have all elements by now.
     *
     * @param first how many there were when the section began that ends now; lists of those before it belong to other sections
     */
    void settleWhatIsComplete(int first) {
        for (int i = first; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (!entry.isSettled() && entry.isInBounds()) {
                settle(entry);
            }
        }
    }

    /** Gives all sub lists their bounds; called when all lists are complete. */
    void settleAll(ImageReader reader) {
        for (Entry entry : entries) {
            if (!entry.isInBounds()) {
                throw reader.malformed("a sub list of " + entry.size + " elements from " + entry.first
                        + " on belongs to a list of " + entry.list.size());
            }
            if (!entry.isSettled()) {
                settle(entry);
            }
        }
        entries.clear();
        for (Position each : positions) {
            if (!DerivedObject.isAt(each.iterator, each.collection, each.way, each.passed)) {
                throw new HeapspanException(
                        Category.HOOK,
                        "an iterator is part of a cycle through its collection, a "
                                + each.collection.getClass().getName()
                                + ", which gets its elements later; break the cycle");
            }
        }
        positions.clear();
    }

    private static void settle(Entry entry) {
        Class<?> type = entry.view.getClass();
        FieldAccess offset = fieldOf(type, DerivedObject.OFFSET_FIELD);
        FieldAccess size = fieldOf(type, "size");
        FieldAccess modifications = MODIFICATIONS;
        boolean isPlain = entry.list instanceof AbstractList<?> && entry.view instanceof AbstractList<?>;
        if (isPlain && offset != null && size != null && modifications != null) {
            FieldAccess offsetOfList = fieldOf(entry.list.getClass(), DerivedObject.OFFSET_FIELD);
            long start = offsetOfList == null ? 0 : offsetOfList.getBits(entry.list);
            offset.setBits(entry.view, start + entry.first);
            size.setBits(entry.view, entry.size);
            modifications.setBits(entry.view, modifications.getBits(entry.list));
        }
        if (!entry.isSettled()) {
            throw new HeapspanException(
                    Category.HOOK,
                    "a " + type.getName() + " is part of a cycle through its list, a "
                            + entry.list.getClass().getName()
                            + ", which gets its elements later; break the cycle");
        }
    }

    /** An int field of a class of the JDK or of those above it; null if there is none within reach. */
    private static @Nullable FieldAccess fieldOf(Class<?> type, String name) {
        for (Class<?> c = type; c != null && JdkClasses.contain(c); c = c.getSuperclass()) {
            for (Field field : ClassFields.instanceFields(c)) {
                if (field.getName().equals(name) && field.getType() == int.class) {
                    FieldAccess access = new FieldAccess(field);
                    return access.isInReach() ? access : null;
                }
            }
        }
        return null;
    }
}
