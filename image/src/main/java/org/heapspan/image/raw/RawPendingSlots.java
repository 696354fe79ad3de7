package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reference slots of copies that wait for side objects, by the numbers of these. */
final class RawPendingSlots {
    /** Slots that wait for one object. */
    static final class Group {
        private Object[] holders = new Object[4];
        private RawClass[] classes = new RawClass[4];
        private long[] offsets = new long[4];
        private int count;

        private void add(RawClass holderClass, Object holder, long offset) {
            if (count == holders.length) {
                holders = Arrays.copyOf(holders, count * 2);
                classes = Arrays.copyOf(classes, count * 2);
                offsets = Arrays.copyOf(offsets, count * 2);
            }
            holders[count] = holder;
            classes[count] = holderClass;
            offsets[count] = offset;
            count++;
        }

        int count() {
            return count;
        }

        void put(RawObjectReader reader, int index, Object value) {
            classes[index].put(reader, holders[index], offsets[index], value);
        }
    }

    private final Map<Long, Group> groups = new HashMap<>();

    void clear() {
        groups.clear();
    }

    /** Lets a slot wait for the object of a number. */
    void add(long number, RawClass holderClass, Object holder, long offset) {
        groups.computeIfAbsent(number, unused -> new Group()).add(holderClass, holder, offset);
    }

    boolean contains(long number) {
        return groups.containsKey(number);
    }

    /** Takes out the slots that wait for an object; null if there are none. */
    @Nullable
    Group take(long number) {
        return groups.remove(number);
    }
}
