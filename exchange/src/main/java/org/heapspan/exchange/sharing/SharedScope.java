package org.heapspan.exchange.sharing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The values that a graph can refer to: those of some groups, one after the other. Immutable, so it can be used while others follow it. */
public final class SharedScope {
    /** Without any value. */
    public static final SharedScope EMPTY = new SharedScope(List.of());

    private final List<SharedGroup> groups;
    private final int[] firsts;
    private final Map<Object, Integer> numbers = new HashMap<>();
    private final Set<Class<?>> types = new HashSet<>();

    /** Of equal values in several groups, the one of the first counts. */
    public SharedScope(List<SharedGroup> groups) {
        this.groups = List.copyOf(groups);
        firsts = new int[groups.size()];
        int first = 0;
        for (int i = 0; i < firsts.length; i++) {
            SharedGroup group = groups.get(i);
            firsts[i] = first;
            for (int k = 0; k < group.count(); k++) {
                Object value = group.value(k);
                numbers.putIfAbsent(value, first + k);
                types.add(value.getClass());
            }
            first = Math.addExact(first, group.count());
        }
    }

    /** The groups, in order. */
    public List<SharedGroup> groups() {
        return groups;
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** The number of the first value of a group. */
    int first(int group) {
        return firsts[group];
    }

    /** The group that has the value of a number. */
    private int groupOf(int number) {
        int group = firsts.length - 1;
        while (firsts[group] > number) {
            group--;
        }
        return group;
    }

    /** The number of an equal value of the same class, or -1. */
    int find(Object value) {
        if (!types.contains(value.getClass())) {
            return -1;
        }
        Integer found = numbers.get(value);
        if (found == null) {
            return -1;
        }
        int group = groupOf(found);
        return groups.get(group).value(found - firsts[group]).getClass() == value.getClass() ? found : -1;
    }
}
