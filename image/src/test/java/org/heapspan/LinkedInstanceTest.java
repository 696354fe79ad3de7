package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances that images refer to by number wherever they stand. */
@Tag("once")
@SuppressWarnings("serial")
final class LinkedInstanceTest {
    /** A tree whose ends are all one object. */
    static class Node implements Serializable, Comparable<Node> {
        static final Node NIL = new Node(0, null, null);
        static final Node OTHER = new Node(1, null, null);

        final int value;
        Node left;
        Node right;

        Node(int value, Node left, Node right) {
            this.value = value;
            this.left = left;
            this.right = right;
        }

        @Override
        public int compareTo(Node other) {
            return Integer.compare(value, other.value);
        }
    }

    /** Nothing but a number, which travels without being tracked as a root. */
    static final class Flat implements Serializable {
        static final Flat NONE = new Flat(-1);
        final int value;

        Flat(int value) {
            this.value = value;
        }
    }

    /** Travels by its own methods. */
    static final class Hooked implements Serializable {
        static final Hooked NONE = new Hooked();
        transient int value = 7;

        private void writeObject(ObjectOutputStream out) throws java.io.IOException {
            out.writeInt(value);
        }

        private void readObject(ObjectInputStream in) throws java.io.IOException {
            value = in.readInt();
        }
    }

    record Pair(Object first, Object second) implements Serializable {
        static final Pair EMPTY = new Pair(null, null);
    }

    private static final List<Object> CONSTANTS = List.of(Node.NIL, Node.OTHER, Flat.NONE, Hooked.NONE, Pair.EMPTY);

    private static final ObjectLinks LINKS = new ObjectLinks() {
        @Override
        public boolean isLinked(Field field) {
            return false;
        }

        @Override
        public long numberOf(Object object) {
            return NONE;
        }

        @Override
        public Constants constantsOf(Class<?> type) {
            if (CONSTANTS.stream().noneMatch(constant -> constant.getClass() == type)) {
                return null;
            }
            return instance -> {
                for (int i = 0; i < CONSTANTS.size(); i++) {
                    if (CONSTANTS.get(i) == instance) {
                        return i;
                    }
                }
                return NONE;
            };
        }

        @Override
        public Object objectOf(long number) {
            return CONSTANTS.get((int) number);
        }
    };

    private static final Heapspan HEAPSPAN =
            Heapspan.builder().mode(Mode.CLONE).links(LINKS).build();

    private static List<Encoding> encodings() {
        return VirtualMachine.current().memory() == null ? List.of(Encoding.COMPACT) : List.of(Encoding.values());
    }

    private static List<Object> copies(List<?> records) {
        List<Object> all = new ArrayList<>();
        for (Encoding encoding : encodings()) {
            GroupWriter writer = HEAPSPAN.groupWriter(encoding);
            records.forEach(writer::write);
            List<Object> copies = new ArrayList<>(
                    Arrays.asList(HEAPSPAN.trustedGroupReader(writer.finish()).readAll()));
            assertThat(copies).hasSameSizeAs(records);
            all.add(copies);
            List<Object> single = new ArrayList<>();
            for (Object record : records) {
                single.add(HEAPSPAN.decodeTrusted(HEAPSPAN.encode(record, encoding), Object.class));
            }
            all.add(single);
        }
        GroupWriter sharing = HEAPSPAN.groupWriter(IdentityScope.GROUP);
        records.forEach(sharing::write);
        all.add(new ArrayList<>(
                Arrays.asList(HEAPSPAN.trustedGroupReader(sharing.finish()).readAll())));
        List<Object> direct = new ArrayList<>();
        for (Object record : records) {
            direct.add(HEAPSPAN.copy(record));
        }
        all.add(direct);
        return all;
    }

    @Test
    void constantsStayTheObjectsThatTheyAre() {
        List<Object> records = new ArrayList<>();
        for (Object constant : CONSTANTS) {
            records.add(constant);
            records.add(new Pair(constant, constant));
            records.add(new Object[] {constant, "between", constant, constant});
            records.add(new ArrayList<>(List.of(constant, constant, constant)));
            records.add(new ArrayList<>(Arrays.asList("first", null, constant)));
            records.add(constant);
        }
        for (Object all : copies(records)) {
            List<?> copies = (List<?>) all;
            for (int i = 0; i < CONSTANTS.size(); i++) {
                Object constant = CONSTANTS.get(i);
                List<?> of = copies.subList(6 * i, 6 * i + 6);
                assertThat(of.get(0)).isSameAs(constant);
                assertThat(((Pair) of.get(1)).first()).isSameAs(constant);
                assertThat(((Pair) of.get(1)).second()).isSameAs(constant);
                Object[] array = (Object[]) of.get(2);
                assertThat(array[0]).isSameAs(constant);
                assertThat(array[1]).isEqualTo("between");
                assertThat(array[3]).isSameAs(constant);
                assertThat((List<?>) of.get(3))
                        .allSatisfy(each -> assertThat(each).isSameAs(constant));
                assertThat(((List<?>) of.get(4)).get(2)).isSameAs(constant);
                assertThat(of.get(5)).isSameAs(constant);
            }
        }
    }

    @Test
    void otherInstancesAreCopiedAndStayShared() {
        List<Object> records = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Node shared = new Node(i, Node.NIL, Node.OTHER);
            records.add(new Node(i + 1, shared, shared));
            records.add(new Flat(i));
            records.add(new Flat[] {new Flat(i), Flat.NONE, new Flat(i)});
            records.add(new Pair(new Hooked(), Hooked.NONE));
        }
        for (Object all : copies(records)) {
            List<?> copies = (List<?>) all;
            for (int i = 0; i < 100; i++) {
                Node original = (Node) records.get(4 * i);
                Node node = (Node) copies.get(4 * i);
                assertThat(node).isNotSameAs(original);
                assertThat(node.value).isEqualTo(i + 1);
                assertThat(node.left).isSameAs(node.right).isNotSameAs(original.left);
                assertThat(node.left.left).isSameAs(Node.NIL);
                assertThat(node.left.right).isSameAs(Node.OTHER);
                assertThat(((Flat) copies.get(4 * i + 1)).value).isEqualTo(i);
                Flat[] flats = (Flat[]) copies.get(4 * i + 2);
                assertThat(flats[0].value).isEqualTo(i);
                assertThat(flats[1]).isSameAs(Flat.NONE);
                assertThat(flats[2].value).isEqualTo(i);
                Pair pair = (Pair) copies.get(4 * i + 3);
                assertThat(((Hooked) pair.first()).value).isEqualTo(7);
                assertThat(pair.first()).isNotSameAs(Hooked.NONE);
                assertThat(pair.second()).isSameAs(Hooked.NONE);
            }
        }
    }

    @Test
    void constantsStayWhatTheyAreInContainers() {
        IdentityHashMap<Object, Object> identities = new IdentityHashMap<>();
        Map<Object, Object> hashed = new HashMap<>();
        Map<Object, Object> sorted = new TreeMap<>();
        for (Object constant : CONSTANTS) {
            identities.put(constant, constant);
            hashed.put(constant, constant);
        }
        sorted.put(Node.NIL, Node.OTHER);
        sorted.put(Node.OTHER, Node.NIL);
        sorted.put(new Node(2, Node.NIL, Node.NIL), Pair.EMPTY);
        LinkedHashSet<Object> set = new LinkedHashSet<>(CONSTANTS);
        Pair cyclic = new Pair(new ArrayList<>(), Node.NIL);
        @SuppressWarnings("unchecked")
        List<Object> cycle = (List<Object>) cyclic.first();
        cycle.add(cyclic);
        cycle.add(identities);
        cycle.add(Flat.NONE);
        for (Object all : copies(List.of(identities, hashed, sorted, set, cyclic, new Pair(sorted, identities)))) {
            List<?> copies = (List<?>) all;
            for (int i : new int[] {0, 1}) {
                Map<?, ?> map = (Map<?, ?>) copies.get(i);
                assertThat(map).hasSize(CONSTANTS.size());
                CONSTANTS.forEach(
                        constant -> assertThat((Object) map.get(constant)).isSameAs(constant));
            }
            Map<?, ?> map = (Map<?, ?>) copies.get(2);
            assertThat((Object) map.get(Node.NIL)).isSameAs(Node.OTHER);
            assertThat((Object) map.get(Node.OTHER)).isSameAs(Node.NIL);
            assertThat((Object) map.get(new Node(2, null, null))).isSameAs(Pair.EMPTY);
            assertThat(((LinkedHashSet<?>) copies.get(3)).toArray()).containsExactly(CONSTANTS.toArray());
            Pair pair = (Pair) copies.get(4);
            assertThat(pair.second()).isSameAs(Node.NIL);
            List<?> list = (List<?>) pair.first();
            assertThat((Object) list.get(0)).isSameAs(pair);
            assertThat(((Map<?, ?>) list.get(1)).keySet()).hasSize(CONSTANTS.size());
            assertThat((Object) list.get(2)).isSameAs(Flat.NONE);
        }
    }

    @Test
    void deepAndLongRecordsHaveConstantsAtTheirEnds() {
        Node deep = Node.NIL;
        for (int i = 0; i < 50_000; i++) {
            deep = new Node(i, deep, Node.OTHER);
        }
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            many.add(new Node(i, Node.NIL, Node.OTHER));
        }
        for (Object all : copies(List.of(deep, many))) {
            Node copy = (Node) ((List<?>) all).get(0);
            int depth = 0;
            for (; copy != Node.NIL && depth < 60_000; copy = copy.left) {
                assertThat(copy.right).isSameAs(Node.OTHER);
                depth++;
            }
            assertThat(depth).isEqualTo(50_000);
            for (Object each : (List<?>) ((List<?>) all).get(1)) {
                assertThat(((Node) each).left).isSameAs(Node.NIL);
                assertThat(((Node) each).right).isSameAs(Node.OTHER);
            }
        }
    }
}
