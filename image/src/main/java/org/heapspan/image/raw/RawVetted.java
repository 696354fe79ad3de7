package org.heapspan.image.raw;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.heapspan.image.codec.MapInsides;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * JDK classes whose objects can be copied by copying some of their fields. This holds in every JDK whose class has exactly these fields and
 * the listed caches. In a JDK in which the class has other fields, its objects are written as side objects.
 *
 * <p>For maps and sets these are the fields, and {@link RawMapForm} decides which of them are copied. Classes whose state is in several
 * fields that another thread may change one after the other (queues) are missing on purpose.
 */
final class RawVetted {
    private RawVetted() {}

    /** What is expected of the fields that one class of the hierarchy declares. */
    private record Expected(Map<String, Class<?>> copied, List<String> caches) {}

    /** By class of objects, then by class of the hierarchy. */
    private static final Map<Class<?>, Map<Class<?>, Expected>> EXPECTED = new HashMap<>();

    static {
        expect(Object.class, Map.of());
        expect(String.class, fields("value", byte[].class, "coder", byte.class, "hash", int.class), "hashIsZero");
        expect(Boolean.class, fields("value", boolean.class));
        expect(Byte.class, fields("value", byte.class));
        expect(Short.class, fields("value", short.class));
        expect(Character.class, fields("value", char.class));
        expect(Integer.class, fields("value", int.class));
        expect(Long.class, fields("value", long.class));
        expect(Float.class, fields("value", float.class));
        expect(Double.class, fields("value", double.class));
        expect(ArrayList.class, fields("elementData", Object[].class, "size", int.class));
        expectOf(ArrayList.class, AbstractList.class, Map.of(), "modCount");
        expect(
                BigInteger.class,
                fields("signum", int.class, "mag", int[].class),
                "bitCountPlusOne",
                "bitLengthPlusOne",
                "magBitLengthPlusOne",
                "lowestSetBitPlusTwo",
                "firstNonzeroIntNumPlusTwo",
                "numberOfTrailingZeroIntsPlusTwo");
        expect(
                BigDecimal.class,
                fields("intVal", BigInteger.class, "scale", int.class, "intCompact", long.class),
                "precision",
                "stringCache");
        expect(UUID.class, fields("mostSigBits", long.class, "leastSigBits", long.class));
        expect(LocalDate.class, fields("year", int.class, "month", short.class, "day", short.class));
        expect(
                LocalTime.class,
                fields("hour", byte.class, "minute", byte.class, "second", byte.class, "nano", int.class));
        expect(LocalDateTime.class, fields("date", LocalDate.class, "time", LocalTime.class));
        expect(Instant.class, fields("seconds", long.class, "nanos", int.class));
        expect(Duration.class, fields("seconds", long.class, "nanos", int.class));
        expect(AtomicBoolean.class, fields("value", int.class));
        expect(AtomicInteger.class, fields("value", int.class));
        expect(AtomicLong.class, fields("value", long.class));
        expect(AtomicReference.class, fields("value", Object.class));
        expectMaps();
        expectSets();
    }

    private static void expectMaps() {
        Class<?> hashNode = MapInsides.HASH_NODE;
        Class<?> linkedNode = MapInsides.LINKED_NODE;
        Class<?> treeNode = MapInsides.TREE_NODE;
        if (hashNode == null || linkedNode == null || treeNode == null) {
            return;
        }
        for (Class<?> map : List.of(HashMap.class, LinkedHashMap.class, TreeMap.class)) {
            expectOf(map, AbstractMap.class, Map.of(), "keySet", "values");
        }
        for (Class<?> map : List.of(HashMap.class, LinkedHashMap.class)) {
            expectOf(
                    map,
                    HashMap.class,
                    fields(
                            "table",
                            hashNode.arrayType(),
                            "size",
                            int.class,
                            "threshold",
                            int.class,
                            "loadFactor",
                            float.class),
                    "entrySet",
                    "modCount");
        }
        expectOf(
                LinkedHashMap.class,
                LinkedHashMap.class,
                fields("head", linkedNode, "tail", linkedNode, "accessOrder", boolean.class),
                "putMode");
        for (Class<?> node : List.of(hashNode, linkedNode)) {
            expectOf(
                    node,
                    hashNode,
                    fields("hash", int.class, "key", Object.class, "value", Object.class, "next", hashNode));
        }
        expectOf(linkedNode, linkedNode, fields("before", linkedNode, "after", linkedNode));
        expectOf(
                TreeMap.class,
                TreeMap.class,
                fields("comparator", Comparator.class, "root", treeNode, "size", int.class),
                "modCount",
                "entrySet",
                "navigableKeySet",
                "descendingMap");
        Map<String, Class<?>> ofTreeNode = fields("key", Object.class, "value", Object.class, "color", boolean.class);
        ofTreeNode.putAll(fields("left", treeNode, "right", treeNode, "parent", treeNode));
        expectOf(treeNode, treeNode, ofTreeNode);
    }

    private static void expectSets() {
        expectOf(HashSet.class, HashSet.class, fields("map", HashMap.class));
        expectOf(LinkedHashSet.class, HashSet.class, fields("map", HashMap.class));
        expectOf(TreeSet.class, TreeSet.class, fields("m", NavigableMap.class));
    }

    private static Map<String, Class<?>> fields(Object... namesAndTypes) {
        Map<String, Class<?>> fields = new TreeMap<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.put((String) namesAndTypes[i], (Class<?>) namesAndTypes[i + 1]);
        }
        return fields;
    }

    private static void expect(Class<?> type, Map<String, Class<?>> copied, String... caches) {
        expectOf(type, type, copied, caches);
    }

    /** Expects fields in a class of a hierarchy; one of which nothing is said has none. */
    private static void expectOf(Class<?> type, Class<?> owner, Map<String, Class<?>> copied, String... caches) {
        EXPECTED.computeIfAbsent(type, unused -> new HashMap<>()).put(owner, new Expected(copied, List.of(caches)));
    }

    private static final Expected NOTHING = new Expected(Map.of(), List.of());

    /** The fields that are copied, or null if the class is not vetted in this JDK. */
    static @Nullable TypeDescription describe(Class<?> type) {
        Map<Class<?>, Expected> expected = EXPECTED.get(type);
        if (expected == null || MapInsides.isUnknown(type)) {
            return null;
        }
        List<Level> levels = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            Expected ofClass = expected.getOrDefault(c, NOTHING);
            if (!hasFields(c, ofClass)) {
                return null;
            }
            List<TypeDescription.Field> fields = new ArrayList<>();
            new TreeMap<>(ofClass.copied)
                    .forEach((name, fieldType) ->
                            fields.add(new TypeDescription.Field(TypeDescription.Field.codeOf(fieldType), name)));
            if (!fields.isEmpty()) {
                levels.add(0, new Level(c.getName(), 0, List.copyOf(fields)));
            }
        }
        return new TypeDescription(Kind.FIELDS, type.getName(), List.of(), List.copyOf(levels));
    }

    /** Whether a class declares the fields that are copied, and otherwise none but caches. */
    private static boolean hasFields(Class<?> type, Expected expected) {
        int known = 0;
        for (Field field : ClassFields.instanceFields(type)) {
            Class<?> copied = expected.copied.get(field.getName());
            if (copied == field.getType()) {
                known++;
            } else if (copied != null || !expected.caches.contains(field.getName())) {
                return false;
            }
        }
        return known == expected.copied.size();
    }
}
