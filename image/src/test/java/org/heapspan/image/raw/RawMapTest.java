package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.MapInsides;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.heapspan.image.memory.Access;
import org.junit.jupiter.api.Test;

/** Maps and sets in raw images: which are copied with their insides, and that all of them work on arrival. */
final class RawMapTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    @SuppressWarnings("unchecked")
    private static <T> T sent(T root) {
        return (T) HEAPSPAN.decodeTrusted(HEAPSPAN.encode(root, Encoding.RAW), Object.class);
    }

    /** How many nodes of maps lie in an image as in the heap. */
    private static long nodesCopied(Object root) {
        InspectedImage image = new ImageInspector(8, 100).inspect(HEAPSPAN.encode(root, Encoding.RAW));
        assertThat(image.problem()).isNull();
        return image.classes().stream()
                .filter(type ->
                        type.className().endsWith("$Node") || type.className().endsWith("$Entry"))
                .mapToLong(InspectedImage.ClassUse::count)
                .sum();
    }

    private static <K> Map<K, Object> fill(Map<K, Object> map, int count, IntFunction<K> keys) {
        for (int i = 0; i < count; i++) {
            map.put(keys.apply(i), "value " + i);
        }
        return map;
    }

    /** Checks that a map equals the original, in the same order where it has one, and can be worked with. */
    private static <K> void checkMap(Map<K, Object> original, Map<K, Object> copy, K another) {
        assertThat(copy).isNotSameAs(original).hasSameClassAs(original);
        assertThat(copy).hasSameSizeAs(original);
        original.forEach(
                (key, value) -> assertThat(copy.get(key)).as("value of %s", key).isEqualTo(value));
        assertThat(new ArrayList<>(copy.keySet())).isEqualTo(new ArrayList<>(original.keySet()));
        assertThat(copy).isEqualTo(original);
        assertThat(copy.hashCode()).isEqualTo(original.hashCode());
        copy.put(another, "new");
        assertThat(copy.get(another)).isEqualTo("new");
        assertThat(copy).hasSize(original.size() + 1);
        for (K key : new ArrayList<>(original.keySet())) {
            assertThat(copy.remove(key)).isNotNull();
        }
        assertThat(copy).hasSize(1);
    }

    @Test
    void mapsWithStableKeysAreCopied() {
        List<IntFunction<Object>> kinds = List.of(
                i -> "key " + i,
                i -> "\u4e2d\u6587" + i,
                i -> i,
                i -> i * 1_000_003,
                i -> i * 10_000_000_019L,
                i -> (short) i,
                i -> (byte) i,
                i -> (char) ('a' + i),
                i -> i / 7.0f,
                i -> i / 3.0,
                i -> BigInteger.valueOf(3).pow(i),
                i -> new BigDecimal("1." + (100 + i)),
                i -> new UUID(i * 77L, ~i));
        for (IntFunction<Object> keys : kinds) {
            for (int count : new int[] {0, 1, 12, 13, 100}) {
                Map<Object, Object> hash = fill(new HashMap<>(), count, keys);
                Map<Object, Object> linked = fill(new LinkedHashMap<>(), count, i -> keys.apply(99 - i));
                Map<Object, Object> tree = fill(new TreeMap<>(), count, keys);
                for (Map<Object, Object> map : List.of(hash, linked, tree)) {
                    assertThat(nodesCopied(map))
                            .as("nodes of %s %s", map.getClass(), map)
                            .isEqualTo(count);
                    checkMap(map, sent(map), keys.apply(101));
                }
            }
        }
    }

    @Test
    void setsAreCopied() {
        for (Set<Object> set : List.<Set<Object>>of(new HashSet<>(), new LinkedHashSet<>(), new TreeSet<>())) {
            for (int count = 0; count < 40; count++) {
                Set<Object> copy = sent(set);
                assertThat(nodesCopied(set)).isEqualTo(count);
                assertThat(new ArrayList<>(copy)).isEqualTo(new ArrayList<>(set));
                assertThat(copy).hasSameClassAs(set).isEqualTo(set);
                assertThat(copy.add("new")).isTrue();
                assertThat(copy.add("new")).isFalse();
                assertThat(copy.remove("new")).isTrue();
                assertThat(copy.remove("new")).isFalse();
                assertThat(copy.removeAll(set)).isEqualTo(count > 0);
                assertThat(copy).isEmpty();
                set.add("element " + count * 31 % 40);
            }
        }
    }

    @Test
    void nullKeysAndValuesArrive() {
        Map<Object, Object> map = new HashMap<>();
        map.put(null, "of null");
        map.put("of a", null);
        assertThat(nodesCopied(map)).isEqualTo(2);
        Map<Object, Object> copy = sent(map);
        assertThat(copy).isEqualTo(map);
        assertThat(copy.get(null)).isEqualTo("of null");
        Set<Object> set = new LinkedHashSet<>(Collections.singleton(null));
        assertThat(sent(set).remove(null)).isTrue();
    }

    @Test
    @SuppressWarnings({"ReferenceEquality", "BoxedPrimitiveEquality", "CollectionUndefinedEquality"})
    void keysOfTheCachesAreThoseOfTheReader() {
        Map<Integer, Object> copy = sent(new HashMap<>(Map.of(5, 6L)));
        assertThat(copy.keySet().iterator().next()).isSameAs(Integer.valueOf(5));
        assertThat(copy.get(5)).isSameAs(Long.valueOf(6));
    }

    @Test
    void sharingAndCyclesHold() {
        Map<String, Object> map = new HashMap<>();
        Map<Integer, Object> tree = new TreeMap<>();
        Set<Object> set = new LinkedHashSet<>(List.of("x"));
        String key = new String("key");
        map.put("self", map);
        map.put("tree", tree);
        map.put(key, key);
        map.put("set", set);
        tree.put(1, map);
        tree.put(2, tree);
        tree.put(3, set);

        Map<String, Object> copy = sent(map);

        assertThat(copy.get("self")).isSameAs(copy);
        Map<?, ?> copiedTree = (Map<?, ?>) copy.get("tree");
        assertThat(copiedTree.get(1)).isSameAs(copy);
        assertThat(copiedTree.get(2)).isSameAs(copiedTree);
        assertThat(copiedTree.get(3)).isSameAs(copy.get("set"));
        for (String each : copy.keySet()) {
            if (each.equals("key")) {
                assertThat(copy.get("key")).isSameAs(each);
            }
        }
    }

    @Test
    void accessOrderStays() {
        Map<String, Integer> map = new LinkedHashMap<>(16, 0.75f, true);
        for (String key : List.of("a", "b", "c")) {
            map.put(key, key.length());
        }
        map.get("a");
        Map<String, Integer> copy = sent(map);
        assertThat(nodesCopied(map)).isEqualTo(3);
        assertThat(copy.keySet()).containsExactly("b", "c", "a");
        copy.get("b");
        assertThat(copy.keySet()).containsExactly("c", "a", "b");
        copy.put("d", 1);
        copy.remove("c");
        assertThat(copy.keySet()).containsExactly("a", "b", "d");
    }

    @Test
    void emptyMapsKeepTheirCapacity() {
        Map<String, Object> cleared = new HashMap<>();
        fill(cleared, 100, i -> "k" + i);
        cleared.clear();
        for (Map<String, Object> map :
                List.<Map<String, Object>>of(new HashMap<>(100), cleared, new LinkedHashMap<>(3))) {
            Map<String, Object> copy = sent(map);
            assertThat(copy).isEmpty();
            fill(copy, 1000, i -> "k" + i);
            assertThat(copy).isEqualTo(fill(new HashMap<>(), 1000, i -> "k" + i));
        }
    }

    @Test
    void loadFactorsStay() {
        Map<String, Object> dense = fill(new HashMap<>(16, 4f), 50, i -> "k" + i);
        Map<String, Object> loose = fill(new HashMap<>(16, 0.2f), 50, i -> "k" + i);
        for (Map<String, Object> map : List.of(dense, loose)) {
            checkMap(map, sent(map), "another");
        }
    }

    @Test
    void treesWithComparatorsAreCopied() {
        for (Comparator<String> comparator : List.<Comparator<String>>of(
                Comparator.reverseOrder(), Comparator.naturalOrder(), ByLength.INSTANCE, new ByLastLetter(1))) {
            TreeMap<String, Object> map = new TreeMap<>(comparator);
            fill(map, 30, i -> "x".repeat(i) + i);
            TreeMap<String, Object> copy = sent(map);
            assertThat(nodesCopied(map)).isEqualTo(map.size());
            assertThat(copy.comparator()).hasSameClassAs(comparator);
            checkMap(map, copy, "y".repeat(100));
        }
        assertThat(sent(new TreeMap<String, Object>(Comparator.reverseOrder())).comparator())
                .isSameAs(Collections.reverseOrder());
    }

    enum ByLength implements Comparator<String> {
        INSTANCE;

        @Override
        public int compare(String a, String b) {
            return Integer.compare(a.length(), b.length());
        }
    }

    static final class ByLastLetter implements Comparator<String>, Serializable {
        private static final long serialVersionUID = 1L;

        private final int sign;

        ByLastLetter(int sign) {
            this.sign = sign;
        }

        private static String reversed(String text) {
            return new StringBuilder(text).reverse().toString();
        }

        @Override
        public int compare(String a, String b) {
            return sign * reversed(a).compareTo(reversed(b));
        }
    }

    // ---------------------------------------------------------------- not copied

    static final class Registry extends HashMap<String, Object> {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        String owner = "somebody";
    }

    record Stable(String name) implements Serializable {}

    /** All of one hash code. */
    static final class Colliding {
        private Colliding() {}

        static String key(int number) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < 8; bit++) {
                key.append((number >> bit & 1) == 0 ? "Aa" : "BB");
            }
            return key.toString();
        }
    }

    @Test
    void otherMapsGoBesideTheCopies() {
        Map<Object, Object> mixed = new HashMap<>(Map.of("a", 1, TimeUnit.DAYS, 2));
        Registry registry = new Registry();
        registry.put("a", 1);
        List<Map<?, ?>> maps = new ArrayList<>();
        maps.add(new HashMap<>(Map.of(TimeUnit.DAYS, 1)));
        maps.add(new HashMap<>(Map.of(new Stable("a"), 1)));
        maps.add(new HashMap<>(Map.of(List.of("a"), 1)));
        maps.add(new HashMap<>(Map.of(String.class, 1)));
        maps.add(new TreeMap<>(Map.of(TimeUnit.DAYS, 1)));
        maps.add(mixed);
        maps.add(registry);
        maps.add(new TreeMap<>(String.CASE_INSENSITIVE_ORDER));
        maps.add(fill(new HashMap<>(1 << 16), 3, i -> i));
        for (Map<?, ?> map : maps) {
            assertThat(nodesCopied(map)).as("nodes of %s", map).isZero();
            Map<?, ?> copy = sent(map);
            assertThat(copy).hasSameClassAs(map);
            assertThat((Object) copy).isEqualTo(map);
            map.forEach((key, value) -> assertThat((Object) copy.get(key)).isEqualTo(value));
        }
    }

    @Test
    void binsThatAreTreesAreListsInTheCopy() {
        int most = RawMapCopy.LONGEST_LIST_OF_CROWDED_BIN;
        for (int count : new int[] {9, 40, most}) {
            Map<String, Object> map = fill(new HashMap<>(128), count, Colliding::key);
            Map<String, Object> linked = fill(new LinkedHashMap<>(128), count, i -> Colliding.key(count - 1 - i));
            Set<String> set = new LinkedHashSet<>(linked.keySet());
            assertThat(nodesCopied(map)).isEqualTo(count);
            assertThat(nodesCopied(linked)).isEqualTo(count);
            assertThat(nodesCopied(set)).isEqualTo(count);
            checkMap(map, sent(map), Colliding.key(most + 1));
            checkMap(linked, sent(linked), Colliding.key(most + 1));
            assertThat(sent(set)).containsExactlyElementsOf(set);
            // Once more, so that what came as lists is read as well.
            checkMap(map, sent(sent(map)), Colliding.key(most + 1));
        }
    }

    @Test
    void copiesOfCrowdedBinsBecomeTreesAgain() {
        Map<String, Object> copy = sent(fill(new HashMap<>(128), 40, Colliding::key));
        assertThat(binClass(copy)).isEqualTo(MapInsides.HASH_NODE);
        copy.put(Colliding.key(41), "new");
        assertThat(binClass(copy)).isEqualTo(MapInsides.CROWDED_NODE);
        for (int i = 0; i < 40; i++) {
            assertThat(copy.get(Colliding.key(i))).isEqualTo("value " + i);
        }
    }

    private static Class<?> binClass(Map<String, Object> map) {
        Object[] table = (Object[]) Access.raw().getReference(map, MapInsides.TABLE);
        for (Object bin : table) {
            if (bin != null) {
                return bin.getClass();
            }
        }
        throw new AssertionError("no bin with a node");
    }

    @Test
    void mapsWithLongBinsGoBesideTheCopies() {
        int count = RawMapCopy.LONGEST_LIST_OF_CROWDED_BIN + 1;
        Map<String, Object> map = fill(new HashMap<>(128), count, Colliding::key);
        Map<String, Object> linked = fill(new LinkedHashMap<>(128), count, Colliding::key);
        for (Map<String, Object> each : List.of(map, linked)) {
            assertThat(nodesCopied(each)).isZero();
            assertThat(sent(each)).hasSameClassAs(each).isEqualTo(each);
        }
        assertThat(binClass(sent(map))).isEqualTo(MapInsides.CROWDED_NODE);
    }

    static final class Holder {
        Object first;
        Object second;
        Object third;
    }

    @Test
    void oneMapIsOneObjectWhicheverWayItGoes() {
        Map<Object, Object> side = new HashMap<>(Map.of(TimeUnit.DAYS, "days"));
        Map<String, Object> copied = new HashMap<>(Map.of("side", side, "optional", Optional.of("x")));
        side.put(TimeUnit.HOURS, copied);
        Holder holder = new Holder();
        holder.first = new Object[] {side, copied, side};
        holder.second = side;
        holder.third = new HashMap<>(Map.of(new Stable("key"), copied));

        Holder copy = sent(holder);

        Object[] array = (Object[]) copy.first;
        assertThat(array[0]).isSameAs(copy.second).isSameAs(array[2]);
        Map<?, ?> copiedMap = (Map<?, ?>) array[1];
        assertThat(copiedMap.get("side")).isSameAs(copy.second);
        assertThat(((Map<?, ?>) copy.second).get(TimeUnit.HOURS)).isSameAs(copiedMap);
        assertThat(((Map<?, ?>) copy.third).get(new Stable("key"))).isSameAs(copiedMap);
        assertThat(copiedMap.get("optional")).isEqualTo(Optional.of("x"));
    }

    /** A copied map that is itself a key, or an element, of something that asks for its hash code. */
    @Test
    void copiedMapsAreCompleteWhenSomethingAsksForTheirHashCodes() {
        Map<String, Object> key = new HashMap<>(Map.of("list", List.of(1, Optional.of("a")), "self", "b"));
        Holder holder = new Holder();
        holder.first = Set.of(key);
        holder.second = new HashMap<>(Map.of(key, "value"));
        holder.third = key;
        Holder copy = sent(holder);
        assertThat(((Set<?>) copy.first).contains(copy.third)).isTrue();
        assertThat(((Map<?, ?>) copy.second).get(copy.third)).isEqualTo("value");
    }

    // ---------------------------------------------------------------- size, limits, groups

    @Test
    void largeMapsSpanChunks() {
        for (Map<Integer, Object> map :
                List.<Map<Integer, Object>>of(new HashMap<>(), new LinkedHashMap<>(), new TreeMap<>())) {
            fill(map, 100_000, i -> i * 7);
            Map<Integer, Object> copy = sent(map);
            assertThat(copy.equals(map)).isTrue();
            assertThat(new ArrayList<>(copy.keySet()).equals(new ArrayList<>(map.keySet())))
                    .isTrue();
            assertThat(copy.put(-5, "new")).isNull();
            assertThat(copy).hasSize(100_001);
        }
        Set<String> set = new HashSet<>();
        for (int i = 0; i < 50_000; i++) {
            set.add("element " + i);
        }
        Object[] copy = sent(new Object[] {set, new int[50_000], set});
        assertThat(copy[0].equals(set)).isTrue();
        assertThat(copy[2]).isSameAs(copy[0]);
    }

    @Test
    void mapsInGroupsArrive() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        Map<String, Object> record = new LinkedHashMap<>();
        for (int i = 0; i < 2000; i++) {
            record.put("number", i);
            record.put("set", new HashSet<>(List.of(i, i + 1)));
            record.put("side", i % 7 == 0 ? Map.of(i, i) : new TreeMap<>(Map.of("k" + i, i)));
            writer.write(record);
        }
        GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
        for (int i = 0; i < 2000; i++) {
            Map<?, ?> copy = (Map<?, ?>) reader.next();
            assertThat(copy.get("number")).isEqualTo(i);
            assertThat(copy.get("set")).isEqualTo(Set.of(i, i + 1));
            assertThat(copy.get("side")).isEqualTo(i % 7 == 0 ? Map.of(i, i) : Map.of("k" + i, i));
        }
    }

    @Test
    void limitsHoldForInsides() {
        byte[] image = HEAPSPAN.encode(fill(new HashMap<>(), 1000, i -> i), Encoding.RAW);
        for (Heapspan limited : List.of(
                Heapspan.builder().maxObjects(900).build(),
                Heapspan.builder().maxArrayLength(1000).build())) {
            assertThatThrownBy(() -> limited.decodeTrusted(image, Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
        }
    }

    // ---------------------------------------------------------------- other threads

    /** What arrives is a map that works, with entries that the map once had, or the writer says that it changed too often. */
    @Test
    void mapsThatOthersChangeArriveWhole() throws Exception {
        long end = System.nanoTime() + 1_500_000_000L;
        for (Map<Integer, Object> map :
                List.<Map<Integer, Object>>of(new HashMap<>(), new LinkedHashMap<>(), new TreeMap<>())) {
            AtomicBoolean stop = new AtomicBoolean();
            Thread changer = new Thread(() -> {
                int step = 0;
                while (!stop.get()) {
                    for (int i = 0; i < 60; i++) {
                        map.put((step * 31 + i) % 300, "v");
                    }
                    for (int i = 0; i < 50; i++) {
                        map.remove((step * 17 + i) % 300);
                    }
                    if (++step % 64 == 0) {
                        map.clear();
                    }
                }
            });
            changer.start();
            try {
                long endHere = Math.min(end, System.nanoTime() + 500_000_000L);
                while (System.nanoTime() < endHere) {
                    byte[] image;
                    try {
                        image = HEAPSPAN.encode(map, Encoding.RAW);
                    } catch (HeapspanException changed) {
                        assertThat(changed.category()).isEqualTo(Category.USAGE);
                        continue;
                    }
                    @SuppressWarnings("unchecked")
                    Map<Integer, Object> copy = (Map<Integer, Object>) HEAPSPAN.decodeTrusted(image, Object.class);
                    int count = 0;
                    for (Map.Entry<Integer, Object> entry : new ArrayList<>(copy.entrySet())) {
                        assertThat(copy.get(entry.getKey())).isEqualTo("v");
                        count++;
                    }
                    assertThat(copy).hasSize(count);
                    for (Integer key : new ArrayList<>(copy.keySet())) {
                        assertThat(copy.remove(key)).isEqualTo("v");
                    }
                    assertThat(copy).isEmpty();
                }
            } finally {
                stop.set(true);
                changer.join();
            }
        }
    }

    // ---------------------------------------------------------------- what the copies rely on

    /** The same in every JVM: a JDK in which one of these fails must not have the class among the stable keys. */
    @Test
    void hashCodesOfStableKeysAreTheKnownOnes() {
        Map<Object, Integer> known = new LinkedHashMap<>();
        known.put("heapspan", -1103761610);
        known.put(true, 1231);
        known.put((byte) -7, -7);
        known.put((short) -700, -700);
        known.put('x', 120);
        known.put(123456789, 123456789);
        known.put(1234567890123L, 1912276436);
        known.put(1.5f, 1069547520);
        known.put(-2.25, -1073610752);
        known.put(new BigInteger("-123456789012345678901234567890"), -1915528825);
        known.put(new BigDecimal("12.3400"), 3825404);
        known.put(new BigDecimal("123456789012345678901234567890.12"), -1747325893);
        known.put(new UUID(0x123456789abcdefL, 0x7edcba9876543210L), Integer.MIN_VALUE);
        known.put(LocalDate.of(2021, 3, 4), 4139204);
        known.put(LocalTime.of(5, 6, 7, 8), 1719838396);
        known.put(LocalDateTime.of(2021, 3, 4, 5, 6, 7, 8), 1723698808);
        known.put(Instant.ofEpochSecond(12345678901L, 234), -539211051);
        known.put(Duration.ofSeconds(12345678901L, 234), -539211051);
        Map<Object, Integer> actual = new LinkedHashMap<>();
        known.forEach((key, code) -> {
            assertThat(MapInsides.isStableKey(key.getClass())).isTrue();
            actual.put(key, key.hashCode());
        });
        assertThat(actual).isEqualTo(known);
    }

    @Test
    void insidesOfThisJdkAreKnown() {
        assertThat(MapInsides.KNOWS_HASH).isTrue();
        assertThat(MapInsides.KNOWS_TREE).isTrue();
        assertThat(MapInsides.CROWDED_NODE).isNotNull();
        assertThat(MapInsides.HASH_SET_VALUE).isNotNull();
        assertThat(MapInsides.TREE_SET_VALUE).isNotNull();
    }

    /** What is no number of an object that each JVM has is named, whatever byte it is. */
    @Test
    void refusesUnknownObjectsOfEachJvm() {
        byte[] image = Heapspan.builder().checksum(false).build().encode(new HashSet<>(Set.of("a")), Encoding.RAW);
        // The value in the nodes of the set is the only constant, at the end: its tag, its number.
        assertThat(image[image.length - 2]).isEqualTo((byte) (61 << 1 | 1));
        for (int number : new int[] {3, 127, 128, 255}) {
            image[image.length - 1] = (byte) number;
            assertThatThrownBy(() -> HEAPSPAN.decodeTrusted(image, Object.class))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("object " + number + " of each JVM");
        }
    }
}
