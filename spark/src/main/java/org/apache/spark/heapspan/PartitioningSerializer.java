package org.apache.spark.heapspan;

import java.util.function.LongPredicate;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;

/** A serializer that keeps the records of a map task apart by reducer while it encodes them. */
public interface PartitioningSerializer {
    /**
     * Begins to take records.
     *
     * @param partitions how many reducers there are
     * @param checked whether all bytes need a checksum; if not, the stream to which they are written notices damage by itself, and few
     *     records can do without
     * @param memory is asked before a long record is kept, whether all records may take so many bytes
     * @return without records, for one thread at a time
     */
    PartitionedRecords partitionedRecords(int partitions, boolean checked, LongPredicate memory);

    /** Makes an instance for blocks of primitives, strings and their arrays, which may be long. */
    SerializerInstance ofPlainBlocks();

    /**
     * Returns the source of the sizes of combiners, for tasks that combine by key.
     *
     * @return null if Spark must estimate the sizes
     */
    CombinerSizes.@Nullable Source combinerSizes();
}
