package org.apache.spark.heapspan;

import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.RDDBlockId;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Which blocks this JVM keeps, and in the driver also which ones executors keep. Thread-safe.
 *
 * <p>Relies on {@code core/.../storage/BlockManager.scala}, {@code core/.../scheduler/DAGScheduler.scala} and {@code TaskLocation.scala}.
 */
public final class StoredBlocks {
    /** Begins the text of a {@code TaskLocation} that is an executor, and not a host. */
    private static final String EXECUTOR = "executor_";

    private StoredBlocks() {}

    /**
     * The executors that keep a partition of a persisted RDD, as Spark's scheduler knows them. For the driver.
     *
     * @param rdd any one
     * @param partition its number
     * @return in the form of preferred locations; none if the partition is not kept
     */
    public static List<String> executorsOf(RDD<?> rdd, int partition) {
        return CollectionConverters.asJava(
                        rdd.context().dagScheduler().getCacheLocs(rdd).apply(partition))
                .stream()
                .map(Object::toString)
                .toList();
    }

    /**
     * Whether a preferred location is an executor.
     *
     * @param location from {@link #executorsOf}, or from an RDD
     * @return false for a host
     */
    public static boolean isExecutor(String location) {
        return location.startsWith(EXECUTOR);
    }

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
