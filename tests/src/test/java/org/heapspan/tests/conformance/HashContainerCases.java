package org.heapspan.tests.conformance;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Currency;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Containers placed by hash: lookups in the receiver with keys made fresh there must succeed. */
@SuppressWarnings({"unchecked", "serial", "EnumOrdinal", "JdkObsolete"})
final class HashContainerCases {

    private HashContainerCases() {}

    enum Color {
        RED,
        GREEN,
        BLUE,
        BLACK,
        WHITE,
        CYAN,
        PINK,
        GRAY
    }

    enum Operation {
        PLUS {
            @Override
            int apply(int a, int b) {
                return a + b;
            }
        },
        TIMES {
            @Override
            int apply(int a, int b) {
                return a * b;
            }
        };

        abstract int apply(int a, int b);
    }

    /** An ordinary class whose hash depends on an enum, so on this process. */
    static final class Tagged implements Serializable {
        final Color color;
        final int number;

        Tagged(Color color, int number) {
            this.color = color;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Tagged that && that.color == color && that.number == number;
        }

        @Override
        public int hashCode() {
            return Objects.hash(color, number);
        }
    }

    record Shade(Color color, int level) implements Serializable {}

    record StableKey(String name, long id, LocalDate day) implements Serializable {}

    /** No equals and no hashCode: found by identity only. */
    static final class Plain implements Serializable {
        final String label;

        Plain(String label) {
            this.label = label;
        }
    }

    interface Factory {
        Map<Object, Object> map();
    }

    static void addTo(CaseList cases) {
        stableKeys(cases);
        for (Object[] each : new Object[][] {
            {"hash-map", (Factory) HashMap::new},
            {"linked-hash-map", (Factory) LinkedHashMap::new},
            {"concurrent-hash-map", (Factory) ConcurrentHashMap::new},
            {"hashtable", (Factory) Hashtable::new},
            {"hash-map-subclass", (Factory) Registry::new},
            {"synchronized-map", (Factory) () -> Collections.synchronizedMap(new HashMap<>())},
            {"unmodifiable-map", (Factory) HashMap::new}
        }) {
            unstableKeys(cases, (String) each[0], (Factory) each[1]);
        }
        immutables(cases);
        sets(cases);
        identity(cases);
        enumContainers(cases);
        shapes(cases);
        substitutedKeys(cases);
    }

    /** A subclass of a hash container with state of its own. */
    static final class Registry extends HashMap<Object, Object> {
        String owner = "nobody";

        Registry() {}
    }

    private static void stableKeys(CaseList cases) {
        cases.row("raw table: maps and sets keyed by String, boxed, UUID, BigDecimal, LocalDate");
        Object[][] keyKinds = {
            {"string", (java.util.function.IntFunction<Object>) i -> "key-" + i},
            {"string-utf16", (java.util.function.IntFunction<Object>) i -> "ключ-" + i},
            {"integer", (java.util.function.IntFunction<Object>) i -> i * 1000},
            {"long", (java.util.function.IntFunction<Object>) i -> i * 10_000_000_000L},
            {"double", (java.util.function.IntFunction<Object>) i -> i / 3.0},
            {"character", (java.util.function.IntFunction<Object>) i -> (char) ('a' + i)},
            {"uuid", (java.util.function.IntFunction<Object>) i -> new UUID(i, ~i)},
            {"big-decimal", (java.util.function.IntFunction<Object>) i -> new BigDecimal("1." + (100 + i))},
            {"big-integer", (java.util.function.IntFunction<Object>) i -> BigInteger.TWO.pow(i * 3)},
            {
                "local-date",
                (java.util.function.IntFunction<Object>)
                        i -> LocalDate.of(2000, 1, 1).plusDays(i)
            },
            {"record", (java.util.function.IntFunction<Object>) i -> new StableKey("n" + i, i, LocalDate.EPOCH)},
            {"list-of-string", (java.util.function.IntFunction<Object>) i -> List.of("a" + i, "b")},
            {"null-and-boolean", (java.util.function.IntFunction<Object>) i -> i == 0 ? null : (Object) (i % 2 == 0)}
        };
        for (Object[] kind : keyKinds) {
            java.util.function.IntFunction<Object> key = (java.util.function.IntFunction<Object>) kind[1];
            int count = kind[0].equals("null-and-boolean") ? 3 : 20;
            cases.arrives(
                    "hash-map-of-" + kind[0],
                    () -> {
                        Map<Object, Object> map = new HashMap<>();
                        for (int i = 0; i < count; i++) {
                            map.put(key.apply(i), i);
                        }
                        return new Object[] {map, new HashSet<>(map.keySet())};
                    },
                    (Object[] received) -> {
                        Map<Object, Object> map = (Map<Object, Object>) received[0];
                        Check.equal(count, map.size(), "size");
                        for (int i = 0; i < count; i++) {
                            Check.that(map.containsKey(key.apply(i)), "containsKey of fresh " + key.apply(i));
                            Check.equal(i, map.get(key.apply(i)), "get of fresh " + key.apply(i));
                            Check.that(((Set<Object>) received[1]).contains(key.apply(i)), "set contains");
                        }
                        Check.canGrow(map, "absent", 1);
                        Check.canGrow((Set<Object>) received[1], "absent");
                    });
        }
    }

    private static void unstableKeys(CaseList cases, String container, Factory factory) {
        boolean readOnly = container.startsWith("unmodifiable");
        cases.row("rehash: HashMap/ConcurrentHashMap of enum or of objects containing an enum; HashMap<Class>");
        ConformanceCase.Build<Object[]> keys = () -> freshKeys();
        cases.arrives(
                container + "-unstable-keys",
                () -> {
                    Object[] fresh = keys.build();
                    List<Map<Object, Object>> maps = new ArrayList<>();
                    for (int kind = 0; kind < 4; kind++) {
                        Map<Object, Object> map = factory.map();
                        for (int i = kind * 8; i < kind * 8 + 8; i++) {
                            map.put(fresh[i], i);
                        }
                        maps.add(readOnly ? Collections.unmodifiableMap(map) : map);
                    }
                    return maps.toArray();
                },
                (Object[] received) -> {
                    Object[] fresh = keys.build();
                    for (int kind = 0; kind < 4; kind++) {
                        Object[] pairs = new Object[16];
                        for (int i = 0; i < 8; i++) {
                            pairs[2 * i] = fresh[kind * 8 + i];
                            pairs[2 * i + 1] = kind * 8 + i;
                        }
                        Map<Object, Object> map = (Map<Object, Object>) received[kind];
                        Check.finds(map, pairs);
                        if (!readOnly) {
                            Check.canGrow(map, "absent", 1);
                        }
                    }
                });
        cases.arrives(
                container + "-identity-hash-keys",
                () -> {
                    Map<Object, Object> map = factory.map();
                    Object[] held = new Object[9];
                    for (int i = 0; i < 8; i++) {
                        held[i] = new Plain("p" + i);
                        map.put(held[i], i);
                    }
                    held[8] = readOnly ? Collections.unmodifiableMap(map) : map;
                    return held;
                },
                (Object[] received) -> {
                    Map<Object, Object> map = (Map<Object, Object>) received[8];
                    Check.equal(8, map.size(), "size");
                    for (int i = 0; i < 8; i++) {
                        Check.equal(i, map.get(received[i]), "get by the identical key");
                        Check.equal("p" + i, ((Plain) received[i]).label, "label");
                    }
                    Check.that(!map.containsKey(new Plain("p1")), "another object is not a key");
                });
    }

    private static Object[] freshKeys() {
        Object[] keys = new Object[32];
        Class<?>[] classes = {
            String.class, int.class, Plain.class, int[].class, Plain[][].class, Color.class, Map.class, void.class
        };
        for (int i = 0; i < 8; i++) {
            keys[i] = Color.values()[i];
            keys[8 + i] = new Tagged(Color.values()[i], i);
            keys[16 + i] = new Shade(Color.values()[i], i);
            keys[24 + i] = classes[i];
        }
        return keys;
    }

    private static void immutables(CaseList cases) {
        cases.row("raw table: Set.of/Map.of with String keys");
        cases.arrives(
                "immutable-of-strings",
                () -> new Object[] {
                    Set.of("a"),
                    Set.of("a", "b"),
                    Set.of("a", "b", "c", "d"),
                    Map.of("k", 1),
                    Map.of("k", 1, "l", 2, "m", 3)
                },
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], "a");
                    Check.finds((Set<?>) received[1], "a", "b");
                    Check.finds((Set<?>) received[2], "a", "b", "c", "d");
                    Check.finds((Map<?, ?>) received[3], "k", 1);
                    Check.finds((Map<?, ?>) received[4], "k", 1, "l", 2, "m", 3);
                    Check.throwsA(
                            UnsupportedOperationException.class, () -> ((Set<Object>) received[2]).add("z"), "add");
                });
        cases.row("rehash: Set.of/Map.of of enum or of objects containing an enum");
        cases.arrives(
                "immutable-of-unstable-keys",
                () -> new Object[] {
                    Set.of(Color.values()),
                    Set.of(Color.RED),
                    Set.of(Color.RED, Color.BLUE),
                    Map.of(Color.RED, 1),
                    Map.of(Color.RED, 1, Color.GREEN, 2, Color.BLUE, 3),
                    Set.of(new Shade(Color.RED, 1), new Shade(Color.RED, 2), new Tagged(Color.PINK, 4)),
                    Map.of(String.class, "s", Color.class, "c", int.class, "i"),
                    Set.copyOf(List.of(Set.of(Color.RED), Set.of(Color.GREEN)))
                },
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], (Object[]) Color.values());
                    Check.finds((Set<?>) received[1], Color.RED);
                    Check.finds((Set<?>) received[2], Color.RED, Color.BLUE);
                    Check.finds((Map<?, ?>) received[3], Color.RED, 1);
                    Check.finds((Map<?, ?>) received[4], Color.RED, 1, Color.GREEN, 2, Color.BLUE, 3);
                    Check.finds(
                            (Set<?>) received[5],
                            new Shade(Color.RED, 1),
                            new Shade(Color.RED, 2),
                            new Tagged(Color.PINK, 4));
                    Check.finds((Map<?, ?>) received[6], String.class, "s", Color.class, "c", int.class, "i");
                    Check.finds((Set<?>) received[7], Set.of(Color.RED), Set.of(Color.GREEN));
                });
        cases.arrives(
                "immutable-large",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    for (int i = 0; i < 500; i++) {
                        map.put(new Shade(Color.values()[i % 8], i), i);
                    }
                    return Map.copyOf(map);
                },
                (Map<Object, Object> received) -> {
                    Check.equal(500, received.size(), "size");
                    for (int i = 0; i < 500; i++) {
                        Check.equal(i, received.get(new Shade(Color.values()[i % 8], i)), "get " + i);
                    }
                });
    }

    private static void sets(CaseList cases) {
        cases.row("rehash: sets");
        cases.arrives("hash-set-of-enum", () -> new HashSet<>(List.of(Color.values())), (HashSet<Object> received) -> {
            Check.finds(received, (Object[]) Color.values());
            Check.that(!received.add(Color.RED), "add of a present element");
            Check.canGrow(received, "absent");
        });
        cases.arrives(
                "hash-set-nested-in-keys",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    map.put(new HashSet<>(List.of(Color.RED, Color.BLUE)), "a");
                    map.put(new HashSet<>(List.of(new HashSet<>(List.of(Color.GREEN)))), "b");
                    map.put(new ArrayList<>(List.of(Color.RED, Set.of(Color.PINK))), "c");
                    map.put(EnumSet.of(Color.CYAN), "d");
                    map.put(new HashMap<>(Map.of(Color.GRAY, new HashSet<>(List.of(Color.WHITE)))), "e");
                    map.put(Optional.of(Color.RED).map(List::of).orElseThrow(), "f");
                    return map;
                },
                (Map<Object, Object> received) -> {
                    Check.finds(
                            received,
                            Set.of(Color.RED, Color.BLUE),
                            "a",
                            Set.of(Set.of(Color.GREEN)),
                            "b",
                            List.of(Color.RED, Set.of(Color.PINK)),
                            "c",
                            Set.of(Color.CYAN),
                            "d",
                            Map.of(Color.GRAY, Set.of(Color.WHITE)),
                            "e",
                            List.of(Color.RED),
                            "f");
                    for (Object key : received.keySet()) {
                        if (key instanceof Set<?> set) {
                            for (Object each : set) {
                                Check.that(set.contains(each), "inner set finds its own element " + each);
                            }
                        }
                    }
                });
        cases.arrives(
                "concurrent-key-set",
                () -> {
                    Set<Object> set = ConcurrentHashMap.newKeySet();
                    set.addAll(List.of(Color.RED, new Shade(Color.BLUE, 1), "s"));
                    return set;
                },
                (Set<Object> received) -> {
                    Check.finds(received, Color.RED, new Shade(Color.BLUE, 1), "s");
                    Check.canGrow(received, "absent");
                });
        cases.arrives(
                "hash-map-key-set-view-of-concurrent-map",
                () -> {
                    ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>(Map.of(Color.RED, 1));
                    return new Object[] {map, map.keySet(0)};
                },
                (Object[] received) -> {
                    Set<Object> view = (Set<Object>) received[1];
                    Check.finds(view, Color.RED);
                    ((Map<Object, Object>) received[0]).put(Color.BLUE, 2);
                    Check.finds(view, Color.RED, Color.BLUE);
                });
    }

    private static void identity(CaseList cases) {
        cases.row("raw table: IdentityHashMap, identity-hash keys");
        cases.arrives(
                "identity-hash-map",
                () -> {
                    IdentityHashMap<Object, Object> map = new IdentityHashMap<>();
                    Object[] keys = {new String("k"), new String("k"), new Plain("p"), Color.RED, String.class};
                    for (int i = 0; i < keys.length; i++) {
                        map.put(keys[i], i);
                    }
                    map.put(null, "null key");
                    return new Object[] {keys, map};
                },
                (Object[] received) -> {
                    Object[] keys = (Object[]) received[0];
                    IdentityHashMap<Object, Object> map = (IdentityHashMap<Object, Object>) received[1];
                    Check.equal(6, map.size(), "size");
                    Check.notSame(keys[0], keys[1], "two equal strings");
                    for (int i = 0; i < keys.length; i++) {
                        Check.equal(i, map.get(keys[i]), "get by identity of key " + i);
                    }
                    Check.equal("null key", map.get(null), "null key");
                    Check.equal(3, map.get(Color.RED), "enum constant of this process");
                    Check.equal(4, map.get(String.class), "class of this process");
                    Check.equal(null, map.get(new String("k")), "equal other string");
                    Check.canGrow(map, new Plain("q"), 1);
                });
        cases.arrives(
                "identity-hash-keys-large",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    Object[] held = new Object[2001];
                    for (int i = 0; i < 2000; i++) {
                        held[i] = new Plain("p" + i);
                        map.put(held[i], i);
                    }
                    held[2000] = map;
                    return held;
                },
                (Object[] received) -> {
                    Map<Object, Object> map = (Map<Object, Object>) received[2000];
                    for (int i = 0; i < 2000; i++) {
                        Check.equal(i, map.get(received[i]), "get " + i);
                    }
                });
        cases.arrives(
                "identity-hash-key-object",
                () -> {
                    SerializableLock lock = new SerializableLock();
                    return new Object[] {lock, new HashSet<>(List.of(lock))};
                },
                (Object[] received) -> Check.finds((Set<?>) received[1], received[0]));
    }

    static final class SerializableLock implements Serializable {}

    enum Wide {
        W0,
        W1,
        W2,
        W3,
        W4,
        W5,
        W6,
        W7,
        W8,
        W9,
        W10,
        W11,
        W12,
        W13,
        W14,
        W15,
        W16,
        W17,
        W18,
        W19,
        W20,
        W21,
        W22,
        W23,
        W24,
        W25,
        W26,
        W27,
        W28,
        W29,
        W30,
        W31,
        W32,
        W33,
        W34,
        W35,
        W36,
        W37,
        W38,
        W39,
        W40,
        W41,
        W42,
        W43,
        W44,
        W45,
        W46,
        W47,
        W48,
        W49,
        W50,
        W51,
        W52,
        W53,
        W54,
        W55,
        W56,
        W57,
        W58,
        W59,
        W60,
        W61,
        W62,
        W63,
        W64,
        W65,
        W66,
        W67
    }

    private static void enumContainers(CaseList cases) {
        cases.row("raw table: EnumMap, EnumSet");
        cases.arrives(
                "enum-map",
                () -> {
                    EnumMap<Color, Object> map = new EnumMap<>(Color.class);
                    map.put(Color.GREEN, "g");
                    map.put(Color.RED, null);
                    return map;
                },
                (EnumMap<Color, Object> received) -> {
                    Check.finds(received, Color.RED, null, Color.GREEN, "g");
                    Check.canGrow(received, Color.GRAY, 1);
                    Check.throwsA(
                            ClassCastException.class,
                            () -> ((Map<Object, Object>) (Map<?, ?>) received).put(Wide.W1, 1),
                            "put of another enum");
                });
        cases.arrives("enum-map-empty", () -> new EnumMap<>(Color.class), (EnumMap<Color, Object> received) -> {
            Check.that(received.isEmpty(), "empty");
            Check.canGrow(received, Color.GRAY, 1);
        });
        cases.arrives(
                "enum-sets",
                () -> new Object[] {
                    EnumSet.of(Color.RED, Color.GRAY),
                    EnumSet.noneOf(Color.class),
                    EnumSet.range(Wide.W60, Wide.W67),
                    EnumSet.allOf(Wide.class),
                    EnumSet.noneOf(Wide.class)
                },
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], Color.RED, Color.GRAY);
                    Check.canGrow((Set<Object>) received[1], Color.BLUE);
                    Check.inOrder(
                            (Set<?>) received[2],
                            Wide.W60,
                            Wide.W61,
                            Wide.W62,
                            Wide.W63,
                            Wide.W64,
                            Wide.W65,
                            Wide.W66,
                            Wide.W67);
                    Check.finds((Set<?>) received[3], (Object[]) Wide.values());
                    Check.canGrow((Set<Object>) received[4], Wide.W66);
                    Check.equal(
                            EnumSet.range(Wide.W0, Wide.W59),
                            EnumSet.complementOf((EnumSet<Wide>) received[2]),
                            "complement");
                });
        cases.arrives(
                "enum-set-of-constants-with-bodies",
                () -> new Object[] {EnumSet.allOf(Operation.class), new EnumMap<>(Map.of(Operation.TIMES, 2))},
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], Operation.PLUS, Operation.TIMES);
                    Check.finds((Map<?, ?>) received[1], Operation.TIMES, 2);
                });
    }

    /** All instances collide, and the order within a bucket's tree falls back to identity hashes. */
    static final class Colliding implements Serializable {
        final String name;

        Colliding(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Colliding that && that.name.equals(name);
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    private static void shapes(CaseList cases) {
        cases.row("rehash: shapes of hash tables");
        cases.arrives(
                "hash-map-tree-bins",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    Map<Object, Object> concurrent = new ConcurrentHashMap<>();
                    for (int i = 0; i < 200; i++) {
                        map.put(new Colliding("c" + i), i);
                        concurrent.put(new Colliding("c" + i), i);
                        map.put("AaAa" + (i % 2 == 0 ? "Aa" : "BB") + i, i);
                    }
                    return new Object[] {map, concurrent};
                },
                (Object[] received) -> {
                    for (Object each : received) {
                        Map<Object, Object> map = (Map<Object, Object>) each;
                        for (int i = 0; i < 200; i++) {
                            Check.equal(i, map.get(new Colliding("c" + i)), "colliding key " + i);
                        }
                        for (int i = 0; i < 200; i++) {
                            Check.equal(i, map.remove(new Colliding("c" + i)), "removal from a tree bin");
                        }
                    }
                });
        cases.arrives(
                "hash-map-chains-and-tree-bins-of-strings",
                () -> {
                    Map<Object, Object> chains = new LinkedHashMap<>();
                    Map<Object, Object> trees = new HashMap<>(128);
                    for (int i = 0; i < 100; i++) {
                        StringBuilder key = new StringBuilder();
                        for (int bit = 0; bit < 7; bit++) {
                            key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
                        }
                        if (i < 6) {
                            chains.put(key.toString(), i);
                        }
                        trees.put(key.toString(), i);
                    }
                    return new Object[] {chains, trees};
                },
                (Object[] received) -> {
                    for (Object each : received) {
                        Map<Object, Object> map = (Map<Object, Object>) each;
                        Check.equal(0, map.get("AaAaAaAaAaAaAa"), "first key");
                        Check.equal(5, map.get("BBAaBBAaAaAaAa"), "sixth key");
                        for (Object key : new ArrayList<>(map.keySet())) {
                            Check.that(map.remove(key) != null, "removal of " + key);
                        }
                        Check.canGrow(map, "absent", 1);
                    }
                });
        cases.arrives(
                "sets-of-cached-boxes",
                () -> new Object[] {
                    new HashSet<Object>(List.of(1, 2L, 'c', true)),
                    new java.util.LinkedHashSet<Object>(List.of(3, 1, 2)),
                    new java.util.TreeSet<Object>(List.of(3, 1, 2)),
                    new java.util.TreeSet<Object>(),
                    new HashMap<Object, Object>(Map.of(7, 8))
                },
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], 1, 2L, 'c', true);
                    Check.equal(List.of(3, 1, 2), new ArrayList<>((Set<Object>) received[1]), "order");
                    Check.equal(List.of(1, 2, 3), new ArrayList<>((Set<Object>) received[2]), "order");
                    for (int i = 0; i < 4; i++) {
                        Set<Object> set = (Set<Object>) received[i];
                        for (Object element : new ArrayList<>(set)) {
                            Check.that(!set.add(element), "add of a present element");
                            Check.that(set.remove(element), "removal of a present element");
                        }
                        Check.that(set.add(5) && !set.add(5) && set.remove(5), "use after arrival");
                    }
                    Map<Object, Object> map = (Map<Object, Object>) received[4];
                    Check.that(map.keySet().iterator().next() == (Object) 7, "the key is the reader's");
                });
        cases.arrives(
                "hash-map-capacity-and-load-factor",
                () -> {
                    Map<Object, Object> sparse = new HashMap<>(100_000);
                    sparse.put(Color.RED, 1);
                    Map<Object, Object> dense = new HashMap<>(4, 8f);
                    for (int i = 0; i < 50; i++) {
                        dense.put("k" + i, i);
                    }
                    Map<Object, Object> emptied = new HashMap<>();
                    for (int i = 0; i < 100; i++) {
                        emptied.put(i, i);
                    }
                    emptied.clear();
                    return new Object[] {
                        sparse, dense, emptied, new HashMap<>(), new ConcurrentHashMap<>(), new HashSet<>()
                    };
                },
                (Object[] received) -> {
                    Check.finds((Map<?, ?>) received[0], Color.RED, 1);
                    Map<Object, Object> dense = (Map<Object, Object>) received[1];
                    for (int i = 0; i < 50; i++) {
                        Check.equal(i, dense.get("k" + i), "dense");
                    }
                    for (int i = 0; i < 5; i++) {
                        Map<Object, Object> map = (Map<Object, Object>) received[i];
                        int size = map.size();
                        for (int k = 0; k < 1000; k++) {
                            map.put("new" + k, k);
                        }
                        Check.equal(size + 1000, map.size(), "size after growth");
                        Check.equal(999, map.get("new999"), "get after growth");
                    }
                    Check.canGrow((Set<Object>) received[5], "e");
                });
        cases.arrives(
                "hash-map-null-key-and-values",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    map.put(null, Color.RED);
                    map.put(Color.BLUE, null);
                    return map;
                },
                (Map<Object, Object> received) -> {
                    Check.same(Color.RED, received.get(null), "null key");
                    Check.that(received.containsKey(Color.BLUE), "containsKey");
                    Check.same(null, received.get(Color.BLUE), "null value");
                });
        cases.arrives(
                "hash-map-shared-by-two-owners",
                () -> {
                    Map<Object, Object> map = new HashMap<>(Map.of(Color.RED, 1));
                    return new Object[] {map, map, List.of(map)};
                },
                (Object[] received) -> {
                    Check.same(received[0], received[1], "map");
                    Check.same(received[0], ((List<?>) received[2]).get(0), "map in a list");
                    Check.finds((Map<?, ?>) received[0], Color.RED, 1);
                });
        cases.arrives(
                "hash-map-subclass-with-field",
                () -> {
                    Registry registry = new Registry();
                    registry.owner = "me";
                    registry.put(Color.RED, registry.owner);
                    return registry;
                },
                (Registry received) -> {
                    Check.equal("me", received.owner, "field of the subclass");
                    Check.finds(received, Color.RED, "me");
                    Check.same(received.owner, received.get(Color.RED), "sharing of field and value");
                });
        cases.arrives(
                "hash-map-keys-are-shared-objects",
                () -> {
                    Tagged key = new Tagged(Color.RED, 1);
                    return new Object[] {key, new HashMap<>(Map.of(key, "v")), new HashSet<>(List.of(key))};
                },
                (Object[] received) -> {
                    Check.same(
                            received[0],
                            ((Map<?, ?>) received[1]).keySet().iterator().next(),
                            "key of the map is the object");
                    Check.same(
                            received[0], ((Set<?>) received[2]).iterator().next(), "element of the set is the object");
                });
    }

    private static void substitutedKeys(CaseList cases) {
        cases.row("rehash: keys that are substituted");
        cases.arrives(
                "hash-map-of-substituted-keys",
                () -> new HashMap<>(substitutedKeysAndValues()),
                (Map<Object, Object> received) -> {
                    Map<Object, Object> fresh = substitutedKeysAndValues();
                    Check.equal(fresh.size(), received.size(), "size");
                    fresh.forEach((key, value) -> Check.equal(value, received.get(key), "get of " + key));
                });
        cases.arrives(
                "hash-map-keyed-by-jdk-enums",
                () -> new HashMap<>(
                        Map.of(TimeUnit.DAYS, 1, Thread.State.NEW, 2, DayOfWeek.MONDAY, 3, Operation.PLUS, 4)),
                (Map<Object, Object> received) -> Check.finds(
                        received, TimeUnit.DAYS, 1, Thread.State.NEW, 2, DayOfWeek.MONDAY, 3, Operation.PLUS, 4));
    }

    private static Map<Object, Object> substitutedKeysAndValues() {
        Map<Object, Object> map = new HashMap<>();
        map.put(Locale.GERMANY, "locale");
        map.put(Locale.forLanguageTag("sr-Latn-RS"), "script");
        map.put(Currency.getInstance("EUR"), "currency");
        map.put(ZoneId.of("Europe/Paris"), "zone");
        map.put(java.net.URI.create("http://localhost/a?b#c"), "uri");
        map.put(new java.io.File("a/b"), "file");
        map.put(Charset.class, "class");
        map.put(StandardCharsets.UTF_16BE.name(), "charset name");
        return map;
    }
}
