package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that nest so deeply that their bodies are deferred are complete for what comes behind them, as in Java serialization. */
@SuppressWarnings("JdkObsolete") // Hashtable has a readObject of its own.
class DeferredBeforeHooksTest {
    private static final int LENGTH = 500;
    private final Heapspan heapspan = Heapspan.builder().allow("*").build();

    /** A node of a chain; equal by its name. */
    private static final class Node implements Serializable, Comparable<Node> {
        private static final long serialVersionUID = 1;
        Object next;
        String name;

        /** Behind {@link #next}, in the order of names. */
        Object seen;

        Node(String name) {
            this.name = name;
        }

        @Override
        public int hashCode() {
            return name == null ? 0 : name.hashCode();
        }

        @Override
        public boolean equals(Object object) {
            return object instanceof Node other && name.equals(other.name);
        }

        @Override
        public int compareTo(Node other) {
            return name.compareTo(other.name);
        }
    }

    /** Finds nodes by their names, in a map that is made anew where it is read. */
    private static final class Index implements Serializable {
        private static final long serialVersionUID = 1;
        private final List<Node> nodes;
        private transient Map<String, Node> byName;

        Index(List<Node> nodes) {
            this.nodes = nodes;
        }

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            byName = new HashMap<>();
            for (Node node : nodes) {
                byName.put(node.name, node);
            }
        }
    }

    private static List<Node> chain() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < LENGTH; i++) {
            nodes.add(new Node("node " + i));
        }
        for (int i = 1; i < LENGTH; i++) {
            nodes.get(i - 1).next = nodes.get(i);
        }
        return nodes;
    }

    /** Reads a chain, and what refers to its nodes. */
    private Object behindChain(Object object, List<Node> nodes) {
        Object[] copy = heapspan.decode(heapspan.encode(new Object[] {nodes.get(0), object}), Object[].class);
        int length = 0;
        for (Object node = copy[0]; node != null; node = ((Node) node).next) {
            assertThat(((Node) node).name).isEqualTo("node " + length);
            length++;
        }
        assertThat(length).isEqualTo(LENGTH);
        return copy[1];
    }

    private static void checkIndex(Index index) {
        assertThat(index.byName).hasSize(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            assertThat(index.byName.get("node " + i)).isSameAs(index.nodes.get(i));
        }
    }

    @Test
    void readObjectSeesTheWholeChain() {
        List<Node> nodes = chain();
        checkIndex((Index) behindChain(new Index(nodes), nodes));
    }

    @Test
    void hooksWithinOtherSectionsSeeTheWholeChain() {
        List<Node> nodes = chain();
        Object found = behindChain(List.of(Optional.of(new Index(nodes))), nodes);
        checkIndex((Index) ((Optional<?>) ((List<?>) found).get(0)).orElseThrow());
        found = behindChain(new Object[] {List.of("none"), List.of(new Index(nodes))}, nodes);
        checkIndex((Index) ((List<?>) ((Object[]) found)[1]).get(0));
        List<Optional<?>> optionals = List.of(Optional.of("one"), Optional.of(new Index(nodes)));
        found = behindChain(new ArrayList<>(optionals), nodes);
        checkIndex((Index) ((Optional<?>) ((List<?>) found).get(1)).orElseThrow());
    }

    private static void checkKeys(Set<?> keys) {
        for (int i = 0; i < LENGTH; i++) {
            assertThat(keys.contains(new Node("node " + i))).isTrue();
        }
    }

    @Test
    void keysOfContainersAreComplete() {
        List<Node> nodes = chain();
        checkKeys((Set<?>) behindChain(Set.copyOf(nodes), nodes));
        checkKeys((Set<?>) behindChain(Collections.synchronizedSet(new HashSet<>(nodes)), nodes));
        Hashtable<Node, String> table = new Hashtable<>();
        nodes.forEach(node -> table.put(node, node.name));
        checkKeys(((Map<?, ?>) behindChain(table, nodes)).keySet());
        checkKeys(((Map<?, ?>) behindChain(new ConcurrentSkipListMap<>(table), nodes)).keySet());
    }

    @Test
    void copiesSeeTheWholeChain() {
        List<Node> nodes = chain();
        checkIndex((Index) heapspan.copy(new Object[] {nodes.get(0), new Index(nodes)})[1]);
    }

    /** Each node has an object with hooks behind the next node. */
    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 100_000})
    void chainsOfNodesWithHooksHaveAnyLength(int length) {
        Node first = new Node("node 0");
        Node last = first;
        for (int i = 1; i < length; i++) {
            last.seen = new Index(List.of(last));
            Node next = new Node("node " + i);
            last.next = next;
            last = next;
        }
        Node copy = heapspan.decode(heapspan.encode(first), Node.class);
        int count = 0;
        for (Node node = copy; node != null; node = (Node) node.next) {
            if (node.next != null) {
                assertThat(((Index) node.seen).nodes.get(0)).isSameAs(node);
            }
            count++;
        }
        assertThat(count).isEqualTo(length);
    }
}
