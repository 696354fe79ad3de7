package org.heapspan.image.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Where the maps and sets of the JDK keep what they hold ({@code java/util/HashMap.java}, {@code LinkedHashMap.java}, {@code
 * TreeMap.java}, JDK 17 to 25), and whether they do so in this JVM: a map in use is compared with what is expected. Elsewhere they
 * are not copied.
 */
public final class MapInsides {
    private MapInsides() {}

    /**
     * Keys whose hash codes and order are specified, or computed from their contents alone in the same way since JDK 17, so that they
     * are the same in every JVM.
     */
    private static final Set<Class<?>> STABLE_KEYS = Set.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Instant.class,
            Duration.class);

    public static final @Nullable Class<?> HASH_NODE = classNamed("java.util.HashMap$Node");
    public static final @Nullable Class<?> LINKED_NODE = classNamed("java.util.LinkedHashMap$Entry");
    public static final @Nullable Class<?> TREE_NODE = classNamed("java.util.TreeMap$Entry");

    public static final long TABLE = offset(HashMap.class, "table", arrayOf(HASH_NODE));
    public static final long SIZE = offset(HashMap.class, "size", int.class);
    public static final long THRESHOLD = offset(HashMap.class, "threshold", int.class);
    public static final long LOAD_FACTOR = offset(HashMap.class, "loadFactor", float.class);
    public static final long CHANGES = offset(HashMap.class, "modCount", int.class);
    public static final long NODE_HASH = offset(HASH_NODE, "hash", int.class);
    public static final long NODE_KEY = offset(HASH_NODE, "key", Object.class);
    public static final long NODE_VALUE = offset(HASH_NODE, "value", Object.class);
    public static final long NODE_NEXT = offset(HASH_NODE, "next", HASH_NODE);

    public static final long HEAD = offset(LinkedHashMap.class, "head", LINKED_NODE);
    public static final long TAIL = offset(LinkedHashMap.class, "tail", LINKED_NODE);
    public static final long ACCESS_ORDER = offset(LinkedHashMap.class, "accessOrder", boolean.class);
    public static final long NODE_BEFORE = offset(LINKED_NODE, "before", LINKED_NODE);
    public static final long NODE_AFTER = offset(LINKED_NODE, "after", LINKED_NODE);

    public static final long COMPARATOR = offset(TreeMap.class, "comparator", Comparator.class);
    public static final long ROOT = offset(TreeMap.class, "root", TREE_NODE);
    public static final long TREE_SIZE = offset(TreeMap.class, "size", int.class);
    public static final long TREE_CHANGES = offset(TreeMap.class, "modCount", int.class);
    public static final long TREE_KEY = offset(TREE_NODE, "key", Object.class);
    public static final long TREE_VALUE = offset(TREE_NODE, "value", Object.class);
    public static final long TREE_LEFT = offset(TREE_NODE, "left", TREE_NODE);
    public static final long TREE_RIGHT = offset(TREE_NODE, "right", TREE_NODE);
    public static final long TREE_PARENT = offset(TREE_NODE, "parent", TREE_NODE);
    public static final long TREE_BLACK = offset(TREE_NODE, "color", boolean.class);

    public static final long MAP_OF_HASH_SET = offset(HashSet.class, "map", HashMap.class);
    public static final long MAP_OF_TREE_SET = offset(TreeSet.class, "m", NavigableMap.class);

    /** Whether hash maps and what is built on them look as expected. */
    public static final boolean KNOWS_HASH = knowsHash();

    /**
     * What the nodes of a bin are of that so many keys fell into that it has become a tree ({@code HashMap.treeifyBin}): nodes like the
     * others, linked like the others, with what makes the tree besides. Null if that is not so in this JVM.
     */
    public static final @Nullable Class<?> CROWDED_NODE = crowdedNode();

    /** Whether sorted maps do. */
    public static final boolean KNOWS_TREE = knowsTree();

    /** What the nodes of a {@link HashSet} have as their value, or null if that is not known. */
    public static final @Nullable Object HASH_SET_VALUE = valueOfHashSet();

    /** What the nodes of a {@link TreeSet} have as their value, or null if that is not known. */
    public static final @Nullable Object TREE_SET_VALUE = valueOfTreeSet();

    private static @Nullable Class<?> classNamed(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException otherJdk) {
            return null;
        }
    }

    private static @Nullable Class<?> arrayOf(@Nullable Class<?> component) {
        return component == null ? null : component.arrayType();
    }

    private static long offset(@Nullable Class<?> type, String field, @Nullable Class<?> fieldType) {
        return type == null || fieldType == null ? -1 : Access.offsetOf(type, field, fieldType);
    }

    private static boolean allKnown(long... offsets) {
        for (long offset : offsets) {
            if (offset < 0) {
                return false;
            }
        }
        return true;
    }

    /** Looks into maps that have been filled in the ordinary way. */
    private static boolean knowsHash() {
        RawMemory raw = Access.RAW;
        if (raw == null
                || !allKnown(TABLE, SIZE, THRESHOLD, LOAD_FACTOR, CHANGES)
                || !allKnown(NODE_HASH, NODE_KEY, NODE_VALUE, NODE_NEXT)
                || !allKnown(HEAD, TAIL, ACCESS_ORDER, NODE_BEFORE, NODE_AFTER)) {
            return false;
        }
        Map<@Nullable Object, Object> plain = new HashMap<>(32);
        Map<@Nullable Object, Object> linked = new LinkedHashMap<>(32);
        @Nullable Object[] keys = {0x12345678, null, -1, "a key with a long hash code", 0x12345678L << 20};
        for (Object key : keys) {
            plain.put(key, plain);
            linked.put(key, linked);
        }
        for (Object key : keys) {
            if (!isInItsBin(raw, plain, key) || !isInItsBin(raw, linked, key)) {
                return false;
            }
        }
        Object head = raw.getReference(linked, HEAD);
        Object tail = raw.getReference(linked, TAIL);
        return head != null
                && tail != null
                && raw.getReference(head, NODE_KEY) == keys[0]
                && raw.getReference(tail, NODE_KEY) == keys[keys.length - 1]
                && raw.getReference(tail, NODE_BEFORE) != null
                && raw.getReference(tail, NODE_AFTER) == null
                && raw.getInt(plain, SIZE) == keys.length
                && raw.getInt(plain, THRESHOLD) == 24
                && raw.getInt(plain, LOAD_FACTOR) == Float.floatToRawIntBits(0.75f);
    }

    /** Whether the hash code of a key has been spread as it is known to be, and has led to the bin that follows. */
    private static boolean isInItsBin(RawMemory raw, Object map, @Nullable Object key) {
        int code = key == null ? 0 : key.hashCode();
        int hash = code ^ code >>> 16;
        if (!(raw.getReference(map, TABLE) instanceof Object[] table)) {
            return false;
        }
        Object node = table[hash & table.length - 1];
        while (node != null) {
            if (raw.getReference(node, NODE_KEY) == key) {
                return raw.getInt(node, NODE_HASH) == hash && raw.getReference(node, NODE_VALUE) == map;
            }
            node = raw.getReference(node, NODE_NEXT);
        }
        return false;
    }

    private static @Nullable Class<?> crowdedNode() {
        RawMemory raw = Access.RAW;
        Class<?> type = classNamed("java.util.HashMap$TreeNode");
        if (raw == null || !KNOWS_HASH || type == null || LINKED_NODE == null || !LINKED_NODE.isAssignableFrom(type)) {
            return null;
        }
        Map<Integer, Object> map = new HashMap<>(128);
        for (int i = 0; i < 20; i++) {
            map.put(i << 23, map);
        }
        for (Integer key : map.keySet()) {
            if (!isInItsBin(raw, map, key)) {
                return null;
            }
        }
        Object bin = raw.getReference(map, TABLE) instanceof Object[] table ? table[0] : null;
        return bin != null && bin.getClass() == type ? type : null;
    }

    private static boolean knowsTree() {
        RawMemory raw = Access.RAW;
        if (raw == null
                || !allKnown(COMPARATOR, ROOT, TREE_SIZE, TREE_CHANGES, TREE_KEY, TREE_VALUE)
                || !allKnown(TREE_LEFT, TREE_RIGHT, TREE_PARENT, TREE_BLACK)) {
            return false;
        }
        Map<String, Object> map = new TreeMap<>();
        map.put("b", map);
        map.put("a", map);
        Object root = raw.getReference(map, ROOT);
        Object left = root == null ? null : raw.getReference(root, TREE_LEFT);
        return root != null
                && left != null
                && "b".equals(raw.getReference(root, TREE_KEY))
                && "a".equals(raw.getReference(left, TREE_KEY))
                && raw.getReference(left, TREE_VALUE) == map
                && raw.getReference(left, TREE_PARENT) == root
                && raw.getReference(root, TREE_RIGHT) == null
                && raw.getBoolean(root, TREE_BLACK)
                && !raw.getBoolean(left, TREE_BLACK)
                && raw.getInt(map, TREE_SIZE) == 2;
    }

    private static @Nullable Object valueOfHashSet() {
        RawMemory raw = Access.RAW;
        Set<String> set = new HashSet<>(Set.of("a"));
        Object map = raw == null || !KNOWS_HASH || MAP_OF_HASH_SET < 0 ? null : raw.getReference(set, MAP_OF_HASH_SET);
        return map instanceof HashMap<?, ?> insides ? insides.get("a") : null;
    }

    private static @Nullable Object valueOfTreeSet() {
        RawMemory raw = Access.RAW;
        Set<String> set = new TreeSet<>(Set.of("a"));
        Object map = raw == null || !KNOWS_TREE || MAP_OF_TREE_SET < 0 ? null : raw.getReference(set, MAP_OF_TREE_SET);
        return map instanceof TreeMap<?, ?> insides ? insides.get("a") : null;
    }

    /** Whether keys of a class have the same hash code and order in every JVM, and nothing in a graph can change them. */
    public static boolean isStableKey(Class<?> type) {
        return STABLE_KEYS.contains(type);
    }

    /** Whether a class is one of those that are described here, and does not look as expected in this JVM. */
    public static boolean isUnknown(Class<?> type) {
        if (type == HashSet.class || HashSet.class.isAssignableFrom(type)) {
            return HASH_SET_VALUE == null;
        }
        if (type == TreeSet.class) {
            return TREE_SET_VALUE == null;
        }
        if (HashMap.class.isAssignableFrom(type) || type == HASH_NODE || type == LINKED_NODE) {
            return !KNOWS_HASH;
        }
        return (type == TreeMap.class || type == TREE_NODE) && !KNOWS_TREE;
    }
}
