package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reference slots of copies whose targets have not been read yet, by the group in which the target will be. */
final class RawPendingSlots {
    /** Slots that wait for one group of objects. */
    static final class Group {
        private Object[] holders = new Object[4];
        private RawClass[] classes = new RawClass[4];
        private long[] offsets = new long[4];
        private long[] targets = new long[4];
        private int count;

        private void add(RawClass holderClass, Object holder, long offset, long target) {
            if (count == holders.length) {
                holders = Arrays.copyOf(holders, count * 2);
                classes = Arrays.copyOf(classes, count * 2);
                offsets = Arrays.copyOf(offsets, count * 2);
                targets = Arrays.copyOf(targets, count * 2);
            }
            holders[count] = holder;
            classes[count] = holderClass;
            offsets[count] = offset;
            targets[count] = target;
            count++;
        }

        int count() {
            return count;
        }

        long target(int index) {
            return targets[index];
        }

        void put(RawObjectReader reader, int index, Object value) {
            classes[index].put(reader, holders[index], offsets[index], value);
        }
    }

    private final Map<Long, Group> groups = new HashMap<>();

    boolean isEmpty() {
        return groups.isEmpty();
    }

    void clear() {
        groups.clear();
    }

    /**
     * Lets a slot wait.
     *
     * @param group the group of the object
     * @param target the object within the group, for whoever takes the group
     */
    void add(long group, RawClass holderClass, Object holder, long offset, long target) {
        groups.computeIfAbsent(group, unused -> new Group()).add(holderClass, holder, offset, target);
    }

    boolean contains(long group) {
        return groups.containsKey(group);
    }

    /** Takes out the slots that wait for a group; null if there are none. */
    @Nullable
    Group take(long group) {
        return groups.remove(group);
    }

    /** Lets one of the slots that were taken out wait further. */
    void addAgain(long group, Group taken, int index) {
        add(group, taken.classes[index], taken.holders[index], taken.offsets[index], taken.targets[index]);
    }
}
