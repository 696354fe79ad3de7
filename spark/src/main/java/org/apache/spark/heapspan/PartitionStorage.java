package org.apache.spark.heapspan;

import java.util.Iterator;
import org.apache.spark.storage.RDDBlockId;
import org.jspecify.annotations.Nullable;

/** Where a {@link PartitionStore} keeps cached partitions of objects. Thread-safe. */
public interface PartitionStorage {
    /** A partition that is kept. Thread-safe. */
    interface Kept {
        /** What it takes, in bytes. */
        long bytes();

        /** Its records, in their order, one pass for each iterator. */
        Values values();

        /** Lets go of it; those who are reading come to the end. */
        void close();
    }

    /** Records that are being read. Closed by whoever may not come to the end; any thread may do so. */
    interface Values extends Iterator<Object>, AutoCloseable {
        /** Whether what {@link #hasNext} or {@link #next} has thrown says that the partition cannot be read any more, by anybody. */
        boolean isLoss(Throwable failure);

        @Override
        void close();
    }

    /**
     * What became of a partition.
     *
     * @param kept the partition; null if it could not be kept
     * @param values if not, all its records, those that were read already among them, in their order; else empty
     * @param why why not, for messages
     * @param <T> class of the records
     */
    record Outcome<T>(@Nullable Kept kept, Iterator<T> values, String why) {}

    /**
     * Tells whether a partition of such records belongs here. Spark keeps the others, and nothing of them is counted.
     *
     * @param partition which one it is
     * @param recordClass the class of the records as far as the RDD knows it
     */
    boolean takes(RDDBlockId partition, Class<?> recordClass);

    /**
     * Tells whether a failure to read a partition says that other partitions of its RDD are probably lost as well.
     *
     * @param failure for which {@link Values#isLoss} returned true
     */
    boolean losesOthers(Throwable failure);

    /**
     * Keeps a partition.
     *
     * @param partition which one it is
     * @param values its records, which are read once
     * @param isReplicated whether Spark sends it to another host next, and encodes all of it in memory for that
     * @param <T> class of the records
     * @return what became of it
     * @throws RuntimeException what the iterator throws, and nothing else; nothing of the partition is kept then
     */
    <T> Outcome<T> keep(RDDBlockId partition, Iterator<T> values, boolean isReplicated);
}
