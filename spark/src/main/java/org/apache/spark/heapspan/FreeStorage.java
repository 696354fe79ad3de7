package org.apache.spark.heapspan;

import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;

/** How much more Spark can keep in memory. Relies on {@code core/.../memory/MemoryManager.scala}. */
public final class FreeStorage {
    private FreeStorage() {}

    /**
     * The memory in which this executor can keep partitions so that no other ones go. Other tasks may use it a moment later.
     *
     * @return bytes of the heap, as Spark counts them
     */
    public static long sizeBytes() {
        MemoryManager memory = SparkEnv.get().memoryManager();
        return Math.max(0, memory.maxOnHeapStorageMemory() - memory.storageMemoryUsed());
    }
}
