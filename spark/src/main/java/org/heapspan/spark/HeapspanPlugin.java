package org.heapspan.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.heapspan.spark.settings.HeapspanConfiguration;

/**
 * Turns Heapspan on in an application: {@code spark.plugins=org.heapspan.spark.HeapspanPlugin}. Which parts, say the keys of
 * {@link HeapspanConfiguration}. A part that cannot work here says so in one line of the log and leaves Spark as it is without it; only
 * a wrong value of a key keeps the application from starting.
 */
public final class HeapspanPlugin implements SparkPlugin {
    /** Called by Spark. */
    public HeapspanPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new HeapspanDriver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new HeapspanExecutor();
    }
}
