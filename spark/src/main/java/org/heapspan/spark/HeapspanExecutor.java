package org.heapspan.spark;

import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.heapspan.ExecutorHost;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An executor's side: tells the driver what it runs on. Spark does not survive what is thrown here, so nothing is. */
final class HeapspanExecutor implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanPlugin.class);

    @Override
    public void init(PluginContext context, Map<String, String> extraConfiguration) {
        try {
            DirectEngineSwitch.apply(HeapspanConfiguration.of(context.conf()));
            // Finding out starts the direct engine, for which the first task need not wait.
            Thread reporter = new Thread(() -> report(context), "heapspan-report");
            reporter.setDaemon(true);
            reporter.start();
        } catch (Exception | LinkageError e) {
            tell(e);
        }
    }

    private static void report(PluginContext context) {
        try {
            context.send(ExecutorReport.of(
                    context.executorID(), ExecutorHost.name(), SparkEnv.get().serializer()));
        } catch (Exception | LinkageError e) {
            tell(e);
        }
    }

    private static void tell(Throwable e) {
        LOG.warn("Heapspan cannot tell the driver what this executor runs on, but works: {}", e.toString());
        LOG.debug("Heapspan's report failed", e);
    }
}
