package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;

/** Views of collections travel with the collection behind them, descriptors of classes with their class. */
@SuppressWarnings({"unchecked", "JdkObsolete", "serial"}) // Users have old collections, too.
public final class DerivedObjectsTest {
    /** A way from an object to its copy. */
    private record Route(String name, Heapspan heapspan, Function<Object, Object> copier) {
        static List<Route> all() {
            List<Route> routes = new ArrayList<>();
            for (Mode mode : Mode.values()) {
                Heapspan heapspan = Heapspan.builder()
                        .mode(mode)
                        .allow("org.heapspan.**")
                        .allow("java.io.ObjectStreamClass")
                        .build();
                routes.add(
                        new Route(mode + " compact", heapspan, o -> heapspan.decode(heapspan.encode(o), Object.class)));
                routes.add(new Route(
                        mode + " raw",
                        heapspan,
                        o -> heapspan.decodeTrusted(heapspan.encode(o, Encoding.RAW), Object.class)));
                routes.add(new Route(mode + " copy", heapspan, heapspan::copy));
            }
            return routes;
        }

        @SuppressWarnings("TypeParameterUnusedInFormals") // The caller knows what it copies.
        <T> T copy(Object object) {
            return (T) copier.apply(object);
        }
    }

    /** Not a class of the JDK: what it inherits gives the views. */
    static final class Pairs extends AbstractMap<String, Integer> implements Serializable {
        final TreeMap<String, Integer> pairs = new TreeMap<>();

        @Override
        public Set<Map.Entry<String, Integer>> entrySet() {
            return pairs.entrySet();
        }

        @Override
        public Integer put(String key, Integer value) {
            return pairs.put(key, value);
        }
    }

    static final class Numbers extends AbstractList<Integer> implements Serializable {
        final int[] numbers = {0, 1, 2, 3, 4};

        @Override
        public Integer get(int index) {
            return numbers[index];
        }

        @Override
        public Integer set(int index, Integer value) {
            int before = numbers[index];
            numbers[index] = value;
            return before;
        }

        @Override
        public int size() {
            return numbers.length;
        }
    }

    private static Map<String, Integer> filled(Map<String, Integer> map) {
        map.put("a", 1);
        map.put("b", 2);
        map.put("c", 3);
        return map;
    }

    private static Map<String, Supplier<Map<String, Integer>>> maps() {
        Map<String, Supplier<Map<String, Integer>>> maps = new LinkedHashMap<>();
        maps.put("HashMap", HashMap::new);
        maps.put("LinkedHashMap", LinkedHashMap::new);
        maps.put("TreeMap", TreeMap::new);
        maps.put("TreeMap with comparator", () -> new TreeMap<>(Comparator.reverseOrder()));
        maps.put("headMap", () -> new TreeMap<String, Integer>().headMap("x"));
        maps.put("descendingMap", () -> new TreeMap<String, Integer>().descendingMap());
        maps.put("ConcurrentHashMap", ConcurrentHashMap::new);
        maps.put("ConcurrentSkipListMap", ConcurrentSkipListMap::new);
        maps.put("IdentityHashMap", IdentityHashMap::new);
        maps.put("Hashtable", Hashtable::new);
        maps.put("synchronizedMap", () -> Collections.synchronizedMap(new HashMap<>()));
        maps.put("checkedMap", () -> Collections.checkedMap(new HashMap<>(), String.class, Integer.class));
        maps.put("Pairs", Pairs::new);
        return maps;
    }

    @Test
    void viewsOfMapsStayViewsOfTheCopy() {
        Map<String, Function<Map<String, Integer>, Collection<?>>> views = new LinkedHashMap<>();
        views.put("keySet", Map::keySet);
        views.put("values", Map::values);
        views.put("entrySet", Map::entrySet);
        List<String> faults = new ArrayList<>();
        for (Route route : Route.all()) {
            maps().forEach((mapName, maker) -> views.forEach((viewName, view) -> {
                if (mapName.equals("checkedMap") && viewName.equals("entrySet")) {
                    // A wrapper of its own around the entries, which does not know the map.
                    return;
                }
                for (boolean mapFirst : new boolean[] {true, false}) {
                    String what = route.name + ": " + mapName + "." + viewName + (mapFirst ? " behind" : " before")
                            + " its map";
                    try {
                        Map<String, Integer> map = filled(maker.get());
                        Collection<?> original = view.apply(map);
                        Object[] copies =
                                route.copy(mapFirst ? new Object[] {map, original} : new Object[] {original, map});
                        Map<String, Integer> copiedMap = (Map<String, Integer>) copies[mapFirst ? 0 : 1];
                        Collection<?> copiedView = (Collection<?>) copies[mapFirst ? 1 : 0];
                        checkView(map, original, copiedMap, copiedView);
                    } catch (RuntimeException | AssertionError e) {
                        faults.add(what + ": " + e);
                    }
                }
            }));
        }
        assertThat(faults).isEmpty();
    }

    private static void checkView(
            Map<String, Integer> map, Collection<?> view, Map<String, Integer> copiedMap, Collection<?> copiedView) {
        // As plain maps, because an IdentityHashMap equals another only if their keys are the same objects.
        assertThat(new HashMap<>(copiedMap)).isEqualTo(new HashMap<>(map));
        assertThat(copiedMap).isNotSameAs(map).hasSameClassAs(map);
        assertThat(copiedView).hasSameClassAs(view).hasSize(3);
        assertThat(copiedView.toString()).isEqualTo(copiedMapView(copiedMap, copiedView));
        assertThat(copiedMap.put("d", 4)).isNull();
        assertThat(copiedView).hasSize(4);
        copiedView.iterator().next();
        copiedView.clear();
        assertThat(copiedMap).isEmpty();
        assertThat(map).hasSize(3);
    }

    private static String copiedMapView(Map<String, Integer> map, Collection<?> view) {
        Object first = view.iterator().next();
        return (first instanceof String ? map.keySet() : first instanceof Integer ? map.values() : map.entrySet())
                .toString();
    }

    private static Map<String, Supplier<List<Integer>>> lists() {
        Map<String, Supplier<List<Integer>>> lists = new LinkedHashMap<>();
        lists.put("ArrayList", () -> new ArrayList<>(List.of(0, 1, 2, 3, 4)));
        lists.put("LinkedList", () -> new LinkedList<>(List.of(0, 1, 2, 3, 4)));
        lists.put("Vector", () -> new Vector<>(List.of(0, 1, 2, 3, 4)));
        lists.put("asList", () -> Arrays.asList(0, 1, 2, 3, 4));
        lists.put("CopyOnWriteArrayList", () -> new CopyOnWriteArrayList<>(List.of(0, 1, 2, 3, 4)));
        lists.put("synchronizedList", () -> Collections.synchronizedList(new ArrayList<>(List.of(0, 1, 2, 3, 4))));
        lists.put("checkedList", () -> Collections.checkedList(new ArrayList<>(List.of(0, 1, 2, 3, 4)), Integer.class));
        lists.put("Numbers", Numbers::new);
        return lists;
    }

    @Test
    void subListsStayViewsOfTheCopy() {
        List<String> faults = new ArrayList<>();
        for (Route route : Route.all()) {
            lists().forEach((name, maker) -> {
                for (boolean listFirst : new boolean[] {true, false}) {
                    String what =
                            route.name + ": sub list of " + name + (listFirst ? " behind" : " before") + " its list";
                    try {
                        List<Integer> list = maker.get();
                        List<Integer> view = list.subList(1, 4);
                        Object[] copies = route.copy(listFirst ? new Object[] {list, view} : new Object[] {view, list});
                        List<Integer> copiedList = (List<Integer>) copies[listFirst ? 0 : 1];
                        List<Integer> copiedView = (List<Integer>) copies[listFirst ? 1 : 0];
                        assertThat(copiedView).hasSameClassAs(view).containsExactly(1, 2, 3);
                        copiedView.set(0, 99);
                        assertThat(copiedList).containsExactly(0, 99, 2, 3, 4).isNotSameAs(list);
                        assertThat(list).containsExactly(0, 1, 2, 3, 4);
                    } catch (RuntimeException | AssertionError e) {
                        faults.add(what + ": " + e);
                    }
                }
            });
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void subListsOfSubListsKeepTheChain() {
        for (Route route : Route.all()) {
            List<Integer> list = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5));
            List<Integer> outer = list.subList(1, 5);
            List<Integer> inner = outer.subList(1, 3);
            List<List<Integer>> copies = route.copy(new ArrayList<>(List.of(inner, outer, list)));
            assertThat(copies.get(0)).as(route.name).containsExactly(2, 3);
            copies.get(0).remove(0);
            assertThat(copies.get(1)).as(route.name).containsExactly(1, 3, 4);
            assertThat(copies.get(2)).as(route.name).containsExactly(0, 1, 3, 4, 5);
        }
    }

    @Test
    void viewsOfImmutableCollectionsTravel() {
        for (Route route : Route.all()) {
            assertThat(route.<Object>copy(List.of(0, 1, 2, 3).subList(1, 3)))
                    .as(route.name)
                    .isEqualTo(List.of(1, 2));
            assertThat(route.<Object>copy(Map.of("k", 1, "l", 2).keySet()))
                    .as(route.name)
                    .isEqualTo(Set.of("k", "l"));
            assertThat(route.<Object>copy(
                            Collections.unmodifiableMap(filled(new HashMap<>())).keySet()))
                    .as(route.name)
                    .isEqualTo(Set.of("a", "b", "c"));
            assertThat(route.<Object>copy(
                            Collections.unmodifiableList(Arrays.asList(1, 2, 3)).subList(1, 2)))
                    .as(route.name)
                    .isEqualTo(List.of(2));
        }
    }

    @Test
    void viewsOfPropertiesFollowThem() {
        for (Route route : Route.all()) {
            Properties properties = new Properties();
            properties.setProperty("a", "1");
            Object[] copies = route.copy(new Object[] {properties.keySet(), properties});
            ((Properties) copies[1]).setProperty("b", "2");
            assertThat((Set<Object>) copies[0]).as(route.name).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    void anObjectIsOneViewHoweverOftenItIsReferredTo() {
        for (Route route : Route.all()) {
            Map<String, Integer> map = filled(new TreeMap<>());
            Object[] copies = route.copy(new Object[] {map.keySet(), map, map.keySet()});
            assertThat(copies[0]).as(route.name).isSameAs(copies[2]).isSameAs(((Map<?, ?>) copies[1]).keySet());
        }
    }

    @Test
    void aCollectionThatHoldsAViewOfItselfTravels() {
        for (Route route : Route.all()) {
            Map<Object, Object> map = new LinkedHashMap<>();
            map.put("keys", map.keySet());
            map.put("other", 1);
            Map<Object, Object> copiedMap = route.copy(map);
            assertThat(copiedMap.get("keys")).as(route.name).isSameAs(copiedMap.keySet());
            Set<Object> copiedKeys = route.copy(map.keySet());
            assertThat(copiedKeys).as(route.name).containsExactly("keys", "other");

            for (List<Object> list : List.of(new ArrayList<>(), new LinkedList<>())) {
                list.addAll(List.of(0, 1, 2));
                list.set(1, "view");
                List<Object> view = list.subList(1, 3);
                list.set(0, view);
                List<Object> copiedList = route.copy(list);
                List<Object> copiedView = (List<Object>) copiedList.get(0);
                assertThat(copiedView).as(route.name + list.getClass()).containsExactly("view", 2);
                copiedView.remove(0);
                assertThat(copiedList.subList(1, 2)).as(route.name).containsExactly(2);
            }
        }
    }

    @Test
    void aSubListThatItsOwnListHoldsIsRefusedAsRoot() {
        List<Object> list = new ArrayList<>(List.of(0, 1, 2));
        list.set(0, list.subList(1, 3));
        Heapspan heapspan = Heapspan.create();
        byte[] image = heapspan.encode(list.get(0));
        HeapspanException refusal =
                catchThrowableOfType(HeapspanException.class, () -> heapspan.decode(image, Object.class));
        assertThat(refusal.category()).isEqualTo(Category.HOOK);
        assertThat(refusal).hasMessageContaining("cycle");
    }

    /** A list with views in each node, deeper than objects nest. */
    static final class Node implements Serializable {
        List<Integer> all = new ArrayList<>(List.of(1, 2, 3));
        List<Integer> part = all.subList(1, 3);
        Map<String, Integer> map = filled(new HashMap<>());
        Set<String> keys = map.keySet();
        Node next;
    }

    @Test
    void viewsTravelAtAnyDepth() {
        for (Route route : Route.all()) {
            Node first = new Node();
            for (int i = 1; i < 300; i++) {
                Node node = new Node();
                node.next = first;
                first = node;
            }
            int nodes = 0;
            for (Node node = route.copy(first); node != null; node = node.next) {
                assertThat(node.part).as(route.name).containsExactly(2, 3);
                node.part.clear();
                assertThat(node.all).as(route.name).containsExactly(1);
                assertThat(node.keys).as(route.name).isSameAs(node.map.keySet()).hasSize(3);
                nodes++;
            }
            assertThat(nodes).isEqualTo(300);
        }
    }

    @Test
    void viewsAreKeysOfHashContainers() {
        for (Route route : Route.all()) {
            Map<String, Integer> map = filled(new HashMap<>());
            List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
            Map<Object, Integer> byView = new HashMap<>();
            byView.put(map.keySet(), 1);
            byView.put(list.subList(0, 2), 2);
            Map<Object, Integer> copy = route.copy(byView);
            assertThat(copy.get(Set.of("a", "b", "c"))).as(route.name).isEqualTo(1);
            assertThat(copy.get(List.of(1, 2))).as(route.name).isEqualTo(2);
        }
    }

    @Test
    void reversedViewsStayViewsOfTheCopy() throws ReflectiveOperationException {
        if (Runtime.version().feature() < 21) {
            // The reader's half: what such a JDK cannot derive it says by name.
            byte[] image = reversedImage();
            HeapspanException refusal = catchThrowableOfType(
                    HeapspanException.class, () -> Heapspan.create().decode(image, Object.class));
            assertThat(refusal.category()).isEqualTo(Category.EVOLUTION);
            return;
        }
        List<String> faults = new ArrayList<>();
        Class<?> sequenced = Class.forName("java.util.SequencedCollection");
        for (Route route : Route.all()) {
            for (Collection<String> origin : List.of(
                    new ArrayList<String>(),
                    new LinkedList<String>(),
                    new CopyOnWriteArrayList<String>(),
                    new ArrayDeque<String>(),
                    new LinkedHashSet<String>())) {
                String what = route.name + ": " + origin.getClass();
                try {
                    origin.addAll(List.of("a", "b"));
                    Object reversed = sequenced.getMethod("reversed").invoke(origin);
                    Object[] copies = route.copy(new Object[] {reversed, origin});
                    assertThat((Collection<String>) copies[0])
                            .hasSameClassAs(reversed)
                            .containsExactly("b", "a");
                    ((Collection<String>) copies[1]).add("c");
                    assertThat((Collection<String>) copies[0]).containsExactly("c", "b", "a");
                } catch (RuntimeException | AssertionError e) {
                    faults.add(what + ": " + e);
                }
            }
            Class<?> sequencedMap = Class.forName("java.util.SequencedMap");
            Map<String, Integer> map = filled(new LinkedHashMap<>());
            Map<String, Integer> reversedMap =
                    (Map<String, Integer>) sequencedMap.getMethod("reversed").invoke(map);
            Map<String, Object> views = new LinkedHashMap<>();
            views.put("reversed", reversedMap.keySet());
            views.put("keySet of reversed", reversedMap.keySet());
            views.put(
                    "sequencedValues", sequencedMap.getMethod("sequencedValues").invoke(map));
            views.put("reversed keySet", sequenced.getMethod("reversed").invoke(map.keySet()));
            views.put(
                    "sequencedKeySet", sequencedMap.getMethod("sequencedKeySet").invoke(filled(new TreeMap<>())));
            views.forEach((name, view) -> {
                try {
                    assertThat(route.<Object>copy(view)).hasSameClassAs(view).hasToString(view.toString());
                } catch (RuntimeException | AssertionError e) {
                    faults.add(route.name + ": " + name + ": " + e);
                }
            });
        }
        assertThat(faults).isEmpty();
    }

    /** A view by a method that came with JDK 21, written by hand. */
    private static byte[] reversedImage() {
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        byte[] image = heapspan.encode(filled(new HashMap<>()).keySet());
        int way = indexOf(image, "java.util.Collection") + "java.util.Collection".length() + 2 + 1;
        assertThat(image[way]).as("number of the method").isZero();
        image[way] = 5;
        return image;
    }

    private static int indexOf(byte[] image, String name) {
        return new String(image, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf(name);
    }

    @Test
    void hostileBoundsAreMalformed() {
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        byte[] image = heapspan.encode(new ArrayList<>(List.of(1, 2, 3, 4)).subList(1, 3));
        int length = image.length;
        assertThat(image[length - 2]).as("first element").isEqualTo((byte) (1 << 1 | 1));
        assertThat(image[length - 1]).as("size").isEqualTo((byte) (2 << 1 | 1));
        for (int first = 0; first < 128; first++) {
            for (int size : new int[] {0, 1, 2, 3, 4, 5, 100, 127}) {
                image[length - 2] = (byte) (first << 1 | 1);
                image[length - 1] = (byte) (size << 1 | 1);
                if (first + size <= 4) {
                    assertThat((List<?>) heapspan.decode(image, Object.class)).hasSize(size);
                } else {
                    HeapspanException refusal =
                            catchThrowableOfType(HeapspanException.class, () -> heapspan.decode(image, Object.class));
                    assertThat(refusal.category())
                            .as("first %d, size %d: %s", first, size, refusal.getMessage())
                            .isEqualTo(Category.MALFORMED);
                }
            }
        }
    }

    @Test
    void alteredImagesOfViewsAreReadOrRefused() {
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        Map<String, Integer> map = filled(new HashMap<>());
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3, 4));
        byte[] image = heapspan.encode(new Object[] {list.subList(1, 3), map.keySet(), map.entrySet(), map, list});
        int refused = 0;
        for (int i = 0; i < image.length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] altered = image.clone();
                altered[i] ^= (byte) (1 << bit);
                try {
                    heapspan.decode(altered, Object.class);
                } catch (HeapspanException e) {
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(image.length);
    }

    @Test
    void viewsNeedNoNameOnTheAllowList() {
        Heapspan heapspan = Heapspan.builder().allow("com.acme.**").build();
        Object copy = heapspan.decode(heapspan.encode(filled(new HashMap<>()).keySet()), Object.class);
        assertThat(copy).isEqualTo(Set.of("a", "b", "c"));
    }

    @Test
    void iteratorsGoOnWhereTheyStand() {
        List<String> faults = new ArrayList<>();
        for (Route route : Route.all()) {
            List<Iterable<?>> origins = List.of(
                    new ArrayList<>(List.of(1, 2, 3)),
                    new LinkedList<>(List.of(1, 2, 3)),
                    new Vector<>(List.of(1, 2, 3)),
                    new ArrayDeque<>(List.of(1, 2, 3)),
                    new PriorityQueue<>(List.of(1, 2, 3)),
                    new TreeSet<>(List.of(1, 2, 3)),
                    filled(new TreeMap<>()).values(),
                    filled(new LinkedHashMap<>()).keySet(),
                    filled(new LinkedHashMap<>()).entrySet(),
                    new ArrayList<>(List.of(1, 2, 3, 4)).subList(1, 4));
            for (Iterable<?> origin : origins) {
                for (int passed = 0; passed <= 3; passed++) {
                    Iterator<?> original = origin.iterator();
                    Iterator<?> expected = origin.iterator();
                    for (int i = 0; i < passed; i++) {
                        original.next();
                        expected.next();
                    }
                    String what = route.name + ": " + origin.getClass() + " behind " + passed;
                    try {
                        Iterator<?> copy = route.copy(original);
                        assertThat(copy).hasSameClassAs(original);
                        while (expected.hasNext()) {
                            assertThat(copy.next()).isEqualTo(expected.next());
                        }
                        assertThat(copy.hasNext()).isFalse();
                    } catch (RuntimeException | AssertionError e) {
                        faults.add(what + ": " + e);
                    }
                }
            }
            Object[] copies = route.copy(iteratorAndItsList());
            ((Iterator<Object>) copies[0]).remove();
            assertThat((List<Object>) copies[1]).as(route.name).containsExactly(2, 3);
        }
        assertThat(faults).isEmpty();
    }

    private static Object[] iteratorAndItsList() {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        Iterator<Integer> iterator = list.iterator();
        iterator.next();
        return new Object[] {iterator, list};
    }

    @Test
    void anIteratorWithinAnOrderOfHashCodesTravelsOnlyBeforeItsFirstElement() {
        Heapspan heapspan = Heapspan.create();
        Iterator<String> iterator = filled(new HashMap<>()).keySet().iterator();
        Iterator<String> copy = heapspan.copy(iterator);
        assertThat(List.of(copy.next(), copy.next(), copy.next())).containsExactlyInAnyOrder("a", "b", "c");
        iterator.next();
        HeapspanException refusal =
                catchThrowableOfType(HeapspanException.class, () -> heapspan.encode(new Object[] {iterator}));
        assertThat(refusal.category()).isEqualTo(Category.CLASS_REFUSED);
        assertThat(refusal).hasMessageStartingWith("root[0]: java.util.HashMap$KeyIterator cannot be copied");
    }

    @Test
    void anIteratorThatItsOwnCollectionHoldsIsRefused() {
        List<Object> list = new LinkedList<>();
        list.add(1);
        Object[] holder = new Object[1];
        list.add(holder);
        holder[0] = list.iterator();
        HeapspanException refusal = catchThrowableOfType(
                HeapspanException.class, () -> Heapspan.create().copy(list));
        assertThat(refusal.category()).isEqualTo(Category.HOOK);
        assertThat(refusal).hasMessageContaining("cycle");
    }

    @Test
    void aSubListThatIsOutOfDateIsRefused() {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        List<Integer> view = list.subList(0, 2);
        list.add(4);
        HeapspanException refusal = catchThrowableOfType(
                HeapspanException.class, () -> Heapspan.create().encode(new Object[] {view}));
        assertThat(refusal.category()).isEqualTo(Category.USAGE);
        assertThat(refusal).hasMessageContaining("make the sub list anew");
    }

    @Test
    void descriptorsOfClassesDescribeTheClassHere() {
        for (Route route : Route.all()) {
            for (Class<?> type :
                    List.of(Node.class, ArrayList.class, DerivedObjectsTest.class, int[].class, Mode.class)) {
                ObjectStreamClass descriptor = ObjectStreamClass.lookupAny(type);
                ObjectStreamClass copy = route.copy(descriptor);
                assertThat(copy.forClass()).as(route.name).isSameAs(type);
                assertThat(copy.toString()).as(route.name).isEqualTo(descriptor.toString());
                assertThat(copy.getSerialVersionUID()).isEqualTo(descriptor.getSerialVersionUID());
                assertThat(copy.getFields()).hasSameSizeAs(descriptor.getFields());
            }
        }
    }

    @Test
    void descriptorsAreAdmittedByNameOnly() {
        byte[] image = Heapspan.create().encode(ObjectStreamClass.lookup(Node.class));
        HeapspanException refusal = catchThrowableOfType(
                HeapspanException.class, () -> Heapspan.create().decode(image, Object.class));
        assertThat(refusal.category()).isEqualTo(Category.CLASS_REJECTED);
        assertThat(refusal).hasMessageContaining("java.io.ObjectStreamClass");
    }

    /** An iterator takes a few bytes, and passing its elements again takes time. */
    @Test
    void iteratorsOfUntrustedImagesHaveNotPassedMoreThanTheImageIsLong() {
        List<Integer> list = Collections.nCopies(30_000, 1);
        List<Object> graph = new ArrayList<>(List.of(list));
        for (int i = 0; i < 100; i++) {
            Iterator<Integer> iterator = list.iterator();
            iterator.forEachRemaining(each -> {});
            graph.add(iterator);
        }
        Heapspan heapspan = Heapspan.create();
        byte[] image = heapspan.encode(graph);
        assertThat(heapspan.decodeTrusted(image, List.class)).hasSize(101);
        HeapspanException refusal =
                catchThrowableOfType(HeapspanException.class, () -> heapspan.decode(image, List.class));
        assertThat(refusal.category()).isEqualTo(Category.LIMIT);
        assertThat(refusal).hasMessageContaining("iterators");
        byte[] few = heapspan.encode(new ArrayList<>(graph.subList(0, 20)));
        assertThat(heapspan.decode(few, List.class)).hasSize(20);
    }
}
