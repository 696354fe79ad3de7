package org.heapspan.spark.estimate;

import java.util.Random;

/**
 * Which elements of a long array are a sample: those that Spark's {@code SizeEstimator} draws, which always begins with the same seed. The last ones are
 * kept, as arrays of one length come again and again. Not thread-safe.
 */
final class SampledIndexes {
    /** {@code SizeEstimator.visitArray}. */
    private static final long SEED = 42;

    private int length;
    private int[] indexes = {};

    /**
     * Draws without putting back.
     *
     * @param ofLength length of the array
     * @param count how many elements, fewer than it has
     * @return their indexes, in the order in which they were drawn; not to be changed
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
        // Indexes plus one, by open addressing.
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
