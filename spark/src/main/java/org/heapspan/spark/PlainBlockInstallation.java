package org.heapspan.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.PlainBlockSerializer;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes Heapspan write blocks of primitives, strings and their arrays. For these Spark uses a Kryo of its own, whatever {@code spark.serializer} is. Shuffles of such
 * values are the shuffle manager's. So this is only done together with it.
 */
final class PlainBlockInstallation {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private PlainBlockInstallation() {}

    /**
     * Installs it on the driver; never fails.
     *
     * @return whether executors try it too
     */
    static boolean onDriver(SparkConf conf, SparkEnv environment, Part serializer, Part shuffle) {
        if (!serializer.isOn() || !shuffle.isOn() || !PlainBlockSerializer.isWanted(conf)) {
            return false;
        }
        try {
            PlainBlockSerializer.install(environment);
            return true;
        } catch (ReflectiveOperationException | LinkageError e) {
            LOG.warn("Blocks of numbers and strings keep Spark's own serializer: {}", e.toString());
            return false;
        }
    }

    /** Installs it on an executor, if the driver has done so; never fails. Without it, the executor reads the blocks of others, and they read its. */
    static void onExecutor(SparkEnv environment) {
        try {
            PlainBlockSerializer.install(environment);
        } catch (ReflectiveOperationException | LinkageError e) {
            LOG.warn(
                    "Blocks of numbers and strings that this executor writes keep Spark's own serializer: {}",
                    e.toString());
        }
    }
}
