package org.heapspan.tests.random;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares an original with its copy object by object: same classes, same values, and references that are equal in the one are
 * equal in the other.
 *
 * <p>Iterative, so that the shape of a graph does not matter. Value-based objects (boxes, java.time) are compared by value
 * only.
 */
@SuppressWarnings("IdentityHashMapUsage")
final class Isomorphism {

    /** The fields of an object of a class, those of its superclasses too. */
    private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            List<Field> fields = new ArrayList<>();
            for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
                for (Field field : c.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        fields.add(field);
                    }
                }
            }
            return fields;
        }
    };

    private final Map<Object, Object> copyOf = new IdentityHashMap<>();
    private final Map<Object, Object> originalOf = new IdentityHashMap<>();
    private final ArrayDeque<Pair> pending = new ArrayDeque<>();
    private final boolean transientCleared;

    private Isomorphism(boolean transientCleared) {
        this.transientCleared = transientCleared;
    }

    /** Returns what differs first, or nothing. */
    static String difference(Object original, Object copy, boolean transientCleared)
            throws ReflectiveOperationException {
        Isomorphism comparison = new Isomorphism(transientCleared);
        String difference = comparison.relate(original, copy, "root");
        while (difference.isEmpty() && !comparison.pending.isEmpty()) {
            Pair next = comparison.pending.remove();
            difference = comparison.compare(next.original, next.copy, next.path);
        }
        return difference;
    }

    private record Pair(Object original, Object copy, String path) {}

    /** Notes that the two stand for each other; compared later. */
    private String relate(Object original, Object copy, String path) {
        if (original == null || copy == null) {
            return original == copy ? "" : path + ": expected " + shown(original) + ", actual " + shown(copy);
        }
        if (original.getClass() != copy.getClass()) {
            return path + ": expected a " + original.getClass().getName() + ", actual a "
                    + copy.getClass().getName();
        }
        if (original instanceof Enum || original instanceof Class) {
            return original == copy ? "" : path + ": expected the identical " + original;
        }
        if (isValue(original)) {
            return original.equals(copy) ? "" : path + ": expected " + shown(original) + ", actual " + shown(copy);
        }
        Object known = copyOf.get(original);
        Object knownOriginal = originalOf.get(copy);
        if (known == null && knownOriginal == null) {
            copyOf.put(original, copy);
            originalOf.put(copy, original);
            pending.add(
                    new Pair(original, copy, path.length() > 200 ? "…" + path.substring(path.length() - 150) : path));
            return "";
        }
        if (known != copy) {
            return path + ": expected the one copy of a shared "
                    + original.getClass().getName() + ", actual another";
        }
        return knownOriginal == original ? "" : path + ": one object stands for two originals";
    }

    private static boolean isValue(Object object) {
        return (object instanceof Number && object.getClass().getName().startsWith("java.lang."))
                || object instanceof Boolean
                || object instanceof Character
                || object.getClass().getName().startsWith("java.time.");
    }

    private String compare(Object original, Object copy, String path) throws ReflectiveOperationException {
        if (original instanceof String
                || original.getClass().getName().startsWith("java.math.")
                || original instanceof java.util.UUID) {
            return original.equals(copy) ? "" : path + ": expected " + shown(original) + ", actual " + shown(copy);
        }
        if (original.getClass().isArray()) {
            return compareArrays(original, copy, path);
        }
        if (original instanceof Map<?, ?> map) {
            return compareMaps(map, (Map<?, ?>) copy, path);
        }
        if (original instanceof Collection<?> collection) {
            return compareCollections(collection, (Collection<?>) copy, path);
        }
        for (Field field : FIELDS.get(original.getClass())) {
            Object expected = field.get(original);
            Object actual = field.get(copy);
            String fieldPath = path + "." + field.getName();
            if (Modifier.isTransient(field.getModifiers()) && transientCleared) {
                expected = Array.get(Array.newInstance(field.getType(), 1), 0);
            }
            String difference = field.getType().isPrimitive()
                    ? (expected.equals(actual) ? "" : fieldPath + ": expected " + expected + ", actual " + actual)
                    : relate(expected, actual, fieldPath);
            if (!difference.isEmpty()) {
                return difference;
            }
        }
        return "";
    }

    private String compareArrays(Object original, Object copy, String path) {
        int length = Array.getLength(original);
        if (length != Array.getLength(copy)) {
            return path + ".length: expected " + length + ", actual " + Array.getLength(copy);
        }
        boolean primitive = original.getClass().getComponentType().isPrimitive();
        for (int i = 0; i < length; i++) {
            Object expected = Array.get(original, i);
            Object actual = Array.get(copy, i);
            String difference = primitive
                    ? (expected.equals(actual) ? "" : path + "[" + i + "]: expected " + expected + ", actual " + actual)
                    : relate(expected, actual, path + "[" + i + "]");
            if (!difference.isEmpty()) {
                return difference;
            }
        }
        return "";
    }

    private String compareCollections(Collection<?> original, Collection<?> copy, String path) {
        if (original.size() != copy.size()) {
            return path + ".size: expected " + original.size() + ", actual " + copy.size();
        }
        boolean ordered = original instanceof List
                || original instanceof java.util.Deque
                || original instanceof java.util.LinkedHashSet;
        if (ordered) {
            Iterator<?> copies = copy.iterator();
            int index = 0;
            for (Object each : original) {
                String difference = relate(each, copies.next(), path + "{" + index++ + "}");
                if (!difference.isEmpty()) {
                    return difference;
                }
            }
        } else {
            Map<Object, Object> byMark = marked(copy);
            for (Object each : original) {
                Object actual = byMark.get(mark(each));
                String difference = actual == null
                        ? path + ": no element " + shown(each)
                        : relate(each, actual, path + "{" + mark(each) + "}");
                if (!difference.isEmpty()) {
                    return difference;
                }
            }
        }
        if (copy instanceof Set<?> set) {
            for (Object each : set) {
                if (!set.contains(each)) {
                    return path + ": contains(" + shown(each) + ") is false for its own element";
                }
            }
        }
        return "";
    }

    private String compareMaps(Map<?, ?> original, Map<?, ?> copy, String path) {
        if (original.size() != copy.size()) {
            return path + ".size: expected " + original.size() + ", actual " + copy.size();
        }
        Map<Object, Object> keysByMark = marked(copy.keySet());
        for (Map.Entry<?, ?> each : original.entrySet()) {
            Object key = keysByMark.get(mark(each.getKey()));
            String at = path + "{" + mark(each.getKey()) + "}";
            if (key == null) {
                return at + ": no such key";
            }
            if (!copy.containsKey(key)) {
                return at + ": containsKey is false for a key met by iteration";
            }
            String difference = relate(each.getKey(), key, at + ".key");
            if (difference.isEmpty()) {
                difference = relate(each.getValue(), copy.get(key), at);
            }
            if (!difference.isEmpty()) {
                return difference;
            }
        }
        return "";
    }

    private static Map<Object, Object> marked(Collection<?> elements) {
        Map<Object, Object> byMark = new HashMap<>();
        for (Object each : elements) {
            byMark.put(mark(each), each);
        }
        return byMark;
    }

    /** What a key is recognised by on both sides. */
    private static Object mark(Object key) {
        return key instanceof Numbered numbered ? "object " + numbered.number : key;
    }

    private static String shown(Object object) {
        return object instanceof Numbered numbered
                ? object.getClass().getName() + " number " + numbered.number
                : String.valueOf(object);
    }
}
