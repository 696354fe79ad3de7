package org.heapspan.spark.aggregate;

import org.jspecify.annotations.Nullable;

/** What is remembered of the entries of a map, so that their size can be measured. Not thread-safe. */
interface Sample {
    /** As {@link org.apache.spark.heapspan.CombinerSizes#combined}. */
    void add(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew);

    /**
     * Tells that the last values came with much memory.
     *
     * @param bytes that were allocated since the call before; never less than {@link GrowthBound#LARGE_BYTES}
     */
    void addLarge(long bytes);

    /** Walks through the sample: bytes of all keys and combiners, without the table that refers to them. */
    long measure();
}
