package org.apache.spark.heapspan;

import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.RDDBlockId;

/**
 * Which blocks this JVM keeps. Thread-safe.
 *
 * <p>Relies on {@code core/.../storage/BlockManager.scala}.
 */
public final class StoredBlocks {
    private StoredBlocks() {}

    /**
     * Whether the objects of a partition are in Spark's memory store.
     *
     * @param rdd its RDD
     * @param partition its number
     * @return false also where Spark has ended
     */
    public static boolean isInMemory(int rdd, int partition) {
        SparkEnv environment = SparkEnv.get();
        return environment != null && environment.blockManager().memoryStore().contains(new RDDBlockId(rdd, partition));
    }

    /**
     * Whether there is a broadcast, in memory or on disk.
     *
     * @param broadcast its number
     * @return false also where Spark has ended
     */
    public static boolean hasBroadcast(long broadcast) {
        SparkEnv environment = SparkEnv.get();
        return environment != null
                && environment
                        .blockManager()
                        .blockInfoManager()
                        .get(new BroadcastBlockId(broadcast, ""))
                        .isDefined();
    }
}
