package org.heapspan.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ImmutableCollectionCodecsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Owner implements Serializable {
        List<?> list = List.of();
        Object other = "";
    }

    /** Its hash code is that of contents which arrive late. */
    record Key(ArrayList<Object> contents) implements Serializable {}

    private static <T> T copied(T object) {
        T copy = HEAPSPAN.copy(object);
        assertThat(copy).isEqualTo(object);
        assertThat(copy.getClass()).isSameAs(object.getClass());
        return copy;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 10, 100, 5000})
    void copiesOfAnySize(int size) {
        List<Integer> numbers = IntStream.range(0, size).boxed().toList();
        copied(numbers);
        copied(List.copyOf(numbers));
        copied(Set.copyOf(numbers));
        Map<Object, Object> map = new HashMap<>();
        numbers.forEach(n -> map.put("k" + n, n % 3 == 0 ? "v" : (Object) n));
        copied(Map.copyOf(map));
        copied(new ConcurrentHashMap<>(map));
        copied(new CopyOnWriteArrayList<>(map.values()));
    }

    @Test
    void listsKeepWhetherTheyMayHoldNull() {
        assertThat(copied(Stream.of("a", null, "b", "c").toList())).contains((String) null);
        List<String> without = copied(Stream.of("a", "b", "c").toList());
        assertThat(without.contains(null)).isFalse();
        List<String> strict = copied(List.of("a", "b", "c"));
        assertThatThrownBy(() -> strict.contains(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> without.add("d")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void emptyOnesAreTheOnesOfThisJvm() {
        assertThat(HEAPSPAN.copy(Collections.emptyList())).isSameAs(Collections.emptyList());
        assertThat(HEAPSPAN.copy(Collections.emptySet())).isSameAs(Collections.emptySet());
        assertThat(HEAPSPAN.copy(Collections.emptyMap())).isSameAs(Collections.emptyMap());
        assertThat(HEAPSPAN.copy(List.of())).isSameAs(List.of());
        List<Object> mixed = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            mixed.add(i < 999 ? Collections.emptySet() : Collections.emptyMap());
        }
        copied(mixed);
        copied(new ArrayList<>(Collections.nCopies(1000, Collections.emptyList())));
    }

    @Test
    void sharingSurvives() {
        List<Object> shared = List.of("s", 1L, new ArrayList<>(List.of("deep")));
        Owner owner = new Owner();
        owner.list = List.of(shared, shared, Set.of(shared), Map.of("k", shared));
        owner.other = shared;
        Owner copy = HEAPSPAN.copy(owner);
        assertThat(copy.list).isEqualTo(owner.list);
        assertThat(copy.list.get(0)).isSameAs(copy.other).isSameAs(copy.list.get(1));
        assertThat(((Map<?, ?>) copy.list.get(3)).get("k")).isSameAs(copy.other);
    }

    @Test
    void setsAndMapsFindKeysWhoseHashCodesDependOnTheirContents() {
        Key key = new Key(new ArrayList<>(List.of(new HashSet<>(Set.of(new Key(new ArrayList<>(List.of("x"))))))));
        Set<Key> set = HEAPSPAN.copy(Set.of(key, new Key(new ArrayList<>())));
        assertThat(set.contains(key)).isTrue();
        Map<Key, String> map = HEAPSPAN.copy(Map.of(key, "found", new Key(new ArrayList<>()), "other"));
        assertThat(map.get(key)).isEqualTo("found");
        Map<Key, String> concurrent = HEAPSPAN.copy(new ConcurrentHashMap<>(Map.of(key, "found")));
        assertThat(concurrent.get(key)).isEqualTo("found");
    }

    private static Object content(Object container) {
        return container instanceof Map<?, ?> map ? map.values().iterator().next() : ((List<?>) container).get(0);
    }

    @Test
    void deepNestingIsCutBySections() {
        Object nested = new ArrayList<>(List.of("leaf"));
        for (int i = 0; i < 300; i++) {
            Object inner = nested;
            nested = switch (i % 4) {
                case 0 -> List.of(inner);
                case 1 -> Map.of("k", inner);
                case 2 -> new CopyOnWriteArrayList<>(List.of(inner));
                default -> new ConcurrentHashMap<>(Map.of("c", inner));
            };
        }
        // Step by step: equals of a ConcurrentHashMap compares its values twice, which at this depth is never over.
        Object expected = nested;
        Object copy = HEAPSPAN.copy(nested);
        for (int i = 0; i < 300; i++) {
            assertThat(copy.getClass()).isSameAs(expected.getClass());
            expected = content(expected);
            copy = content(copy);
        }
        assertThat(copy).isEqualTo(expected);
    }

    @Test
    void cyclesThroughMutableOnesCloseAndThroughImmutableOnesAreRefused() {
        CopyOnWriteArrayList<Object> list = new CopyOnWriteArrayList<>();
        Map<Object, Object> map = new ConcurrentHashMap<>(Map.of("list", list));
        list.add(map);
        CopyOnWriteArrayList<Object> copy = HEAPSPAN.copy(list);
        assertThat(((Map<?, ?>) copy.get(0)).get("list")).isSameAs(copy);

        Owner owner = new Owner();
        owner.list = List.of(owner);
        Owner ownerCopy = HEAPSPAN.copy(owner);
        assertThat(ownerCopy.list.get(0)).isSameAs(ownerCopy);
        List<Object> inner = new ArrayList<>();
        List<Object> outer = List.of(inner);
        inner.add(outer);
        assertThatThrownBy(() -> HEAPSPAN.copy(outer))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("cycle");
    }

    @Test
    void duplicatesByTheReadersEqualsAreNamed() {
        Heapspan unchecked = Heapspan.builder().checksum(false).build();
        byte[] plain = unchecked.encode(Set.of("ab", "cd"));
        int place = new String(plain, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("ab");
        plain[place] = 'c';
        plain[place + 1] = 'd';
        assertThatThrownBy(() -> unchecked.decode(plain, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.HOOK));
    }

    @Test
    void inspectorShowsContents() {
        Owner owner = new Owner();
        owner.list = List.of("first", Set.of(7), Map.of("key", Arrays.asList(1, 2)), Collections.emptyMap());
        owner.other = new ConcurrentHashMap<>(Map.of("c", new CopyOnWriteArrayList<>(List.of(9))));
        InspectedImage found = new ImageInspector(8, 100).inspect(HEAPSPAN.encode(owner));
        assertThat(found.problem()).isNull();
        assertThat(found.objects()).isGreaterThan(5);
    }
}
