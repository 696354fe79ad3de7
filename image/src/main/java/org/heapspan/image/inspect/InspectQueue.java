package org.heapspan.image.inspect;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects of an image whose bodies come later, in the order in which they come; small, as there may be millions. */
final class InspectQueue {
    // A ring; its length is a power of two.
    private InspectType[] types = new InspectType[0];
    private int[] lengths = new int[0];
    private int first;
    private int count;

    /** Most objects are not shown; the keys count all that were ever added. */
    private final Map<Long, InspectNode> nodes = new HashMap<>(0);

    private long removed;

    boolean isEmpty() {
        return count == 0;
    }

    /** Type of the first. */
    InspectType type() {
        return types[first];
    }

    /** Length of the first, if it is an array. */
    int length() {
        return lengths[first];
    }

    /** Where the first is shown; null if it is not. */
    @Nullable
    InspectNode node() {
        return nodes.get(removed);
    }

    void removeFirst() {
        nodes.remove(removed++);
        first = first + 1 & types.length - 1;
        count--;
    }

    void add(InspectType type, int length, @Nullable InspectNode node) {
        if (count == types.length) {
            grow();
        }
        int place = first + count & types.length - 1;
        types[place] = type;
        lengths[place] = length;
        if (node != null) {
            nodes.put(removed + count, node);
        }
        count++;
    }

    private void grow() {
        int size = Math.max(16, count * 2);
        InspectType[] newTypes = Arrays.copyOf(types, size);
        int[] newLengths = Arrays.copyOf(lengths, size);
        for (int i = 0; i < count; i++) {
            int place = first + i & types.length - 1;
            newTypes[i] = types[place];
            newLengths[i] = lengths[place];
        }
        types = newTypes;
        lengths = newLengths;
        first = 0;
    }
}
