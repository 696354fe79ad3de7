package org.heapspan.spark.estimate;

import java.util.Random;

/**
 * Draws the sample of a long array, as Spark's {@code SizeEstimator} does, which always uses the same seed. The last sample is kept, because arrays of the same
 * length are frequent. Not thread-safe.
 */
final class SampledIndexes {
    /** {@code SizeEstimator.visitArray}. */
    private static final long SEED = 42;

    private int length;
    private int[] indexes = {};

    /**
     * Draws different elements.
     *
     * @param ofLength length of the array
     * @param count number of elements to draw, less than the length
     * @return their indexes, in the order in which they were drawn; the caller must not change the array
     */
    int[] of(int ofLength, int count) {
        if (length != ofLength || indexes.length != count) {
            indexes = draw(ofLength, count);
            length = ofLength;
        }
        return indexes;
    }

    private static int[] draw(int length, int count) {
        Random random = new Random(SEED);
        int[] drawn = new int[count];
        // Indexes plus one, in a hash table with open addressing.
        int[] table = new int[Integer.highestOneBit(count) * 4];
        int found = 0;
        while (found < count) {
            int index = random.nextInt(length);
            int slot = index & table.length - 1;
            while (table[slot] != 0 && table[slot] != index + 1) {
                slot = slot + 1 & table.length - 1;
            }
            if (table[slot] == 0) {
                table[slot] = index + 1;
                drawn[found++] = index;
            }
        }
        return drawn;
    }
}
