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
 * Leaves broadcasts to Java serialization where the user wants it. Spark writes and reads them by the serializer of its environment, as much else:
 * so that one asks {@link BroadcastWatch} who wants it to write, and readers look at how a stream begins.
 */
final class BroadcastInstallation {
    private static final String NAME = "broadcasts";
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private BroadcastInstallation() {}

    /**
     * Does what the switch says; never fails.
     *
     * @param serializer what became of the serializer, without which there is nothing to do
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
                    "Heapspan writes broadcasts in spite of {}=false, since Spark's own cannot be told apart here: {}",
                    HeapspanConfiguration.BROADCAST.name(),
                    e.toString());
            LOG.debug("Broadcasts cannot be left to Spark", e);
            return Part.on(NAME, "they cannot be left to Spark here: " + e);
        }
    }
}
