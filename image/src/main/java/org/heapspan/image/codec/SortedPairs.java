package org.heapspan.image.codec;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keys and values in turn, the keys ascending, as a map from which {@link TreeMap} builds its tree in linear time. */
@SuppressWarnings("JdkObsolete") // What TreeMap takes.
final class SortedPairs extends AbstractMap<Object, @Nullable Object> implements SortedMap<Object, @Nullable Object> {
    private final @Nullable Object[] pairs;
    private final @Nullable Comparator<? super Object> order;

    private SortedPairs(@Nullable Object[] pairs, @Nullable Comparator<? super Object> order) {
        this.pairs = pairs;
        this.order = order;
    }

    /** Puts pairs into an empty map, which is faster where they come in its order. */
    @SuppressWarnings("NonApiType") // Other sorted maps gain nothing.
    static void putAll(TreeMap<Object, @Nullable Object> map, @Nullable Object[] pairs) {
        if (SortedElements.areAscending(pairs, 2, map.comparator())) {
            map.putAll(new SortedPairs(pairs, map.comparator()));
        } else {
            for (int i = 0; i < pairs.length; i += 2) {
                map.put(pairs[i], pairs[i + 1]);
            }
        }
    }

    /** Gives a map these pairs alone, in the order in which they come, whatever its comparator says. */
    @SuppressWarnings("NonApiType") // Other sorted maps gain nothing.
    static void replaceAll(TreeMap<Object, @Nullable Object> map, @Nullable Object[] pairs) {
        map.clear();
        map.putAll(new SortedPairs(pairs, map.comparator()));
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
            return new SimpleImmutableEntry<>(key, value);
        }
    }

    @Override
    public @Nullable Comparator<? super Object> comparator() {
        return order;
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
