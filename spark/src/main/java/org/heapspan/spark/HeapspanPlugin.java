package org.heapspan.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.heapspan.spark.settings.HeapspanConfiguration;

/**
 * The Spark plug-in: {@code spark.plugins=org.heapspan.spark.HeapspanPlugin}. The keys of {@link HeapspanConfiguration} switch its parts on and
 * off. If a part cannot work, one line of the log says so, and Spark keeps its own part. Only an unknown key or an invalid value stops the start
 * of the application.
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
