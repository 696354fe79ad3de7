package org.heapspan.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.heapspan.spark.settings.HeapspanConfiguration;

/**
 * Turns Heapspan on in an application: {@code spark.plugins=org.heapspan.spark.HeapspanPlugin}. The keys of {@link HeapspanConfiguration} choose the
 * parts. If a part cannot work here, one line of the log says so, and Spark's own part works. Only a wrong key or value stops the start of the
 * application.
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
