package org.heapspan.image;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Keys and values in turn, the keys ascending in natural order, as a map from which {@link java.util.TreeMap} builds its tree. */
@SuppressWarnings("JdkObsolete") // What TreeMap takes.
final class SortedPairs extends AbstractMap<Object, @Nullable Object> implements SortedMap<Object, @Nullable Object> {
    private final @Nullable Object[] pairs;

    SortedPairs(@Nullable Object[] pairs) {
        this.pairs = pairs;
    }

    /** Whether all keys are of a class and each is greater than the one before. */
    @SuppressWarnings("unchecked")
    static boolean areAscending(@Nullable Object[] pairs, Class<?> keyType) {
        Object last = null;
        for (int i = 0; i < pairs.length; i += 2) {
            Object key = pairs[i];
            if (key == null || key.getClass() != keyType) {
                return false;
            }
            if (last != null && ((Comparable<Object>) key).compareTo(last) <= 0) {
                return false;
            }
            last = key;
        }
        return true;
    }

    @Override
    public int size() {
        return pairs.length / 2;
    }

    @Override
    public Set<Map.Entry<Object, @Nullable Object>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return pairs.length / 2;
            }

            @Override
            public Iterator<Map.Entry<Object, @Nullable Object>> iterator() {
                return new Entries();
            }
        };
    }

    private final class Entries implements Iterator<Map.Entry<Object, @Nullable Object>> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < pairs.length;
        }

        @Override
        public Map.Entry<Object, @Nullable Object> next() {
            if (next >= pairs.length) {
                throw new NoSuchElementException();
            }
            Object key = pairs[next];
            Object value = pairs[next + 1];
            next += 2;
            if (key == null) {
                throw new IllegalStateException("keys were checked");
            }
            return new SimpleImmutableEntry<>(key, value);
        }
    }

    @Override
    public @Nullable Comparator<Object> comparator() {
        return null;
    }

    @Override
    public SortedMap<Object, @Nullable Object> subMap(Object fromKey, Object toKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SortedMap<Object, @Nullable Object> headMap(Object toKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SortedMap<Object, @Nullable Object> tailMap(Object fromKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object firstKey() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object lastKey() {
        throw new UnsupportedOperationException();
    }
}
