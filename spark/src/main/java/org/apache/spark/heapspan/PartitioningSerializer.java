package org.apache.spark.heapspan;

import org.jspecify.annotations.Nullable;

/** A serializer that keeps the records of a map task apart by reducer while it encodes them. */
public interface PartitioningSerializer {
    /**
     * Begins to take records.
     *
     * @param partitions how many reducers there are
     * @return without records, for one thread at a time
     */
    PartitionedRecords partitionedRecords(int partitions);

    /**
     * How tasks follow the memory of what they combine by key.
     *
     * @return null to leave that to Spark
     */
    CombinerSizes.@Nullable Source combinerSizes();
}
