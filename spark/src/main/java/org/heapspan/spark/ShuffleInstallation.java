package org.heapspan.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.HeapspanShuffleManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes {@link HeapspanShuffleManager} the shuffle manager of an application, from the driver's plug-in: by Spark's own key, since Spark makes
 * the driver's shuffle manager after plug-ins have been loaded, and executors are started later with the driver's configuration. It needs
 * Heapspan's serializer, whose groups it keeps apart by reducer.
 */
enum ShuffleInstallation {
    /** The key has been set. */
    INSTALLED("shuffle on"),
    /** The user had set it. */
    CHOSEN_BY_USER("shuffle on, by " + HeapspanShuffleManager.KEY),
    /** It does not work here, or is not wanted. */
    OFF("shuffle off");

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanPlugin.class);

    private final String text;

    ShuffleInstallation(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }

    static ShuffleInstallation install(
            HeapspanConfiguration configuration, SparkConf conf, SerializerInstallation serializer) {
        if (HeapspanShuffleManager.isConfigured(conf)) {
            return CHOSEN_BY_USER;
        }
        if (!configuration.get(HeapspanConfiguration.SHUFFLE) || serializer == SerializerInstallation.OFF) {
            return OFF;
        }
        String chosen = conf.get(HeapspanShuffleManager.KEY, "");
        if (!chosen.isEmpty()) {
            return off(HeapspanShuffleManager.KEY + "=" + chosen + " is set; remove it to use Heapspan's");
        }
        try {
            HeapspanShuffleManager.check();
        } catch (ReflectiveOperationException e) {
            return off(String.valueOf(e.getMessage()));
        }
        conf.set(HeapspanShuffleManager.KEY, HeapspanShuffleManager.class.getName());
        return INSTALLED;
    }

    private static ShuffleInstallation off(String why) {
        LOG.warn("Heapspan's shuffle manager is off, Spark's own works in its place: {}", why);
        return OFF;
    }
}
