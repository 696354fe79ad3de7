package org.heapspan.tests.conformance;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;

/** Lists, queues, sorted and wrapped collections. */
@SuppressWarnings({"unchecked", "serial", "IdentityHashMapUsage", "JdkObsolete"})
final class CollectionCases {

    private CollectionCases() {}

    static void addTo(CaseList cases) {
        lists(cases);
        queues(cases);
        sorted(cases);
        wrappers(cases);
        views(cases);
        linked(cases);
    }

    private static void lists(CaseList cases) {
        cases.row("raw: ArrayList, ArrayDeque; lists");
        cases.arrives(
                "list-array-list", () -> new ArrayList<>(Arrays.asList("a", null, 3, 4L)), (List<Object> received) -> {
                    Check.isExactly(ArrayList.class, received);
                    Check.inOrder(received, "a", null, 3, 4L);
                    Check.canGrow(received, "new");
                });
        cases.arrives("list-array-list-empty", ArrayList::new, (List<Object> received) -> {
            Check.that(received.isEmpty(), "empty");
            Check.canGrow(received, "first");
        });
        cases.arrives(
                "list-array-list-spare-capacity",
                () -> {
                    List<Object> list = new ArrayList<>(10_000);
                    list.add(1);
                    return list;
                },
                (List<Object> received) -> {
                    Check.inOrder(received, 1);
                    Check.canGrow(received, 2);
                });
        cases.arrives(
                "list-containing-itself",
                () -> {
                    List<Object> list = new ArrayList<>();
                    list.add(list);
                    list.add("x");
                    return list;
                },
                (List<Object> received) -> Check.same(received, received.get(0), "element 0"));
        cases.arrives("list-linked-list", () -> new LinkedList<>(List.of(1, 2, 3)), (LinkedList<Object> received) -> {
            Check.inOrder(received, 1, 2, 3);
            received.removeLast();
            received.addFirst(0);
            Check.inOrder(received, 0, 1, 2);
        });
        cases.arrives(
                "list-vector-stack",
                () -> {
                    Stack<Integer> stack = new Stack<>();
                    stack.push(1);
                    stack.push(2);
                    return new Object[] {new Vector<>(List.of("a", "b")), stack};
                },
                (Object[] received) -> {
                    Check.inOrder((Vector<Object>) received[0], "a", "b");
                    Check.equal(2, ((Stack<Object>) received[1]).pop(), "pop");
                });
        cases.arrives(
                "list-copy-on-write",
                () -> new Object[] {new CopyOnWriteArrayList<>(List.of(1, 2)), new CopyOnWriteArraySet<>(List.of("s"))},
                (Object[] received) -> {
                    List<Object> list = (List<Object>) received[0];
                    Check.inOrder(list, 1, 2);
                    Check.canGrow(list, 3);
                    Check.canGrow((Set<Object>) received[1], "t");
                });
        cases.arrives(
                "list-immutable",
                () -> new Object[] {
                    List.of(), List.of(1), List.of(1, 2), List.of(1, 2, 3, 4, 5), List.copyOf(List.of("x", "y"))
                },
                (Object[] received) -> {
                    Check.inOrder((List<?>) received[0]);
                    Check.inOrder((List<?>) received[1], 1);
                    Check.inOrder((List<?>) received[2], 1, 2);
                    Check.inOrder((List<?>) received[3], 1, 2, 3, 4, 5);
                    for (Object list : received) {
                        Check.throwsA(UnsupportedOperationException.class, () -> ((List<Object>) list).add(9), "add");
                        Check.throwsA(
                                NullPointerException.class,
                                () -> Check.that(((List<Object>) list).contains(null), "contains(null)"),
                                "null");
                    }
                });
        cases.arrives(
                "list-immutable-holding-null",
                () -> java.util.stream.Stream.of("a", null).toList(),
                (List<Object> received) -> {
                    Check.inOrder(received, "a", null);
                    Check.that(received.contains(null), "contains(null)");
                    Check.throwsA(UnsupportedOperationException.class, () -> received.add("b"), "add");
                });
        cases.arrives(
                "list-arrays-as-list",
                () -> {
                    String[] backing = {"a", "b"};
                    return new Object[] {backing, Arrays.asList(backing)};
                },
                (Object[] received) -> {
                    List<Object> list = (List<Object>) received[1];
                    ((String[]) received[0])[0] = "changed";
                    Check.equal("changed", list.get(0), "list still writes through to its array");
                    Check.throwsA(UnsupportedOperationException.class, () -> list.add("c"), "add");
                    Check.throwsA(ArrayStoreException.class, () -> list.set(0, 1), "store of a wrong type");
                });
    }

    private static void queues(CaseList cases) {
        cases.row("raw table: ArrayDeque; queues");
        cases.arrives(
                "queue-array-deque-wrapped-around",
                () -> {
                    ArrayDeque<Integer> deque = new ArrayDeque<>(8);
                    for (int i = 0; i < 12; i++) {
                        deque.addLast(i);
                        if (i < 5) {
                            deque.removeFirst();
                        }
                    }
                    deque.addFirst(100);
                    return deque;
                },
                (ArrayDeque<Object> received) -> {
                    Check.inOrder(received, 100, 5, 6, 7, 8, 9, 10, 11);
                    for (int i = 0; i < 50; i++) {
                        received.addFirst(-i);
                    }
                    Check.equal(11, received.pollLast(), "pollLast");
                });
        cases.arrives(
                "queue-priority-natural",
                () -> new PriorityQueue<>(List.of(5, 1, 4, 2, 3)),
                (PriorityQueue<Object> received) -> drains(received, 1, 2, 3, 4, 5));
        cases.arrives(
                "queue-priority-comparator",
                () -> {
                    PriorityQueue<Integer> queue = new PriorityQueue<>(Comparator.reverseOrder());
                    queue.addAll(List.of(5, 1, 4));
                    return queue;
                },
                (PriorityQueue<Object> received) -> {
                    received.add(3);
                    drains(received, 5, 4, 3, 1);
                });
        cases.arrives(
                "queue-priority-lambda-comparator",
                () -> {
                    PriorityQueue<String> queue =
                            new PriorityQueue<>((Comparator<String> & Serializable) (a, b) -> a.length() - b.length());
                    queue.addAll(List.of("three", "a", "bb"));
                    return queue;
                },
                (PriorityQueue<Object> received) -> drains(received, "a", "bb", "three"));
        cases.arrives(
                "queue-blocking",
                () -> {
                    List<Queue<Integer>> queues = List.of(
                            new LinkedBlockingQueue<>(10),
                            new ArrayBlockingQueue<>(10),
                            new LinkedBlockingDeque<>(10),
                            new ConcurrentLinkedQueue<>(),
                            new ConcurrentLinkedDeque<>(),
                            new LinkedTransferQueue<>(),
                            new PriorityBlockingQueue<>());
                    queues.forEach(queue -> queue.addAll(List.of(1, 2, 3)));
                    return queues.toArray();
                },
                (Object[] received) -> {
                    Check.equal(7, received.length, "queues");
                    for (Object each : received) {
                        Queue<Object> queue = (Queue<Object>) each;
                        queue.add(4);
                        drains(queue, 1, 2, 3, 4);
                    }
                });
    }

    private static void drains(Queue<Object> queue, Object... expected) {
        for (Object each : expected) {
            Check.equal(each, queue.poll(), "poll");
        }
        Check.equal(null, queue.poll(), "poll when drained");
    }

    enum Suit {
        CLUBS,
        DIAMONDS,
        HEARTS,
        SPADES
    }

    private static void sorted(CaseList cases) {
        cases.row("raw: TreeMap with natural or raw comparator");
        cases.arrives(
                "tree-map-natural",
                () -> new TreeMap<>(Map.of("b", 2, "a", 1, "c", 3)),
                (TreeMap<String, Object> received) -> {
                    Check.inOrder(received.keySet(), "a", "b", "c");
                    Check.finds(received, "a", 1, "b", 2, "c", 3);
                    Check.equal("b", received.floorKey("bb"), "floorKey");
                    Check.canGrow(received, "bb", 9);
                });
        cases.arrives(
                "tree-map-1000",
                () -> {
                    TreeMap<Integer, String> map = new TreeMap<>();
                    for (int i = 0; i < 1000; i++) {
                        map.put(i * 7919 % 1000, "v" + i);
                    }
                    map.keySet().removeIf(key -> key % 3 == 0);
                    return map;
                },
                (TreeMap<Integer, Object> received) -> {
                    Check.equal(666, received.size(), "size");
                    int previous = -1;
                    for (Integer key : received.keySet()) {
                        Check.that(key > previous, "order");
                        previous = key;
                    }
                    for (int i = 0; i < 1000; i++) {
                        Check.equal(i % 3 != 0, received.containsKey(i), "containsKey " + i);
                        received.put(i, "n");
                    }
                    Check.equal(1000, received.size(), "size after puts");
                });
        cases.row("raw table: EnumMap, EnumSet, TreeMap<enum>");
        cases.arrives(
                "tree-map-enum",
                () -> new TreeMap<>(Map.of(Suit.SPADES, 1, Suit.CLUBS, 2)),
                (TreeMap<Object, Object> received) -> {
                    Check.same(Suit.CLUBS, received.firstKey(), "first");
                    Check.finds(received, Suit.SPADES, 1, Suit.CLUBS, 2);
                });
        cases.row("raw: TreeMap with comparator");
        cases.arrives(
                        "tree-map-case-insensitive",
                        () -> {
                            TreeMap<String, Integer> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                            map.put("Beta", 2);
                            map.put("alpha", 1);
                            return map;
                        },
                        (TreeMap<String, Object> received) -> {
                            Check.same(String.CASE_INSENSITIVE_ORDER, received.comparator(), "comparator");
                            Check.finds(received, "BETA", 2, "ALPHA", 1);
                        })
                .note("entrySet().contains on a case-insensitive map uses the comparator");
        cases.arrives(
                "tree-map-reverse-order",
                () -> {
                    TreeMap<Integer, String> map = new TreeMap<>(Comparator.reverseOrder());
                    map.put(1, "a");
                    map.put(2, "b");
                    return map;
                },
                (TreeMap<Integer, Object> received) -> {
                    Check.same(Collections.reverseOrder(), received.comparator(), "comparator");
                    Check.inOrder(received.keySet(), 2, 1);
                });
        cases.arrives(
                "tree-map-natural-order-comparator",
                () -> {
                    TreeMap<Integer, String> map = new TreeMap<>(Comparator.naturalOrder());
                    map.put(1, "a");
                    return map;
                },
                (TreeMap<Integer, Object> received) ->
                        Check.same(Comparator.naturalOrder(), received.comparator(), "comparator"));
        cases.arrives(
                "tree-set-lambda-comparator",
                () -> {
                    TreeSet<String> set = new TreeSet<>(
                            (Comparator<String> & Serializable) (a, b) -> Integer.compare(a.length(), b.length()));
                    set.addAll(List.of("ccc", "a", "bb", "dd"));
                    return set;
                },
                (TreeSet<String> received) -> {
                    Check.equal(3, received.size(), "size by length");
                    Check.that(received.contains("zz"), "comparator by length");
                    Check.that(received.add("four"), "add");
                    Check.equal("four", received.last(), "last");
                });
        cases.arrives(
                "tree-set-comparing-chain",
                () -> {
                    Comparator<Person> order = Comparator.comparing(
                                    (java.util.function.Function<Person, String> & Serializable) Person::lastName)
                            .thenComparing((java.util.function.Function<Person, Integer> & Serializable) Person::age);
                    TreeSet<Person> set = new TreeSet<>(order.reversed());
                    set.add(new Person("Abel", 3));
                    set.add(new Person("Zoe", 1));
                    return set;
                },
                (TreeSet<Person> received) -> {
                    Check.equal("Zoe", received.first().lastName(), "first");
                    Check.that(received.contains(new Person("Abel", 3)), "contains");
                });
        cases.arrives(
                "tree-map-user-comparator",
                () -> {
                    TreeMap<String, Integer> map = new TreeMap<>(new ByLastCharacter(1));
                    map.put("az", 1);
                    map.put("ba", 2);
                    return map;
                },
                (TreeMap<String, Object> received) -> {
                    Check.inOrder(received.keySet(), "ba", "az");
                    Check.equal(1, received.get("?z"), "lookup through the comparator");
                });
        cases.arrives(
                "skip-lists",
                () -> new Object[] {
                    new ConcurrentSkipListMap<>(Map.of(3, "c", 1, "a", 2, "b")),
                    new ConcurrentSkipListSet<>(List.of("y", "x"))
                },
                (Object[] received) -> {
                    NavigableMap<Integer, Object> map = (NavigableMap<Integer, Object>) received[0];
                    Check.inOrder(map.keySet(), 1, 2, 3);
                    Check.finds(map, 1, "a", 2, "b", 3, "c");
                    Check.canGrow(map, 10, "z");
                    Check.inOrder((Set<?>) received[1], "x", "y");
                });
    }

    record Person(String lastName, int age) implements Serializable {}

    static final class ByLastCharacter implements Comparator<String>, Serializable {
        private final int sign;

        ByLastCharacter(int sign) {
            this.sign = sign;
        }

        @Override
        public int compare(String a, String b) {
            return sign * Character.compare(a.charAt(a.length() - 1), b.charAt(b.length() - 1));
        }
    }

    private static void wrappers(CaseList cases) {
        cases.row("substitute: empty singletons");
        cases.arrives(
                        "empty-collections-singletons",
                        () -> new Object[] {
                            Collections.emptyList(),
                            Collections.emptySet(),
                            Collections.emptyMap(),
                            Optional.empty(),
                            Collections.EMPTY_LIST
                        },
                        (Object[] received) -> {
                            Check.same(Collections.emptyList(), received[0], "emptyList");
                            Check.same(Collections.emptySet(), received[1], "emptySet");
                            Check.same(Collections.emptyMap(), received[2], "emptyMap");
                            Check.same(Optional.empty(), received[3], "Optional.empty");
                            Check.same(Collections.emptyList(), received[4], "EMPTY_LIST");
                        })
                .note("Optional is not Serializable: Java serialization refuses it");
        cases.arrives(
                "empty-immutable-singletons",
                () -> new Object[] {List.of(), Set.of(), Map.of()},
                (Object[] received) -> {
                    Check.same(List.of(), received[0], "List.of()");
                    Check.same(Set.of(), received[1], "Set.of()");
                    Check.same(Map.of(), received[2], "Map.of()");
                });
        cases.arrives(
                        "optional-values",
                        () -> new Object[] {
                            Optional.of("x"), OptionalInt.of(3), OptionalInt.empty(), OptionalLong.empty()
                        },
                        (Object[] received) -> {
                            Check.equal(Optional.of("x"), received[0], "Optional");
                            Check.equal(OptionalInt.of(3), received[1], "OptionalInt");
                            Check.same(OptionalInt.empty(), received[2], "OptionalInt.empty");
                            Check.same(OptionalLong.empty(), received[3], "OptionalLong.empty");
                        })
                .note("Optional is not Serializable: Java serialization refuses it");
        cases.arrives(
                "empty-sorted-wrappers",
                () -> new Object[] {Collections.emptySortedMap(), Collections.emptyNavigableSet()},
                (Object[] received) -> {
                    Check.that(((Map<?, ?>) received[0]).isEmpty(), "map");
                    Check.that(((Set<?>) received[1]).isEmpty(), "set");
                });
        cases.row("raw: Collections wrappers");
        cases.arrives(
                "collections-unmodifiable",
                () -> {
                    List<Object> list = new ArrayList<>(List.of("a"));
                    return new Object[] {
                        list,
                        Collections.unmodifiableList(list),
                        Collections.unmodifiableMap(new TreeMap<>(Map.of("k", 1))),
                        Collections.unmodifiableSet(new LinkedHashSet<>(List.of(3, 1, 2))),
                        Collections.unmodifiableCollection(new ArrayDeque<>(List.of(1))),
                        Collections.unmodifiableSortedMap(new TreeMap<>(Map.of("k", 1))),
                        Collections.unmodifiableList(new LinkedList<>(List.of(5)))
                    };
                },
                (Object[] received) -> {
                    List<Object> list = (List<Object>) received[0];
                    List<Object> view = (List<Object>) received[1];
                    list.add("b");
                    Check.inOrder(view, "a", "b");
                    Check.throwsA(UnsupportedOperationException.class, () -> view.add("c"), "add");
                    Check.finds((Map<?, ?>) received[2], "k", 1);
                    Check.inOrder((Set<?>) received[3], 3, 1, 2);
                    Check.equal("k", ((SortedMap<?, ?>) received[5]).firstKey(), "firstKey");
                    Check.equal(view.hashCode(), List.of("a", "b").hashCode(), "hash of the view");
                });
        cases.arrives(
                "collections-synchronized",
                () -> {
                    List<Object> list = new ArrayList<>(List.of(1));
                    return new Object[] {
                        list,
                        Collections.synchronizedList(list),
                        Collections.synchronizedMap(new java.util.HashMap<>(Map.of("k", "v"))),
                        Collections.synchronizedSet(new HashSet<>(List.of(Suit.HEARTS)))
                    };
                },
                (Object[] received) -> {
                    List<Object> view = (List<Object>) received[1];
                    view.add(2);
                    Check.inOrder((List<Object>) received[0], 1, 2);
                    Check.canGrow((Map<Object, Object>) received[2], "n", "w");
                    Check.finds((Set<?>) received[3], Suit.HEARTS);
                });
        cases.arrives(
                "collections-singleton-ncopies",
                () -> new Object[] {
                    Collections.singleton(Suit.SPADES),
                    Collections.singletonList("a"),
                    Collections.singletonMap(Suit.CLUBS, 1),
                    Collections.nCopies(1000, "n")
                },
                (Object[] received) -> {
                    Check.finds((Set<?>) received[0], Suit.SPADES);
                    Check.inOrder((List<?>) received[1], "a");
                    Check.finds((Map<?, ?>) received[2], Suit.CLUBS, 1);
                    Check.equal(Collections.nCopies(1000, "n"), received[3], "nCopies");
                    Check.throwsA(UnsupportedOperationException.class, () -> ((Set<Object>) received[0]).add(1), "add");
                });
        cases.arrives(
                "collections-checked-lifo",
                () -> {
                    Queue<Integer> lifo = Collections.asLifoQueue(new ArrayDeque<>());
                    lifo.add(1);
                    lifo.add(2);
                    List<String> checked = Collections.checkedList(new ArrayList<>(), String.class);
                    checked.add("s");
                    return new Object[] {checked, lifo};
                },
                (Object[] received) -> {
                    List<Object> checked = (List<Object>) received[0];
                    Check.throwsA(ClassCastException.class, () -> checked.add(1), "add of a wrong type");
                    Check.equal(2, ((Queue<Object>) received[1]).poll(), "last in, first out");
                });
        cases.arrives(
                "collections-set-from-identity-map",
                () -> {
                    Set<Object> set = Collections.newSetFromMap(new IdentityHashMap<>());
                    Object[] elements = {new String("same"), new String("same"), new Person("P", 1)};
                    set.addAll(Arrays.asList(elements));
                    return new Object[] {elements, set};
                },
                (Object[] received) -> {
                    Set<Object> set = (Set<Object>) received[1];
                    Check.equal(3, set.size(), "size");
                    for (Object each : (Object[]) received[0]) {
                        Check.that(set.contains(each), "identity lookup");
                    }
                    Check.that(!set.contains(new String("same")), "an equal other object is not contained");
                });
        cases.arrives(
                "collections-reverse-order-of-comparator",
                () -> Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER),
                (Comparator<String> received) -> Check.that(received.compare("A", "b") > 0, "order"));
        cases.arrivesOrRefusedByPeers(
                        "map-entries",
                        () -> new Object[] {
                            Map.entry("k", 1),
                            new java.util.AbstractMap.SimpleEntry<>(Suit.CLUBS, 1),
                            new java.util.AbstractMap.SimpleImmutableEntry<>("i", null)
                        },
                        (Object[] received) -> {
                            Check.equal(Map.entry("k", 1), received[0], "Map.entry");
                            Check.equal(Map.entry(Suit.CLUBS, 1), received[1], "SimpleEntry");
                            Check.equal("i", ((Map.Entry<?, ?>) received[2]).getKey(), "SimpleImmutableEntry");
                        })
                .needsRawMemory()
                .note("Map.entry is not Serializable: Java serialization refuses it");
    }

    private static void views(CaseList cases) {
        cases.row("views travel with the collection behind them");
        cases.arrives(
                "view-tree-map-sub-map",
                () -> new TreeMap<>(Map.of("a", 1, "b", 2, "c", 3, "d", 4)).subMap("b", true, "c", true),
                (NavigableMap<String, Integer> received) -> {
                    Check.inOrder(received.keySet(), "b", "c");
                    Check.throwsA(IllegalArgumentException.class, () -> received.put("z", 1), "put out of range");
                });
        cases.arrives(
                "view-tree-map-descending",
                () -> new TreeMap<>(Map.of("a", 1, "b", 2)).descendingMap(),
                (NavigableMap<String, Integer> received) -> Check.inOrder(received.keySet(), "b", "a"));
        cases.arrives(
                "view-tree-set-head",
                () -> new TreeSet<>(List.of(1, 2, 3, 4)).headSet(3),
                (Set<Integer> received) -> Check.inOrder(received, 1, 2));
        cases.arrivesOrRefusedByPeers(
                        "view-array-list-sub-list",
                        () -> {
                            List<Integer> list = new ArrayList<>(List.of(0, 1, 2, 3, 4));
                            return new Object[] {list, list.subList(1, 4)};
                        },
                        (Object[] received) -> {
                            List<Object> view = (List<Object>) received[1];
                            Check.inOrder(view, 1, 2, 3);
                            view.set(0, 99);
                            Check.equal(99, ((List<?>) received[0]).get(1), "view writes through");
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-immutable-sub-list",
                        () -> List.of(0, 1, 2, 3).subList(1, 3),
                        (List<Object> received) -> Check.inOrder(received, 1, 2))
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-hash-map-views",
                        () -> {
                            Map<String, Integer> map = new java.util.HashMap<>(Map.of("a", 1));
                            return new Object[] {map, map.keySet(), map.values(), map.entrySet()};
                        },
                        (Object[] received) -> {
                            Check.finds((Set<?>) received[1], "a");
                            ((Map<Object, Object>) received[0]).put("b", 2);
                            Check.equal(2, ((Set<?>) received[1]).size(), "keySet follows its map");
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-before-its-collection",
                        () -> {
                            Map<String, Integer> map = new LinkedHashMap<>(Map.of("a", 1));
                            List<Integer> list = new LinkedList<>(List.of(0, 1, 2, 3));
                            return new Object[] {map.keySet(), map, list.subList(1, 3), list};
                        },
                        (Object[] received) -> {
                            Check.that(((Map<?, ?>) received[1]).keySet() == received[0], "keySet of the received map");
                            ((List<?>) received[2]).clear();
                            Check.inOrder((List<?>) received[3], 0, 3);
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-of-itself-in-a-map",
                        () -> {
                            Map<Object, Object> map = new java.util.HashMap<>();
                            map.put("keys", map.keySet());
                            return map.keySet();
                        },
                        (Set<Object> received) -> {
                            Check.inOrder(received, "keys");
                            received.clear();
                            Check.equal(0, received.size(), "size after clear");
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-hashtable-key-set",
                        () -> {
                            java.util.Hashtable<Object, Object> table = new java.util.Hashtable<>(Map.of("a", 1));
                            return new Object[] {table.keySet(), table};
                        },
                        (Object[] received) -> {
                            ((Map<Object, Object>) received[1]).put("b", 2);
                            Check.finds((Set<?>) received[0], "a", "b");
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "iterators-of-arrays",
                        () -> {
                            java.util.Iterator<Integer> ofArray =
                                    Arrays.asList(1, 2, 3).iterator();
                            ofArray.next();
                            java.util.Iterator<Integer> immutable =
                                    List.of(1, 2, 3).iterator();
                            immutable.next();
                            java.util.Iterator<Integer> snapshot =
                                    new CopyOnWriteArrayList<>(List.of(1, 2, 3)).iterator();
                            snapshot.next();
                            return new Object[] {ofArray, immutable, snapshot};
                        },
                        (Object[] received) -> {
                            for (Object each : received) {
                                java.util.Iterator<?> iterator = (java.util.Iterator<?>) each;
                                Check.equal(2, iterator.next(), "second element of " + each);
                                Check.equal(3, iterator.next(), "third element of " + each);
                                Check.that(!iterator.hasNext(), "no fourth element of " + each);
                            }
                        })
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "view-iterator",
                        () -> {
                            java.util.Iterator<Integer> iterator = new ArrayList<>(List.of(1, 2, 3)).iterator();
                            iterator.next();
                            return iterator;
                        },
                        (java.util.Iterator<Object> received) -> Check.equal(2, received.next(), "next"))
                .needsRawMemory();
        cases.refusedBySenderUnlessPeer(
                        "view-weak-hash-map",
                        () -> {
                            Object[] keys = {new Person("K", 1)};
                            Map<Object, Object> map = new java.util.WeakHashMap<>();
                            map.put(keys[0], "v");
                            return new Object[] {keys, map};
                        },
                        (Object[] received) -> {
                            System.gc();
                            Check.equal(
                                    "v",
                                    ((Map<?, ?>) received[1]).get(new Person("K", 1)),
                                    "get while the key is held");
                        },
                        "CLASS_REFUSED",
                        "java.util.WeakHashMap",
                        "a class of the JDK that is not Serializable")
                .note("raw copy: emptied by a collection in one run");
        cases.arrivesOrRefusedByPeers(
                        "view-reversed-list",
                        () -> List.class.getMethod("reversed").invoke(new ArrayList<>(List.of(1, 2, 3))),
                        (List<Object> received) -> Check.inOrder(received, 3, 2, 1))
                .needsRawMemory()
                .sinceJava(21);
    }

    static final class LeastRecentlyUsed<K, V> extends LinkedHashMap<K, V> {
        private final int limit;

        LeastRecentlyUsed(int limit) {
            super(16, 0.75f, true);
            this.limit = limit;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > limit;
        }
    }

    private static void linked(CaseList cases) {
        cases.row("rehash: linked containers keep their order");
        cases.arrives(
                "linked-hash-map-insertion-order",
                () -> {
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (String key : List.of("zebra", "apple", "mango", "kiwi", "fig")) {
                        map.put(key, key.length());
                    }
                    map.put(Suit.HEARTS, "h");
                    map.remove("mango");
                    return map;
                },
                (LinkedHashMap<Object, Object> received) -> {
                    Check.inOrder(received.keySet(), "zebra", "apple", "kiwi", "fig", Suit.HEARTS);
                    Check.finds(received, "zebra", 5, "apple", 5, "kiwi", 4, "fig", 3, Suit.HEARTS, "h");
                    Check.canGrow(received, "new", 3);
                });
        cases.arrives(
                "linked-hash-map-access-order",
                () -> {
                    Map<Object, Object> map = new LinkedHashMap<>(16, 0.75f, true);
                    map.put("a", 1);
                    map.put(Suit.CLUBS, 2);
                    map.put("c", 3);
                    map.get("a");
                    return map;
                },
                (LinkedHashMap<Object, Object> received) -> {
                    Check.inOrder(received.keySet(), Suit.CLUBS, "c", "a");
                    received.get(Suit.CLUBS);
                    Check.inOrder(received.keySet(), "c", "a", Suit.CLUBS);
                });
        cases.arrives(
                "linked-hash-map-eviction-subclass",
                () -> {
                    Map<Object, Object> map = new LeastRecentlyUsed<>(2);
                    map.put("a", 1);
                    map.put("b", 2);
                    map.get("a");
                    return map;
                },
                (LeastRecentlyUsed<Object, Object> received) -> {
                    Check.equal(2, received.size(), "size");
                    received.put("c", 3);
                    Check.inOrder(received.keySet(), "a", "c");
                });
        cases.arrives(
                "linked-hash-set",
                () -> new LinkedHashSet<>(List.of(Suit.SPADES, "x", Suit.CLUBS, 5)),
                (LinkedHashSet<Object> received) -> {
                    Check.inOrder(received, Suit.SPADES, "x", Suit.CLUBS, 5);
                    Check.finds(received, Suit.SPADES, "x", Suit.CLUBS, 5);
                });
        cases.row("rehash: Hashtable, Properties");
        cases.arrives(
                "properties",
                () -> {
                    Properties defaults = new Properties();
                    defaults.setProperty("color", "blue");
                    Properties properties = new Properties(defaults);
                    properties.setProperty("size", "3");
                    return properties;
                },
                (Properties received) -> {
                    Check.equal("3", received.getProperty("size"), "own");
                    Check.equal("blue", received.getProperty("color"), "default");
                    received.setProperty("later", "yes");
                    Check.equal("yes", received.getProperty("later"), "set after arrival");
                });
    }
}
