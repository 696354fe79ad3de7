package org.heapspan.image.inspect;

import java.util.BitSet;

/** Constants of an enum, by their numbers: an image takes a bit for each, and their names may be long. */
final class InspectConstants {
    private final InspectBodies bodies;
    private final InspectType type;
    private final int[] numbers;

    InspectConstants(InspectBodies bodies, InspectType type, byte[] bits) {
        this.bodies = bodies;
        this.type = type;
        numbers = BitSet.valueOf(bits).stream().toArray();
        if (numbers.length > 0) {
            // Refuses numbers that are too high.
            name(numbers.length - 1);
        }
    }

    int count() {
        return numbers.length;
    }

    String name(int index) {
        return bodies.constant(type, numbers[index]);
    }

    /** The names, as far as a value of the tree has room for them. */
    String text() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < numbers.length; i++) {
            if (text.length() > InspectText.VALUE_LIMIT_CHARS) {
                return text.append(", ")
                        .append(InspectText.ELLIPSIS)
                        .append(']')
                        .toString();
            }
            text.append(i == 0 ? "" : ", ").append(name(i));
        }
        return text.append(']').toString();
    }
}
