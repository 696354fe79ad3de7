package org.heapspan.spark.aggregate;

import org.jspecify.annotations.Nullable;

/** A sample of the entries of a map, from which the size of all entries is computed. Not thread-safe. */
interface Sample {
    /** As {@link org.apache.spark.heapspan.CombinerSizes#combined}. */
    void add(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew);

    /**
     * Tells the sample that much memory was allocated for the last values.
     *
     * @param bytes allocated since the last check; never less than {@link GrowthBound#LARGE_BYTES}
     */
    void addLarge(long bytes);

    /** Measures the sample. Returns the bytes of all keys and combiners, without the table that refers to them. */
    long measure();
}
