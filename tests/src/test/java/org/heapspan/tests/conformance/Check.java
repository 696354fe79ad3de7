package org.heapspan.tests.conformance;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Assertions used by verifiers inside the receiving process.
 *
 * <p>Deliberately free of any library: whatever is loaded before the corpus would disturb the identity hashes that
 * {@link Perturbation} has just spread.
 */
final class Check {

    private Check() {}

    static void that(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    static void equal(Object expected, Object actual, String what) {
        if (!Objects.deepEquals(expected, actual)) {
            throw new AssertionError(what + ": expected " + shown(expected) + ", actual " + shown(actual));
        }
    }

    static void same(Object expected, Object actual, String what) {
        if (expected != actual) {
            throw new AssertionError(what + ": expected the identical object " + shown(expected) + ", actual "
                    + shown(actual) + (Objects.deepEquals(expected, actual) ? " (equal, not identical)" : ""));
        }
    }

    static void notSame(Object unexpected, Object actual, String what) {
        if (unexpected == actual) {
            throw new AssertionError(what + ": expected two objects, both are " + shown(actual));
        }
    }

    static void isExactly(Class<?> expected, Object actual) {
        equal(expected, actual == null ? null : actual.getClass(), "class of the received object");
    }

    static void throwsA(Class<? extends Throwable> expected, Action action, String what) {
        try {
            action.run();
        } catch (Throwable e) {
            if (expected.isInstance(e)) {
                return;
            }
            throw new AssertionError(what + ": expected " + expected.getName() + ", actual " + e, e);
        }
        throw new AssertionError(what + ": expected " + expected.getName() + ", nothing was thrown");
    }

    /** Every fresh key is found by every way of asking, and nothing else is in the map. */
    static void finds(Map<?, ?> map, Object... freshKeysAndValues) {
        equal(freshKeysAndValues.length / 2, map.size(), "size of the map");
        for (int i = 0; i < freshKeysAndValues.length; i += 2) {
            Object key = freshKeysAndValues[i];
            Object value = freshKeysAndValues[i + 1];
            that(map.containsKey(key), "containsKey(" + shown(key) + ") is false; keys " + shown(map.keySet()));
            equal(value, map.get(key), "get(" + shown(key) + ")");
            that(map.keySet().contains(key), "keySet().contains(" + shown(key) + ") is false");
            that(
                    map.entrySet().contains(new java.util.AbstractMap.SimpleImmutableEntry<>(key, value)),
                    "entrySet() does not contain " + shown(key));
        }
        int seen = 0;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            equal(entry.getValue(), map.get(entry.getKey()), "get of the key met by iteration");
            seen++;
        }
        equal(map.size(), seen, "entries met by iteration");
    }

    /** Every fresh element is contained, and nothing else is. */
    static void finds(Set<?> set, Object... freshElements) {
        equal(freshElements.length, set.size(), "size of the set");
        for (Object element : freshElements) {
            that(set.contains(element), "contains(" + shown(element) + ") is false; elements " + shown(set));
        }
        int seen = 0;
        for (Object element : set) {
            that(set.contains(element), "element met by iteration is not contained: " + shown(element));
            seen++;
        }
        equal(set.size(), seen, "elements met by iteration");
    }

    /** The map can still be changed: a wrong threshold, size or table would show here. */
    static <K, V> void canGrow(Map<K, V> map, K absentKey, V value) {
        int size = map.size();
        equal(null, map.put(absentKey, value), "put of an absent key");
        equal(size + 1, map.size(), "size after put");
        equal(value, map.get(absentKey), "get after put");
        equal(value, map.remove(absentKey), "remove");
        equal(size, map.size(), "size after remove");
    }

    static <E> void canGrow(Collection<E> collection, E absent) {
        int size = collection.size();
        that(collection.add(absent), "add of an absent element returned false");
        equal(size + 1, collection.size(), "size after add");
        that(collection.contains(absent), "contains after add");
        that(collection.remove(absent), "remove after add");
        equal(size, collection.size(), "size after remove");
    }

    static void inOrder(Iterable<?> received, Object... expected) {
        Iterator<?> it = received.iterator();
        for (int i = 0; i < expected.length; i++) {
            that(it.hasNext(), "iteration ended at " + i + ", expected " + expected.length + " elements");
            equal(expected[i], it.next(), "element " + i + " in iteration order");
        }
        that(!it.hasNext(), "iteration has more than " + expected.length + " elements");
    }

    private static String shown(Object value) {
        try {
            String text =
                    value instanceof Object[] array ? java.util.Arrays.deepToString(array) : String.valueOf(value);
            return text.length() > 160 ? text.substring(0, 160) + "…" : text;
        } catch (Throwable e) {
            return "(" + value.getClass().getName() + " whose toString throws " + e + ")";
        }
    }

    interface Action {
        void run() throws Throwable;
    }
}
