package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.heapspan.image.codec.MapInsides;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a JDK map or set at one moment. Sizes and links of the copy follow from them, so the copy is consistent even if other
 * threads change the map. There is no such copy if a key is not {@linkplain MapInsides#isStableKey stable}, or if the map changed during
 * each attempt.
 */
final class RawMapCopy {
    private static final RawMemory RAW = Access.raw();

    /** How often a map that changes meanwhile is looked at. */
    private static final int ATTEMPTS = 100;

    /** A tree of 2^31 nodes is at most this high. */
    private static final int HEIGHT_LIMIT = 64;

    /** Tables with fewer entries than one in so many places are mostly empty. */
    private static final int SPARSE = 16;

    private static final int MOST_CAPACITY = 1 << 30;

    /**
     * Bins that are trees are lists in the copy, which become trees again when something is put into them. Until then a search goes
     * through all of it, so that maps with longer ones are filled anew.
     */
    static final int LONGEST_LIST_OF_CROWDED_BIN = 64;

    /** What looking into a map came to, apart from the height in black nodes of a subtree. */
    private static final int CHANGED = -1;

    private static final int UNSUITABLE = -2;

    /** The map itself. */
    final Object map;

    /** What every node of a set has as its value; null for maps. */
    final @Nullable Object setValue;

    /** Nodes, or 0 of a map that is empty. */
    int count;

    /** Keys, and values but for sets, by the numbers of their nodes. */
    @Nullable
    Object[] keys = NOTHING;

    @Nullable
    Object[] values = NOTHING;

    // The same arrays for raw reads of their slots, which the JIT compiles only where it does not know their type.
    Object keySlots = NOTHING;
    Object valueSlots = NOTHING;

    private static final @Nullable Object[] NOTHING = {};
    private static final int[] NO_NUMBERS = {};

    // Hash maps. Numbers of nodes begin with 1; 0 is none.
    int[] hashes = NO_NUMBERS;
    int[] next = NO_NUMBERS;
    int[] bins = NO_NUMBERS;
    int threshold;
    int loadFactorBits;
    boolean accessOrder;
    private boolean crowded;

    // Sorted maps.
    @Nullable
    Object comparator;

    int[] left = NO_NUMBERS;
    int[] right = NO_NUMBERS;
    int[] parent = NO_NUMBERS;
    boolean[] black = {};
    private @Nullable Object latestKey;

    /** Where the nodes of the copy will lie, in bytes of the object space. */
    long nodesPlace;

    int nodeBytes;

    private RawMapCopy(Object map, @Nullable Object setValue) {
        this.map = map;
        this.setValue = setValue;
    }

    /** Where a node will lie, in bytes of the object space. */
    long place(int index) {
        return nodesPlace + (long) index * nodeBytes;
    }

    /**
     * Looks into a map or set; null if it is not to be copied.
     *
     * @param writer knows which comparators are copied; null if all are
     */
    static @Nullable RawMapCopy of(Object owner, @Nullable RawAddressedWriter writer) {
        Object map = owner;
        Object setValue = null;
        if (owner instanceof HashSet) {
            map = RAW.getReference(owner, MapInsides.MAP_OF_HASH_SET);
            setValue = MapInsides.HASH_SET_VALUE;
        } else if (owner instanceof TreeSet) {
            map = RAW.getReference(owner, MapInsides.MAP_OF_TREE_SET);
            setValue = MapInsides.TREE_SET_VALUE;
        }
        if (map == null) {
            return null;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            RawMapCopy copy = new RawMapCopy(map, setValue);
            int result = copy.look(writer);
            if (result != CHANGED) {
                return result == UNSUITABLE ? null : copy;
            }
        }
        return null;
    }

    private int look(@Nullable RawAddressedWriter writer) {
        Class<?> type = map.getClass();
        if (type == HashMap.class) {
            return lookAtHashMap(MapInsides.HASH_NODE, false);
        }
        if (type == LinkedHashMap.class) {
            return lookAtHashMap(MapInsides.LINKED_NODE, true);
        }
        return type == TreeMap.class ? lookAtTree(writer) : UNSUITABLE;
    }

    private void expect(int size) {
        keys = new Object[size];
        values = setValue == null ? new Object[size] : NOTHING;
        keySlots = keys;
        valueSlots = values;
    }

    private boolean add(@Nullable Object key, @Nullable Object value) {
        if (setValue == null) {
            values[count] = value;
        } else if (value != setValue) {
            return false;
        }
        keys[count++] = key;
        return true;
    }

    // ---------------------------------------------------------------- hash maps

    private int lookAtHashMap(@Nullable Class<?> nodeClass, boolean linked) {
        int changes = RAW.getInt(map, MapInsides.CHANGES);
        RAW.loadFence();
        Object[] table = (Object[]) RAW.getReference(map, MapInsides.TABLE);
        int size = RAW.getInt(map, MapInsides.SIZE);
        loadFactorBits = RAW.getInt(map, MapInsides.LOAD_FACTOR);
        accessOrder = linked && RAW.getBoolean(map, MapInsides.ACCESS_ORDER);
        threshold = RAW.getInt(map, MapInsides.THRESHOLD);
        int result = 0;
        if (table == null || size == 0) {
            // A map without a table has the size of its first one in place of the threshold (HashMap.resize).
            threshold = table == null ? threshold : Math.min(table.length, MOST_CAPACITY);
            result = size == 0 ? 0 : CHANGED;
        } else if (size < 0 || Integer.bitCount(table.length) != 1) {
            result = CHANGED;
        } else if (size < table.length / SPARSE && table.length > 2 * SPARSE) {
            result = UNSUITABLE;
        } else {
            threshold = threshold(table.length);
            expect(size);
            hashes = new int[size];
            result = linked ? lookAtList(nodeClass) : lookAtBins(table, nodeClass);
            if (result >= 0) {
                link(table.length);
                result = crowded && longestList() > LONGEST_LIST_OF_CROWDED_BIN ? UNSUITABLE : result;
            }
        }
        RAW.loadFence();
        return result != UNSUITABLE && RAW.getInt(map, MapInsides.CHANGES) != changes ? CHANGED : result;
    }

    /** As {@code HashMap.resize} has it. */
    private int threshold(int capacity) {
        float limit = capacity * Float.intBitsToFloat(loadFactorBits);
        return capacity < MOST_CAPACITY && limit < MOST_CAPACITY ? (int) limit : Integer.MAX_VALUE;
    }

    private int lookAtBins(Object[] table, @Nullable Class<?> nodeClass) {
        int size = keys.length;
        int mask = table.length - 1;
        Class<?> keyClass = null;
        for (int bin = 0; bin <= mask; bin++) {
            Object node = table[bin];
            while (node != null) {
                if (node.getClass() != nodeClass && !isCrowded(node)) {
                    return UNSUITABLE;
                }
                int hash = RAW.getInt(node, MapInsides.NODE_HASH);
                if (count == size || (hash & mask) != bin) {
                    return CHANGED;
                }
                Object key = RAW.getReference(node, MapInsides.NODE_KEY);
                if (key != null && key.getClass() != keyClass) {
                    keyClass = key.getClass();
                    if (!RawMapForm.copiesKey(keyClass)) {
                        return UNSUITABLE;
                    }
                }
                hashes[count] = hash;
                if (!add(key, RAW.getReference(node, MapInsides.NODE_VALUE))) {
                    return UNSUITABLE;
                }
                node = RAW.getReference(node, MapInsides.NODE_NEXT);
            }
        }
        return count == size ? 0 : CHANGED;
    }

    private int lookAtList(@Nullable Class<?> nodeClass) {
        int size = keys.length;
        Class<?> keyClass = null;
        Object before = null;
        Object node = RAW.getReference(map, MapInsides.HEAD);
        while (node != null) {
            if (node.getClass() != nodeClass && !isCrowded(node)) {
                return UNSUITABLE;
            }
            if (count == size || RAW.getReference(node, MapInsides.NODE_BEFORE) != before) {
                return CHANGED;
            }
            Object key = RAW.getReference(node, MapInsides.NODE_KEY);
            if (key != null && key.getClass() != keyClass) {
                keyClass = key.getClass();
                if (!RawMapForm.copiesKey(keyClass)) {
                    return UNSUITABLE;
                }
            }
            hashes[count] = RAW.getInt(node, MapInsides.NODE_HASH);
            if (!add(key, RAW.getReference(node, MapInsides.NODE_VALUE))) {
                return UNSUITABLE;
            }
            before = node;
            node = RAW.getReference(node, MapInsides.NODE_AFTER);
        }
        return count == size && before == RAW.getReference(map, MapInsides.TAIL) ? 0 : CHANGED;
    }

    private boolean isCrowded(Object node) {
        boolean is = node.getClass() == MapInsides.CROWDED_NODE;
        crowded |= is;
        return is;
    }

    private int longestList() {
        int longest = 0;
        for (int first : bins) {
            int length = 0;
            for (int number = first; number != 0; number = next[number - 1]) {
                length++;
            }
            longest = Math.max(longest, length);
        }
        return longest;
    }

    /** Links the nodes of each bin, in the order of their numbers. */
    private void link(int capacity) {
        bins = new int[capacity];
        next = new int[count];
        for (int i = count - 1; i >= 0; i--) {
            int bin = hashes[i] & capacity - 1;
            next[i] = bins[bin];
            bins[bin] = i + 1;
        }
    }

    // ---------------------------------------------------------------- sorted maps

    private int lookAtTree(@Nullable RawAddressedWriter writer) {
        int changes = RAW.getInt(map, MapInsides.TREE_CHANGES);
        RAW.loadFence();
        comparator = RAW.getReference(map, MapInsides.COMPARATOR);
        Object root = RAW.getReference(map, MapInsides.ROOT);
        int size = RAW.getInt(map, MapInsides.TREE_SIZE);
        if (size < 0 || (root == null) != (size == 0)) {
            return CHANGED;
        }
        if (comparator != null && writer != null && writer.formOf(comparator) == RawForm.SIDE) {
            return UNSUITABLE;
        }
        expect(size);
        left = new int[size];
        right = new int[size];
        parent = new int[size];
        black = new boolean[size];
        int result = root == null ? 0 : visit(root, null, 0, 0);
        latestKey = null;
        RAW.loadFence();
        if (result < 0) {
            return result;
        }
        boolean whole = count == size && (size == 0 || black[0]);
        return whole && RAW.getInt(map, MapInsides.TREE_CHANGES) == changes ? 0 : CHANGED;
    }

    /** Looks at a subtree, in the order of its keys; returns its height in black nodes. */
    private int visit(Object node, @Nullable Object above, int aboveNumber, int depth) {
        if (count == keys.length || depth == HEIGHT_LIMIT || RAW.getReference(node, MapInsides.TREE_PARENT) != above) {
            return CHANGED;
        }
        Object key = RAW.getReference(node, MapInsides.TREE_KEY);
        if (key != null && !RawMapForm.copiesKey(key.getClass())) {
            return UNSUITABLE;
        }
        int index = count;
        if (!add(key, RAW.getReference(node, MapInsides.TREE_VALUE))) {
            return UNSUITABLE;
        }
        parent[index] = aboveNumber;
        black[index] = RAW.getBoolean(node, MapInsides.TREE_BLACK);
        if (!black[index] && (aboveNumber == 0 || !black[aboveNumber - 1])) {
            return CHANGED;
        }
        Object smaller = RAW.getReference(node, MapInsides.TREE_LEFT);
        int leftHeight = 0;
        if (smaller != null) {
            left[index] = count + 1;
            leftHeight = visit(smaller, node, index + 1, depth + 1);
            if (leftHeight < 0) {
                return leftHeight;
            }
        }
        if (comparator == null) {
            int order = order(latestKey, key);
            if (order < 0) {
                return order;
            }
            latestKey = key;
        }
        Object larger = RAW.getReference(node, MapInsides.TREE_RIGHT);
        int rightHeight = 0;
        if (larger != null) {
            right[index] = count + 1;
            rightHeight = visit(larger, node, index + 1, depth + 1);
            if (rightHeight < 0) {
                return rightHeight;
            }
        }
        return leftHeight == rightHeight ? leftHeight + (black[index] ? 1 : 0) : CHANGED;
    }

    /** Whether a key follows the one before it, in natural order. */
    private static int order(@Nullable Object before, @Nullable Object key) {
        if (key == null) {
            return UNSUITABLE;
        }
        if (before == null) {
            return 0;
        }
        if (before.getClass() != key.getClass()) {
            return UNSUITABLE;
        }
        @SuppressWarnings("unchecked") // Stable keys have an order among those of their class.
        int compared = ((Comparable<Object>) before).compareTo(key);
        return compared < 0 ? 0 : CHANGED;
    }

    /** Shows what the copy refers to and what may lead to other objects. */
    void forEachReference(Consumer<Object> visitor) {
        if (comparator != null) {
            visitor.accept(comparator);
        }
        Arrays.stream(values).forEach(value -> {
            if (value != null) {
                visitor.accept(value);
            }
        });
    }
}
