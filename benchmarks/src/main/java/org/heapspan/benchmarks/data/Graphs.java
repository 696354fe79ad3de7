package org.heapspan.benchmarks.data;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * Deep comparison and checksum of the benchmarks' object graphs: public fields of our own classes, and collections, maps,
 * arrays, strings, boxes and instants of the JDK. Iterative, so that a list of any length works.
 */
final class Graphs {
    /** A step of the comparison: the two objects and where they were found. */
    private record Step(Object original, Object decoded, String path) {}

    private static final ClassValue<Field[]> FIELDS = new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
            List<Field> fields = new ArrayList<>();
            for (Field field : type.getFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    fields.add(field);
                }
            }
            return fields.toArray(new Field[0]);
        }
    };

    private Graphs() {}

    /**
     * The first difference in words, or {@code null} if there is none.
     *
     * @param identity whether references must be shared alike, too; strings and value-based classes are exempt
     */
    static String difference(Object original, Object decoded, boolean identity) {
        ArrayDeque<Step> pending = new ArrayDeque<>();
        IdentityHashMap<Object, Object> counterpart = new IdentityHashMap<>();
        Set<Object> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        pending.push(new Step(original, decoded, "record"));
        while (!pending.isEmpty()) {
            Step step = pending.pop();
            Object a = step.original;
            Object b = step.decoded;
            if (a == null || b == null) {
                if (a != b) {
                    return step.path + ": " + a + " became " + b;
                }
                continue;
            }
            if (a.getClass() != b.getClass()) {
                return step.path + ": " + a.getClass().getName() + " became "
                        + b.getClass().getName();
            }
            if (isLeaf(a)) {
                if (!a.equals(b)) {
                    return step.path + ": " + a + " became " + b;
                }
                continue;
            }
            Object known = counterpart.get(a);
            if (known != null) {
                // Walked before: what is left to check is whether the decoded graph shares it, too.
                if (identity && known != b) {
                    return step.path + ": a shared object was split";
                }
                continue;
            }
            counterpart.put(a, b);
            if (identity && !taken.add(b)) {
                return step.path + ": two objects became one";
            }
            String problem = compareContents(a, b, step.path, pending);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static String compareContents(Object a, Object b, String path, ArrayDeque<Step> pending) {
        if (a.getClass().isArray()) {
            return compareArrays(a, b, path, pending);
        }
        if (a instanceof Map<?, ?> map) {
            return compareMaps(map, (Map<?, ?>) b, path, pending);
        }
        if (a instanceof Collection<?> collection) {
            Collection<?> other = (Collection<?>) b;
            if (collection.size() != other.size()) {
                return path + ": size " + collection.size() + " became " + other.size();
            }
            Iterator<?> theirs = other.iterator();
            int index = 0;
            for (Object element : collection) {
                pending.push(new Step(element, theirs.next(), path + "[" + index++ + "]"));
            }
            return null;
        }
        try {
            for (Field field : FIELDS.get(a.getClass())) {
                // The path of a long list would be longer than the list.
                String next = path.length() > 200 ? "..." : path + "." + field.getName();
                pending.push(new Step(field.get(a), field.get(b), next));
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("benchmark classes have public fields only, but not " + a.getClass(), e);
        }
        return null;
    }

    private static String compareArrays(Object a, Object b, String path, ArrayDeque<Step> pending) {
        int length = Array.getLength(a);
        if (length != Array.getLength(b)) {
            return path + ": length " + length + " became " + Array.getLength(b);
        }
        if (a instanceof double[] doubles) {
            return java.util.Arrays.equals(doubles, (double[]) b) ? null : path + ": numbers differ";
        }
        for (int i = 0; i < length; i++) {
            pending.push(new Step(Array.get(a, i), Array.get(b, i), path + "[" + i + "]"));
        }
        return null;
    }

    private static String compareMaps(Map<?, ?> a, Map<?, ?> b, String path, ArrayDeque<Step> pending) {
        if (a.size() != b.size()) {
            return path + ": size " + a.size() + " became " + b.size();
        }
        boolean ordered = a instanceof SortedMap || a instanceof LinkedHashMap;
        Iterator<?> theirs = b.keySet().iterator();
        for (Map.Entry<?, ?> entry : a.entrySet()) {
            Object key = entry.getKey();
            if (!b.containsKey(key)) {
                return path + ": no key " + key;
            }
            if (ordered && !key.equals(theirs.next())) {
                return path + ": the order of the keys changed";
            }
            pending.push(new Step(entry.getValue(), b.get(key), path + "{" + key + "}"));
        }
        return null;
    }

    /** A sum over all values that depends on each of them. */
    static long checksum(Object record) {
        long sum = 17;
        ArrayDeque<Object> pending = new ArrayDeque<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        pending.push(record);
        while (!pending.isEmpty()) {
            Object next = pending.pop();
            if (isLeaf(next)) {
                sum = sum * 31 + hash(next);
            } else if (seen.add(next)) {
                sum = sum * 31 + expand(next, pending);
            }
        }
        return sum;
    }

    private static long expand(Object object, ArrayDeque<Object> pending) {
        if (object instanceof double[] doubles) {
            return java.util.Arrays.hashCode(doubles);
        }
        if (object instanceof Object[] elements) {
            for (Object element : elements) {
                pushUnlessNull(element, pending);
            }
            return elements.length;
        }
        if (object instanceof Map<?, ?> map) {
            // A hash map may iterate in another order after decoding: its keys, which are all leaves, count by their
            // sum.
            long keys = map.size();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                keys += entry.getKey().hashCode() * 31L + (isLeafOrNull(entry.getValue()) ? hash(entry.getValue()) : 0);
                if (!isLeafOrNull(entry.getValue())) {
                    pending.push(entry.getValue());
                }
            }
            return keys;
        }
        if (object instanceof Collection<?> collection) {
            collection.forEach(element -> pushUnlessNull(element, pending));
            return collection.size();
        }
        try {
            for (Field field : FIELDS.get(object.getClass())) {
                pushUnlessNull(field.get(object), pending);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("benchmark classes have public fields only, not " + object.getClass(), e);
        }
        return 1;
    }

    private static int hash(Object leaf) {
        // The hash code of an enum constant is that of its identity.
        return leaf instanceof Enum<?> constant ? constant.name().hashCode() : leaf == null ? 0 : leaf.hashCode();
    }

    private static boolean isLeafOrNull(Object object) {
        return object == null || isLeaf(object);
    }

    private static void pushUnlessNull(Object object, ArrayDeque<Object> pending) {
        if (object != null) {
            pending.push(object);
        }
    }

    private static boolean isLeaf(Object object) {
        return object instanceof String
                || object instanceof Number
                || object instanceof Boolean
                || object instanceof Character
                || object instanceof Enum<?>
                || object instanceof Instant;
    }
}
