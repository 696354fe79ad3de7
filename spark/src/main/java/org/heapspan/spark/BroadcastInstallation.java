package org.heapspan.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.BroadcastWatch;
import org.apache.spark.heapspan.EnvironmentSerializer;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implements {@code spark.heapspan.broadcast=false}: broadcasts are written with Java serialization. Spark uses the serializer of its
 * environment for broadcasts and for other data. So {@link BroadcastWatch} finds out whether Spark is writing a broadcast, and readers recognize
 * the format by its first bytes.
 */
final class BroadcastInstallation {
    private static final String NAME = "broadcasts";
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private BroadcastInstallation() {}

    /**
     * Applies the setting; never fails.
     *
     * @param serializer the state of the serializer; if it is off, there is nothing to do
     */
    static Part install(HeapspanConfiguration configuration, SparkConf conf, SparkEnv environment, Part serializer) {
        if (!serializer.isOn()) {
            return Part.off(NAME, "they need Heapspan's serializer, which is off");
        }
        if (configuration.get(HeapspanConfiguration.BROADCAST)) {
            return Part.on(NAME, "");
        }
        try {
            // Blocks keep the serializer that they have: a broadcast that Spark moves from memory to disk is a block.
            EnvironmentSerializer.replace(
                    environment,
                    HeapspanSerializer.withoutBroadcasts(conf),
                    EnvironmentSerializer.ofBlocks(environment));
            BroadcastWatch.install(environment);
            return Part.switchedOff(NAME, HeapspanConfiguration.BROADCAST);
        } catch (Exception | LinkageError e) {
            LOG.warn(
                    "Heapspan writes broadcasts although {}=false, because it cannot recognize Spark's broadcasts: {}",
                    HeapspanConfiguration.BROADCAST.name(),
                    e.toString());
            LOG.debug("Broadcasts cannot be left to Spark", e);
            return Part.on(NAME, "Heapspan cannot recognize Spark's broadcasts: " + e);
        }
    }
}
