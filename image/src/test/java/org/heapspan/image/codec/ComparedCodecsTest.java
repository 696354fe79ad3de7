package org.heapspan.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Sorted containers with a comparator, priority queues, and the collections of enums. */
final class ComparedCodecsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** Orders by a table of its own, so that it must be complete before it is asked. */
    static final class ByTable implements Comparator<String>, Serializable {
        final Map<String, Integer> table = new TreeMap<>(Map.of("one", 1, "two", 2, "three", 3));

        @Override
        public int compare(String a, String b) {
            return Integer.compare(table.getOrDefault(a, 0), table.getOrDefault(b, 0));
        }
    }

    @Test
    void comparatorIsCompleteBeforeItIsAskedAndSharedByAll() {
        ByTable order = new ByTable();
        Map<String, Integer> map = new TreeMap<>(order);
        Set<String> set = new TreeSet<>(order);
        PriorityQueue<String> queue = new PriorityQueue<>(order);
        for (String each : List.of("three", "one", "two")) {
            map.put(each, each.length());
            set.add(each);
            queue.add(each);
        }

        Object[] copy = HEAPSPAN.copy(new Object[] {map, set, queue, order});

        assertThat(((Map<?, ?>) copy[0]).keySet().toArray()).containsExactly("one", "two", "three");
        assertThat((Set<?>) copy[1]).extracting(Object::toString).containsExactly("one", "two", "three");
        assertThat(((PriorityQueue<?>) copy[2]).toArray()).isEqualTo(queue.toArray());
        assertThat(((TreeMap<?, ?>) copy[0]).comparator()).isSameAs(copy[3]);
        assertThat(((TreeSet<?>) copy[1]).comparator()).isSameAs(copy[3]);
        assertThat(((PriorityQueue<?>) copy[2]).comparator()).isSameAs(copy[3]);
    }

    @Test
    void cyclesThroughValuesClose() {
        Map<String, Object> map = new TreeMap<>(Comparator.reverseOrder());
        map.put("self", map);
        map.put("a", new Object[] {map});

        Map<String, Object> copy = HEAPSPAN.copy(map);

        assertThat(copy.get("self")).isSameAs(copy);
        assertThat(((Object[]) copy.get("a"))[0]).isSameAs(copy);
        assertThat(copy.keySet()).containsExactly("self", "a");
    }

    @Test
    void chainsOfAnyUsualDepthArrive() {
        Object end = "end";
        for (int i = 0; i < 300; i++) {
            Map<TimeUnit, Object> enums = new EnumMap<>(TimeUnit.class);
            enums.put(TimeUnit.DAYS, end);
            Map<String, Object> sorted = new TreeMap<>(Comparator.reverseOrder());
            sorted.put("next", enums);
            end = sorted;
        }
        Object copy = HEAPSPAN.copy(end);
        for (int i = 0; i < 300; i++) {
            copy = ((Map<?, ?>) ((Map<?, ?>) copy).get("next")).get(TimeUnit.DAYS);
        }
        assertThat(copy).isEqualTo("end");
    }

    @Test
    void aFailingComparatorIsAFailureOfTheHook() {
        Map<Object, Object> map = new TreeMap<>(new Moody());
        map.put(1, "a");
        map.put(2, "b");
        byte[] bytes = HEAPSPAN.encode(map);
        Moody.fails = true;
        try {
            assertThatThrownBy(() -> HEAPSPAN.decode(bytes, Map.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.HOOK));
        } finally {
            Moody.fails = false;
        }
    }

    static final class Moody implements Comparator<Object>, Serializable {
        static boolean fails;

        @Override
        public int compare(Object a, Object b) {
            if (fails) {
                throw new IllegalStateException("not today");
            }
            return Integer.compare((Integer) a, (Integer) b);
        }
    }

    private enum Nothing {}

    private enum Bodied {
        PLAIN,
        SPECIAL {
            @Override
            public String toString() {
                return "special";
            }
        }
    }

    @Test
    void enumCollectionsKeepTheirEnum() {
        EnumSet<Nothing> none = EnumSet.noneOf(Nothing.class);
        EnumMap<Bodied, Object> empty = new EnumMap<>(Bodied.class);
        EnumMap<Bodied, Object> map = new EnumMap<>(Bodied.class);
        map.put(Bodied.SPECIAL, map);
        map.put(Bodied.PLAIN, null);

        Object[] copy = HEAPSPAN.copy(new Object[] {none, empty, map, EnumSet.of(Bodied.SPECIAL)});

        assertThat((Set<?>) copy[0]).isEmpty();
        @SuppressWarnings("unchecked")
        EnumMap<Bodied, Object> copiedEmpty = (EnumMap<Bodied, Object>) copy[1];
        copiedEmpty.put(Bodied.PLAIN, "p");
        assertThat(copiedEmpty).containsOnlyKeys(Bodied.PLAIN);
        assertThat(((Map<?, ?>) copy[2]).get(Bodied.SPECIAL)).isSameAs(copy[2]);
        assertThat(((Map<?, ?>) copy[2]).containsKey(Bodied.PLAIN)).isTrue();
        assertThat(copy[3]).isEqualTo(EnumSet.of(Bodied.SPECIAL));
    }

    @Test
    void sizesStaySmall() {
        // One byte says which days: the rest is the description of the enum and two frames.
        int one = HEAPSPAN.encode(EnumSet.of(TimeUnit.DAYS)).length;
        assertThat(HEAPSPAN.encode(EnumSet.allOf(TimeUnit.class))).hasSize(one);
    }

    /** As one that another thread polls, in the middle of it. */
    @Test
    @DisabledIfSystemProperty(named = "heapspan.access", matches = "reflection")
    void aQueueFromWhichAnElementIsBeingTakenIsRefused() {
        for (PriorityQueue<Integer> queue :
                List.of(new PriorityQueue<Integer>(), new PriorityQueue<Integer>(Comparator.reverseOrder()))) {
            queue.addAll(List.of(5, 3, 8));
            assertThat(HEAPSPAN.copy(queue)).hasSize(3);
            long offset = Access.offsetOf(PriorityQueue.class, "queue", Object[].class);
            Object[] elements = (Object[]) Access.raw().getReference(queue, offset);
            elements[1] = null;
            assertThatThrownBy(() -> HEAPSPAN.encode(queue))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                    .hasMessageContaining("java.util.PriorityQueue was changed by another thread");
        }
    }
}
