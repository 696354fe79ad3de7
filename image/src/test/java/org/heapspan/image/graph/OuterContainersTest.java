package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What code sees, while a graph is read, of hash containers in the graph around the object that it reads. */
@Tag("once")
final class OuterContainersTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** Its hash code is computed, so that no container can be filled with it before it has been read. */
    record Key(int number) implements Serializable {}

    record Group(Set<Key> members) implements Serializable {}

    private static Object[] copy(Object... graph) {
        return HEAPSPAN.copy(graph);
    }

    private static List<Object[]> copies(Object... graph) {
        return List.of(
                copy(graph),
                HEAPSPAN.decode(HEAPSPAN.encode(graph), Object[].class),
                HEAPSPAN.decodeTrusted(HEAPSPAN.encode(graph, Encoding.RAW), Object[].class));
    }

    private static Map<Key, String> map() {
        Map<Key, String> map = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            map.put(new Key(i), "value " + i);
        }
        return map;
    }

    /** Makes an index of a map that others have too. */
    static final class Index implements Serializable {
        private final Map<Key, String> map;
        private transient Map<String, Key> byValue = new HashMap<>();

        Index(Map<Key, String> map) {
            this.map = map;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            byValue = new HashMap<>();
            map.forEach((key, value) -> byValue.put(value, key));
        }
    }

    @Test
    void readObjectSeesAMapThatWasReadBefore() {
        Map<Key, String> map = map();
        for (Object[] copy : copies(map, new Index(map))) {
            assertThat(copy[0]).isEqualTo(map);
            assertThat(((Index) copy[1]).byValue).hasSize(10).containsEntry("value 7", new Key(7));
        }
    }

    /** Enters itself into a map. */
    static final class Registered implements Serializable {
        private final Map<Key, Object> registry;

        Registered(Map<Key, Object> registry) {
            this.registry = registry;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            registry.put(new Key(100), this);
        }
    }

    @Test
    void whatReadObjectPutsIntoAMapStaysThere() {
        Map<Key, Object> registry = new HashMap<>(map());
        Object[] copy = copy(registry, new Registered(registry));
        assertThat((Map<?, ?>) copy[0]).hasSize(11);
        assertThat(((Map<?, ?>) copy[0]).get(new Key(100))).isSameAs(copy[1]);
    }

    @Test
    void keysOfImmutableCollectionsHaveTheirHashCodes() {
        Group group = new Group(new HashSet<>(Set.of(new Key(1), new Key(2))));
        Group other = new Group(new HashSet<>(Set.of(new Key(3))));
        Map<Object, Object> table = new Hashtable<>(Map.of(group, 1, other, 2));
        Object[] graph = {group, other, Set.of(group, other), Map.of(group, "first", other, "second"), table};
        for (Object[] copy : copies(graph)) {
            assertThat((Set<?>) copy[2]).hasSize(2);
            assertThat(((Set<?>) copy[2]).contains(group)).isTrue();
            assertThat(((Map<?, ?>) copy[3]).get(other)).isEqualTo("second");
            assertThat(((Map<?, ?>) copy[4]).get(group)).isEqualTo(1);
        }
    }

    /** A key that holds the map and reads something that holds the key: it is hashed before it is complete. */
    static final class Node implements Serializable {
        final Map<Node, String> edges = new HashMap<>();
        Object later;
        Integer number;

        Node(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Node node && node.number.equals(number);
        }

        @Override
        public int hashCode() {
            return number.hashCode();
        }
    }

    @Test
    void aMapWhoseKeysAreIncompleteIsFilledAtItsEnd() {
        Node node = new Node(5);
        // Something with methods of its own, which refers to the key.
        node.later = Collections.synchronizedList(new ArrayList<>(List.of(node)));
        node.edges.put(node, "self");
        for (Object[] copy : copies(node)) {
            Node copied = (Node) copy[0];
            assertThat(copied.edges.get(new Node(5))).isEqualTo("self");
        }
    }

    private enum Order {
        /** The points are read before what they order. */
        KNOWN,
        /** They are read later; without them, the keys have another order, are equal, or cannot be compared. */
        LATER_OTHER,
        LATER_EQUAL,
        LATER_FAILING
    }

    /** Orders by points that are not its own, the most first. */
    static final class ByPoints implements Comparator<Key>, Serializable {
        final Table table;
        final Order order;

        ByPoints(Table table, Order order) {
            this.table = table;
            this.order = order;
        }

        private int pointsOf(Key key) {
            if (order == Order.KNOWN) {
                return table.aPoints.get(key);
            }
            boolean known = order == Order.LATER_FAILING || table.zPoints != null;
            return known ? table.zPoints.getOrDefault(key, 0) : 0;
        }

        @Override
        public int compare(Key a, Key b) {
            int difference = Integer.compare(pointsOf(b), pointsOf(a));
            return difference != 0 || order == Order.LATER_EQUAL ? difference : Integer.compare(a.number, b.number);
        }
    }

    /** Fields are read in the order of their names. */
    static final class Table implements Serializable {
        final Map<Key, Integer> aPoints = new HashMap<>();
        final TreeMap<Key, String> ranking;
        final TreeSet<Key> ranks;
        final Map<Key, Integer> zPoints = new HashMap<>();

        Table(Order order) {
            for (int i = 0; i < 5; i++) {
                aPoints.put(new Key(i), i * i);
                zPoints.put(new Key(i), i * i);
            }
            ByPoints byPoints = new ByPoints(this, order);
            ranking = new TreeMap<>(byPoints);
            ranks = new TreeSet<>(byPoints);
            for (Key key : aPoints.keySet()) {
                ranking.put(key, "key " + key.number);
                ranks.add(key);
            }
        }
    }

    private static void assertSorted(Table table) {
        assertThat(table.ranking.keySet()).extracting(Key::number).containsExactly(4, 3, 2, 1, 0);
        assertThat(table.ranks).extracting(Key::number).containsExactly(4, 3, 2, 1, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(table.ranking.get(new Key(i))).isEqualTo("key " + i);
            assertThat(table.ranks.contains(new Key(i))).isTrue();
        }
    }

    @Test
    void aComparatorSeesAMapThatWasReadBefore() {
        for (Object[] copy : copies(new Table(Order.KNOWN))) {
            assertSorted((Table) copy[0]);
        }
    }

    @Test
    void aComparatorMayDependOnAMapThatIsReadLater() {
        for (Order order : List.of(Order.LATER_OTHER, Order.LATER_EQUAL, Order.LATER_FAILING)) {
            for (Object[] copy : copies(new Table(order))) {
                assertSorted((Table) copy[0]);
            }
        }
    }
}
