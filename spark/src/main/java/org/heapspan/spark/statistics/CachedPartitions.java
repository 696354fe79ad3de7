package org.heapspan.spark.statistics;

import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.storage.RDDBlockId;
import org.heapspan.HeapspanException;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this JVM's second heap holds of cached partitions, and what was done with them. Thread-safe. */
public final class CachedPartitions {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Those of this JVM, of all applications that run in it one after the other. */
    public static final CachedPartitions OF_THIS_JVM = new CachedPartitions();

    private final LongAdder partitions = new LongAdder();
    private final LongAdder heldBytes = new LongAdder();
    private final LongAdder storedBytes = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder declined = new LongAdder();

    /** Reasons that have been logged: one line for each RDD, not for each partition. */
    private final LoggedOnce logged = new LoggedOnce();

    /** A partition was written. */
    public void stored(long bytes) {
        partitions.increment();
        heldBytes.add(bytes);
        storedBytes.add(bytes);
    }

    /** A partition is about to be read. */
    public void read(long bytes) {
        readBytes.add(bytes);
    }

    /** A partition was removed. */
    public void removed(long bytes) {
        partitions.decrement();
        heldBytes.add(-bytes);
    }

    /** The second heap did not take a partition, which Spark's own store gets. */
    public void declined(RDDBlockId partition, Throwable why) {
        declined.increment();
        Object kind = why instanceof HeapspanException known ? known.category() : why.getClass();
        if (logged.isFirst(kind + " " + partition.rddId())) {
            LOG.warn(
                    "Heapspan: Spark's own store keeps {}, and perhaps other partitions of that RDD, because the"
                            + " second heap could not store it: {}",
                    partition,
                    why instanceof HeapspanException ? why.getMessage() : why.toString());
        }
    }

    /** What was told so far was a test. */
    public void startOver() {
        partitions.reset();
        heldBytes.reset();
        storedBytes.reset();
        readBytes.reset();
        declined.reset();
        logged.startOver();
    }

    /** How many partitions it holds. */
    public long partitions() {
        return partitions.sum();
    }

    /** How many bytes they take. */
    public long heldBytes() {
        return heldBytes.sum();
    }

    /** How many bytes were written to it. */
    public long storedBytes() {
        return storedBytes.sum();
    }

    /** How many bytes were read of it; a partition that is read in part counts whole. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** How many partitions it did not take. */
    public long declined() {
        return declined.sum();
    }
}
