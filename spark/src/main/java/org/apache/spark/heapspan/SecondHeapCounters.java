package org.apache.spark.heapspan;

import org.apache.spark.storage.RDDBlockId;
import org.heapspan.HeapspanException;

/** Is told what a {@link SecondHeapStore} does. Called by tasks, so thread-safe and quick. */
public interface SecondHeapCounters {
    /** A partition was written. */
    void stored(long records, long bytes);

    /** A partition is about to be read. */
    void read(long records, long bytes);

    /** A partition was removed. */
    void removed(long records, long bytes);

    /** The second heap did not take a partition, which Spark's own store gets. */
    void declined(RDDBlockId partition, HeapspanException why);

    /** Why the last one was declined, for messages. */
    String lastDecline();

    /** What was told so far was a test. */
    void startOver();
}
