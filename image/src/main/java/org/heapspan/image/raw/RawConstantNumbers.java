package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The constants of a raw image, numbered in the order in which they are found. The reader has these objects already. Not thread-safe. */
final class RawConstantNumbers {
    private static final int CACHED = 64;

    private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
    private final List<Object> constants = new ArrayList<>();
    private final @Nullable Object[] cachedConstants = new Object[CACHED];
    private final int[] cachedNumbers = new int[CACHED];

    int numberOf(Object constant) {
        int place = System.identityHashCode(constant) & CACHED - 1;
        if (cachedConstants[place] == constant) {
            return cachedNumbers[place];
        }
        Integer known = numbers.get(constant);
        int number = known == null ? constants.size() : known;
        if (known == null) {
            constants.add(constant);
            numbers.put(constant, number);
        }
        cachedConstants[place] = constant;
        cachedNumbers[place] = number;
        return number;
    }

    int count() {
        return constants.size();
    }

    Object get(int number) {
        return constants.get(number);
    }

    /** Takes back the constants from a number on. */
    void cutTo(int count) {
        if (constants.size() == count) {
            return;
        }
        while (constants.size() > count) {
            numbers.remove(constants.remove(constants.size() - 1));
        }
        Arrays.fill(cachedConstants, null);
    }
}
