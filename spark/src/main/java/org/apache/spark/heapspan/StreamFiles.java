package org.apache.spark.heapspan;

import java.util.List;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * Files of DStreams that outlive the application: checkpoints of RDDs, and write-ahead logs of received blocks. The application that goes on with them may
 * be one without Heapspan. So they are written by Java serialization, as Spark does where no serializer is set.
 *
 * <p>Spark writes them by the serializer that writes everything else. So this looks who asks for an instance. It does so where such files are possible: in
 * the batches of DStreams, and everywhere if the log is switched on.
 *
 * <p>Relies on {@code streaming/.../scheduler/JobScheduler.scala} (the local property of a batch), {@code streaming/.../receiver/ReceivedBlockHandler.scala},
 * {@code streaming/.../util/WriteAheadLogUtils.scala} (the key) and {@code core/.../rdd/ReliableCheckpointRDD.scala} of Spark 4.3.
 */
public final class StreamFiles {
    private static final String BATCH = "spark.streaming.internal.batchTime";
    private static final String LOG = "spark.streaming.receiver.writeAheadLog.enable";

    /** The methods that write such files. */
    private static final Set<String> WRITERS = Set.of(
            "org.apache.spark.rdd.ReliableCheckpointRDD$.writePartitionToCheckpointFile",
            "org.apache.spark.rdd.ReliableCheckpointRDD$.writePartitionerToCheckpointDir",
            "org.apache.spark.streaming.receiver.WriteAheadLogBasedBlockHandler.storeBlock");

    /** What may be between them and this class. */
    private static final List<String> BETWEEN =
            List.of("org.apache.spark.heapspan.", "org.heapspan.", "org.apache.spark.serializer.SerializerManager");

    private final JavaSerializer java;
    private final boolean hasLog;

    /**
     * Makes one for the environment of a JVM.
     *
     * @param conf of the application
     */
    public StreamFiles(SparkConf conf) {
        java = new JavaSerializer(conf);
        hasLog = conf.getBoolean(LOG, false);
    }

    /** Returns what writes such a file, if the caller is about to do so, or null. */
    public @Nullable SerializerInstance instance() {
        return isPossible() && isNext() ? java.newInstance() : null;
    }

    private boolean isPossible() {
        if (hasLog) {
            return true;
        }
        TaskContext task = TaskContext.get();
        if (task != null) {
            return task.getLocalProperty(BATCH) != null;
        }
        Option<SparkContext> driver = SparkContext$.MODULE$.getActive();
        return driver.isDefined() && driver.get().getLocalProperty(BATCH) != null;
    }

    private static boolean isNext() {
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(frame -> isBetween(frame.getClassName()))
                        .findFirst()
                        .filter(frame -> WRITERS.contains(frame.getClassName() + "." + frame.getMethodName()))
                        .isPresent());
    }

    private static boolean isBetween(String name) {
        return BETWEEN.stream().anyMatch(name::startsWith);
    }
}
