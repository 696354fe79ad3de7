package org.heapspan.image.codec;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Elements in ascending order, as a set from which {@link TreeSet} builds its tree in linear time. */
@SuppressWarnings("JdkObsolete") // What TreeSet takes.
final class SortedElements extends AbstractSet<@Nullable Object> implements SortedSet<@Nullable Object> {
    private final @Nullable Object[] elements;
    private final @Nullable Comparator<? super Object> order;

    private SortedElements(@Nullable Object[] elements, @Nullable Comparator<? super Object> order) {
        this.elements = elements;
        this.order = order;
    }

    /** Adds elements to an empty set, which is faster where they come in its order. */
    @SuppressWarnings("NonApiType") // Other sorted sets gain nothing.
    static void addAll(TreeSet<@Nullable Object> set, @Nullable Object[] elements) {
        Comparator<? super Object> order = set.comparator();
        if (areAscending(elements, 1, order)) {
            set.addAll(new SortedElements(elements, order));
        } else {
            set.addAll(Arrays.asList(elements));
        }
    }

    /** Gives a set these elements alone, in the order in which they come, whatever its comparator says. */
    @SuppressWarnings("NonApiType") // Other sorted sets gain nothing.
    static void replaceAll(TreeSet<@Nullable Object> set, @Nullable Object[] elements) {
        set.clear();
        set.addAll(new SortedElements(elements, set.comparator()));
    }

    /**
     * Whether each key is greater than the one before.
     *
     * @param stride the distance of keys
     * @param order null for natural order
     */
    @SuppressWarnings("unchecked")
    static boolean areAscending(@Nullable Object[] elements, int stride, @Nullable Comparator<? super Object> order) {
        if (elements.length <= stride) {
            // A tree asks even its only key for its order; so it does when that key is added.
            return false;
        }
        for (int i = stride; i < elements.length; i += stride) {
            Object last = elements[i - stride];
            Object next = elements[i];
            int difference;
            if (order != null) {
                difference = order.compare(last, next);
            } else if (last instanceof Comparable<?> && next != null) {
                difference = ((Comparable<@Nullable Object>) last).compareTo(next);
            } else {
                return false;
            }
            if (difference >= 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int size() {
        return elements.length;
    }

    @Override
    public Iterator<@Nullable Object> iterator() {
        return Arrays.asList(elements).iterator();
    }

    @Override
    public @Nullable Comparator<? super Object> comparator() {
        return order;
    }

    @Override
    public SortedSet<@Nullable Object> subSet(@Nullable Object from, @Nullable Object to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SortedSet<@Nullable Object> headSet(@Nullable Object to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SortedSet<@Nullable Object> tailSet(@Nullable Object from) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Object first() {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Object last() {
        throw new UnsupportedOperationException();
    }
}
