package org.heapspan.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.HeapspanShuffleManager;
import org.heapspan.spark.aggregate.MeasuredCombiners;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes {@link HeapspanShuffleManager} the shuffle manager of an application, from the driver side of the plug-in. It sets Spark's own key. That
 * is enough, because Spark creates the driver's shuffle manager after it has loaded plug-ins, and executors start later with the driver's
 * configuration. The shuffle manager needs Heapspan's serializer.
 */
final class ShuffleInstallation {
    private static final String NAME = "shuffle";
    private static final String COMBINER_SIZES = "sizes of combiners";
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private ShuffleInstallation() {}

    /**
     * Sets the key, if the settings allow it and the shuffle manager works; never fails.
     *
     * @param serializer the state of the serializer
     */
    static Part install(HeapspanConfiguration configuration, SparkConf conf, Part serializer) {
        try {
            return attempt(configuration, conf, serializer);
        } catch (Exception | LinkageError e) {
            LOG.debug("Heapspan's shuffle manager failed to start", e);
            return off(e instanceof ReflectiveOperationException ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    private static Part attempt(HeapspanConfiguration configuration, SparkConf conf, Part serializer)
            throws ReflectiveOperationException {
        if (HeapspanShuffleManager.isConfigured(conf)) {
            return Part.on(NAME, "by " + HeapspanShuffleManager.KEY);
        }
        if (!configuration.get(HeapspanConfiguration.SHUFFLE)) {
            return Part.switchedOff(NAME, HeapspanConfiguration.SHUFFLE);
        }
        if (!serializer.isOn()) {
            return Part.off(NAME, "it needs Heapspan's serializer, which is off");
        }
        String chosen = conf.get(HeapspanShuffleManager.KEY, "");
        if (!chosen.isEmpty()) {
            return off(HeapspanShuffleManager.KEY + "=" + chosen + " is set; remove it to use Heapspan's");
        }
        HeapspanShuffleManager.check();
        conf.set(HeapspanShuffleManager.KEY, HeapspanShuffleManager.class.getName());
        return Part.on(NAME, "");
    }

    /**
     * Whether Heapspan computes the size of maps of combiners. The shuffle manager learns this from the serializer.
     *
     * @param shuffle the state of the shuffle manager
     */
    static Part combinerSizes(HeapspanConfiguration configuration, Part shuffle) {
        if (!configuration.get(HeapspanConfiguration.COMBINER_SIZES)) {
            return Part.switchedOff(COMBINER_SIZES, HeapspanConfiguration.COMBINER_SIZES);
        }
        if (!shuffle.isOn()) {
            return Part.off(COMBINER_SIZES, "they need Heapspan's shuffle manager, which is off");
        }
        return new MeasuredCombiners().works()
                ? Part.on(COMBINER_SIZES, "")
                : Part.off(COMBINER_SIZES, "this JVM does not count what threads allocate");
    }

    private static Part off(String why) {
        LOG.warn("Heapspan's shuffle manager is off, Spark's own is used instead: {}", why);
        return Part.off(NAME, why);
    }
}
