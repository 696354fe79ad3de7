package org.heapspan.spark.aggregate;

import org.jspecify.annotations.Nullable;

/** A sample of the entries of a map, from which the size of all entries is computed. Not thread-safe. */
interface Sample {
    /** Of a thorough measurement. Few elements may be much larger than the others, and a small sample may have none of them. */
    int MOST_ELEMENTS = 4096;

    /** A thorough measurement visits one of so many elements, so that it takes little of the time in which they were combined. */
    int ELEMENTS_FOR_EACH_SAMPLED = 64;

    /** As {@link org.apache.spark.heapspan.CombinerSizes#combined}. */
    void add(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew);

    /**
     * Tells the sample that much memory was allocated for the last values.
     *
     * @param bytes allocated since the last check; never less than {@link GrowthBound#LARGE_BYTES}
     */
    void addLarge(long bytes);

    /**
     * Measures the sample. Returns the bytes of all keys and combiners, without the table that refers to them.
     *
     * @param thoroughly whether memory may be short, so that more elements are worth their time
     */
    long measure(boolean thoroughly);

    /**
     * How many elements a measurement visits.
     *
     * @param count of all elements
     * @param least also if it is not thorough
     */
    static int elements(boolean thoroughly, long count, int least) {
        return thoroughly ? (int) Math.max(least, Math.min(MOST_ELEMENTS, count / ELEMENTS_FOR_EACH_SAMPLED)) : least;
    }
}
