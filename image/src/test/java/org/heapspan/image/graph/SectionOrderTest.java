package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which objects become complete: bodies, deferred bodies, hash containers, hooks, readResolve. */
@Tag("once")
final class SectionOrderTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** Its hash code depends on everything below it. */
    static final class Deep implements Serializable {
        final int number;
        final Object next;

        Deep(int number, Object next) {
            this.number = number;
            this.next = next;
        }

        @Override
        public boolean equals(Object other) {
            Object left = this;
            Object right = other;
            while (left instanceof Deep a && right instanceof Deep b && a.number == b.number) {
                left = a.next;
                right = b.next;
            }
            return Objects.equals(left, right);
        }

        @Override
        public int hashCode() {
            int hash = 1;
            Object object = this;
            while (object instanceof Deep deep) {
                hash = 31 * hash + deep.number;
                object = deep.next;
            }
            return 31 * hash + Objects.hashCode(object);
        }
    }

    private static Deep deep(int length, Object end) {
        Object chain = end;
        for (int i = 0; i < length; i++) {
            chain = new Deep(i, chain);
        }
        return (Deep) chain;
    }

    private static <T> T copy(T graph) {
        T copy = HEAPSPAN.copy(graph);
        assertThat(HEAPSPAN.decode(HEAPSPAN.encode(graph), Object.class)).isNotNull();
        return copy;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 94, 95, 96, 97, 98, 200, 5000})
    void fillsHashContainersWhoseKeysAreDeep(int depth) {
        Map<Object, Object> map = new HashMap<>();
        Set<Object> set = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            Deep key = deep(depth, "end " + i);
            map.put(key, i);
            set.add(key);
        }
        Object[] copy = copy(new Object[] {map, set, new LinkedHashMap<>(map), new LinkedHashSet<>(set)});
        for (int i = 0; i < 5; i++) {
            Deep key = deep(depth, "end " + i);
            assertThat(((Map<?, ?>) copy[0]).get(key)).isEqualTo(i);
            assertThat(((Set<?>) copy[1]).contains(key)).isTrue();
            assertThat(((Map<?, ?>) copy[2]).get(key)).isEqualTo(i);
            assertThat(((Set<?>) copy[3]).contains(key)).isTrue();
        }
        assertThat(((Map<?, ?>) copy[2]).values())
                .hasToString(new LinkedHashMap<>(map).values().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40, 97, 150})
    void fillsHashContainersWithinKeysOfHashContainers(int levels) {
        Set<Object> set = new HashSet<>(Set.of("innermost", new Deep(1, "x")));
        for (int i = 0; i < levels; i++) {
            Set<Object> outer = new HashSet<>();
            outer.add(set);
            outer.add(deep(1 + i % 120, set));
            set = outer;
            if (i > 12) {
                // Hash codes of both elements would take 2^levels steps.
                outer.removeIf(Deep.class::isInstance);
            }
        }
        Set<?> copy = copy(set);
        assertThat(copy.equals(set)).isTrue();
        Object inner = copy;
        while (inner instanceof Set<?> elements) {
            for (Object element : elements) {
                assertThat(elements.contains(element)).isTrue();
            }
            inner = elements.stream().filter(Set.class::isInstance).findFirst().orElse(null);
        }
    }

    /** The key is deferred while the map that it belongs to comes first, and holds a map itself. */
    @Test
    void fillsContainersInAnyOrderOfArrival() {
        Map<Object, Object> inner = new HashMap<>();
        inner.put(new Deep(1, "k"), "v");
        Map<Object, Object> outer = new HashMap<>();
        outer.put(deep(300, inner), "outer");
        outer.put(deep(2, inner), "short");
        Object[] graph = {outer, deep(500, outer), inner};
        Object[] copy = copy(graph);
        Map<?, ?> outerCopy = (Map<?, ?>) copy[0];
        assertThat(outerCopy.get(deep(300, inner))).isEqualTo("outer");
        assertThat(outerCopy.get(deep(2, inner))).isEqualTo("short");
        assertThat(((Map<?, ?>) copy[2]).get(new Deep(1, "k"))).isEqualTo("v");
    }

    @Test
    void closesCyclesThroughHashContainers() {
        // An element with identity as its hash, which refers to its set.
        Holder holder = new Holder();
        holder.content = new HashSet<>(List.of(holder));
        Holder copy = copy(holder);
        assertThat(((Set<?>) copy.content).contains(copy)).isTrue();
        // A map as a value of itself.
        Map<Object, Object> map = new HashMap<>();
        map.put("self", map);
        map.put(new Deep(1, "x"), map);
        Map<Object, Object> mapCopy = copy(map);
        assertThat(mapCopy.get("self")).isSameAs(mapCopy);
        assertThat(mapCopy.get(new Deep(1, "x"))).isSameAs(mapCopy);
    }

    static final class Holder implements Serializable {
        Object content;
    }

    /** A set that contains itself has no hash code; anything but a hang or an untyped failure will do. */
    @Test
    void survivesASetThatContainsItself() {
        Set<Object> set = new HashSet<>();
        set.add(new Holder());
        Set<Object> byIdentity = java.util.Collections.newSetFromMap(new HashMap<>());
        byIdentity.add(set);
        Holder holder = new Holder();
        holder.content = set;
        Map<Object, Object> map = new HashMap<>();
        map.put("k", holder);
        assertThat(copy(new Object[] {byIdentity, map})).hasSize(2);
        // put(key) asks for the hash code before the key refers to its map.
        List<Object> key = new ArrayList<>();
        Map<Object, Object> cyclic = new HashMap<>();
        cyclic.put(key, "v");
        key.add(cyclic);
        try {
            assertThat(HEAPSPAN.copy(cyclic)).hasSize(1);
        } catch (HeapspanException typed) {
            assertThat(typed.category()).isIn(Category.HOOK, Category.LIMIT);
        }
    }

    // ---------------------------------------------------------------- hooks

    /** Looks, within readObject, at what it has read. */
    static final class Looking implements Serializable {
        private final Map<Object, Object> map;
        private final Object deep;
        private transient Object found;
        private transient int depthSeen;

        Looking(Map<Object, Object> map, Object deep) {
            this.map = map;
            this.deep = deep;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            found = map.get(new Deep(7, "key"));
            for (Object object = deep; object instanceof Deep next; object = next.next) {
                depthSeen++;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 90, 95, 96, 97, 300})
    void completesWhatReadObjectHasRead(int outerDepth) {
        Map<Object, Object> map = new HashMap<>();
        map.put(new Deep(7, "key"), "value");
        Looking looking = new Looking(map, deep(1000, null));
        Object graph = outerDepth == 0 ? looking : deep(outerDepth, looking);
        Object copy = copy(graph);
        while (copy instanceof Deep deep) {
            copy = deep.next;
        }
        Looking looked = (Looking) copy;
        assertThat(looked.found).isEqualTo("value");
        assertThat(looked.depthSeen).isEqualTo(1000);
    }

    /** Written by writeReplace, made again by readResolve. */
    static final class Temperature implements Serializable {
        final transient double kelvin;
        final transient List<Object> notes;

        Temperature(double kelvin, List<Object> notes) {
            this.kelvin = kelvin;
            this.notes = notes;
        }

        private Object writeReplace() {
            return new Form(kelvin - 273.15, notes);
        }

        private record Form(double celsius, List<Object> notes) implements Serializable {
            private Object readResolve() {
                return new Temperature(celsius + 273.15, notes);
            }
        }
    }

    @Test
    void resolvesReplacedObjectsOnceAndShared() {
        Temperature temperature = new Temperature(300, new ArrayList<>(List.of("warm")));
        Object[] copy = copy(new Object[] {temperature, deep(200, temperature), temperature, List.of(temperature)});
        assertThat(((Temperature) copy[0]).kelvin).isEqualTo(300);
        assertThat(copy[2]).isSameAs(copy[0]);
        Object end = copy[1];
        while (end instanceof Deep deep) {
            end = deep.next;
        }
        assertThat(end).isSameAs(copy[0]);
        assertThat(((List<?>) copy[3]).get(0)).isSameAs(copy[0]);
    }

    @Test
    void saysThatACycleThroughReadResolveCannotBeClosed() {
        List<Object> notes = new ArrayList<>();
        Temperature temperature = new Temperature(1, notes);
        notes.add(temperature);
        byte[] image = HEAPSPAN.encode(temperature);
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.HOOK))
                .hasMessageContaining("cycle");
        // As with Java serialization, a class that resolves itself shows its unresolved form within its own cycle.
        Singleton singleton = new Singleton();
        singleton.list.add(singleton);
        Singleton copy = copy(singleton);
        assertThat(copy).isSameAs(Singleton.ONLY);
    }

    static final class Singleton implements Serializable {
        static final Singleton ONLY = new Singleton();
        final List<Object> list = new ArrayList<>();

        private Object readResolve() {
            return ONLY;
        }
    }

    /** Cycles through writeObject and readObject close as in Java serialization. */
    static final class Ring implements Serializable {
        private transient Ring next;
        private transient Set<Object> seen;
        private final int number;

        Ring(int number) {
            this.number = number;
        }

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            stream.writeObject(next);
            stream.writeObject(seen);
        }

        @SuppressWarnings("unchecked")
        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            next = (Ring) stream.readObject();
            seen = (Set<Object>) stream.readObject();
        }
    }

    @Test
    void closesCyclesThroughHooks() {
        Ring[] rings = new Ring[20];
        Arrays.setAll(rings, Ring::new);
        for (int i = 0; i < rings.length; i++) {
            rings[i].next = rings[(i + 1) % rings.length];
            rings[i].seen = new HashSet<>(List.of(rings[i], "text " + i));
        }
        Ring copy = copy(rings[0]);
        Ring ring = copy;
        for (int i = 0; i < rings.length; i++) {
            assertThat(ring.number).isEqualTo(i);
            assertThat(ring.seen.contains(ring)).isTrue();
            assertThat(ring.seen).hasSize(2);
            ring = ring.next;
        }
        assertThat(ring).isSameAs(copy);
    }

    @Test
    void carriesDeepOptionalsAndLists() {
        Object nested = "core";
        for (int i = 0; i < 500; i++) {
            nested = i % 2 == 0 ? Optional.of(nested) : new ArrayList<>(List.of(nested));
        }
        Object copy = copy(new Object[] {nested})[0];
        int levels = 0;
        while (!(copy instanceof String)) {
            copy = copy instanceof Optional<?> optional ? optional.orElseThrow() : ((List<?>) copy).get(0);
            levels++;
        }
        assertThat(levels).isEqualTo(500);
    }

    /** Deep and wide in every direction at once. */
    @Test
    void carriesAListOfAMillionNodes() {
        Holder first = new Holder();
        Holder last = first;
        for (int i = 0; i < 1_000_000; i++) {
            Holder next = new Holder();
            last.content = next;
            last = next;
        }
        last.content = first;
        Holder copy = HEAPSPAN.copy(first);
        Holder node = copy;
        for (int i = 0; i <= 1_000_000; i++) {
            node = (Holder) node.content;
        }
        assertThat(node).isSameAs(copy);
    }
}
