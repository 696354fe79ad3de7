package org.heapspan.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.heapspan.ExecutorHost;
import org.heapspan.spark.broadcast.BroadcastSharing;
import org.heapspan.spark.cache.CacheInstallation;
import org.heapspan.spark.direct.DirectEnginePermission;
import org.heapspan.spark.direct.DirectEngineSwitch;
import org.heapspan.spark.estimate.EstimatorInstallation;
import org.heapspan.spark.keys.ApplicationKeys;
import org.heapspan.spark.keys.ClusterKeys;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.SerializationReporter;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.settings.JarPlace;
import org.heapspan.spark.statistics.SerializationMetric;
import org.heapspan.spark.types.ApplicationTypes;
import org.heapspan.spark.types.ClusterTypes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The executor side of the plug-in. It reports to the driver. It throws no exceptions, because an exception would end the executor. */
final class HeapspanExecutor implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** What the driver's plug-in tells executors: identity of the registry of classes; not given if there is none. */
    static final String TYPES = "types";

    /** Likewise: identity of the numbered keys; not given if there are none. */
    static final String KEYS = "keys";

    /** Likewise: under which name executors share broadcasts; not given if they do not. */
    static final String BROADCASTS = "broadcasts";

    /** Likewise: given if blocks of primitives, strings and their arrays are object images. */
    static final String PLAIN_BLOCKS = "plain blocks";

    /** The only executor in local mode, whose JVM is that of the driver. */
    private static final String LOCAL_EXECUTOR = "driver";

    private @Nullable ClusterTypes types;
    private @Nullable ClusterKeys keys;
    private @Nullable CacheInstallation cache;
    private @Nullable EstimatorInstallation estimator;
    private @Nullable BroadcastSharing sharing;

    /** Null where nobody looks at the web UI. */
    private @Nullable SerializationReporter reports;

    @Override
    public void init(PluginContext context, Map<String, String> extraConfiguration) {
        try {
            HeapspanConfiguration configuration = HeapspanConfiguration.of(context.conf());
            DirectEngineSwitch.apply(configuration);
            if (extraConfiguration.containsKey(PLAIN_BLOCKS)) {
                PlainBlockInstallation.onExecutor(SparkEnv.get());
            }
            EstimatorInstallation sizes = EstimatorInstallation.install(configuration);
            estimator = sizes;
            // Answers of the driver are of classes of ours, for which Spark's connections look in Spark's own loader
            // only. Where the jar came with the application, an answer would end the connection, and with it the
            // executor. Nothing that would have to ask works there anyway, and the driver has told the user.
            boolean isAnswered = JarPlace.IS_CLASS_PATH;
            if (isAnswered) {
                useTypes(context, extraConfiguration.get(TYPES));
                useKeys(context, extraConfiguration.get(KEYS));
            }
            if (!context.executorID().equals(LOCAL_EXECUTOR)) {
                if (isAnswered && configuration.get(HeapspanConfiguration.CIRCUIT_BREAKER)) {
                    DirectEnginePermission.closeGate(context);
                }
                count(context, configuration);
            }
            List<Part> parts = new ArrayList<>(List.of(sizes.part()));
            String application = extraConfiguration.get(BROADCASTS);
            if (application != null) {
                BroadcastSharing joined = BroadcastSharing.join(configuration, application, context.executorID());
                sharing = joined;
                parts.add(joined.part());
            }
            CompletableFuture<Part> secondHeap = new CompletableFuture<>();
            Thread reporter = new Thread(() -> report(context, parts, secondHeap), "heapspan-report");
            reporter.setDaemon(true);
            reporter.start();
            secondHeap.complete(installCache(configuration));
        } catch (Exception | LinkageError e) {
            LOG.warn("Heapspan did not start completely, and sends no report to the driver: {}", e.toString());
            LOG.debug("Heapspan's start failed", e);
        }
    }

    /** A failure is a part that is off: the report waits for the part. */
    private Part installCache(HeapspanConfiguration configuration) {
        try {
            CacheInstallation installed = CacheInstallation.install(configuration, SparkEnv.get());
            cache = installed;
            return installed.part();
        } catch (Exception | LinkageError e) {
            LOG.warn("Heapspan's second heap is off, Spark's own store is used instead: {}", e.toString());
            LOG.debug("Heapspan's second heap failed to start", e);
            return Part.off(CacheInstallation.NAME, e.toString());
        }
    }

    private void useTypes(PluginContext context, @Nullable String id) {
        // In local mode the driver is this JVM, and its registry is in use already.
        if (id != null && ApplicationTypes.registry() == null) {
            ClusterTypes view = new ClusterTypes(UUID.fromString(id), context::ask);
            ApplicationTypes.use(view);
            view.fetch();
            types = view;
        }
    }

    private void useKeys(PluginContext context, @Nullable String id) {
        if (id != null) {
            ClusterKeys view = new ClusterKeys(UUID.fromString(id), context::ask);
            ApplicationKeys.use(view);
            keys = view;
        }
    }

    /** In local mode the driver counts for itself. */
    private void count(PluginContext context, HeapspanConfiguration configuration) {
        SerializationMetric.registerAll(context.metricRegistry());
        if (configuration.get(HeapspanConfiguration.UI) && context.conf().getBoolean("spark.ui.enabled", true)) {
            reports = SerializationReporter.start(context.executorID(), context::send);
        }
    }

    @Override
    public void shutdown() {
        if (reports != null) {
            reports.close();
        }
        if (types != null) {
            ApplicationTypes.end(types);
        }
        ApplicationKeys.end(keys);
        if (sharing != null) {
            sharing.close();
        }
        if (cache != null) {
            cache.close();
        }
        if (estimator != null) {
            estimator.close();
        }
    }

    private static void report(PluginContext context, List<Part> parts, CompletableFuture<Part> secondHeap) {
        try {
            warmUp();
            List<Part> all = new ArrayList<>(parts);
            all.add(secondHeap.join());
            context.send(ExecutorReport.of(
                    context.executorID(), ExecutorHost.name(), SparkEnv.get().serializer(), all.toArray(Part[]::new)));
        } catch (Exception | LinkageError e) {
            tell(e);
        }
    }

    /** The executor has nothing to do yet; its first task would load the same classes while the user waits. */
    private static void warmUp() {
        try {
            if (SparkEnv.get().serializer() instanceof HeapspanSerializer serializer) {
                serializer.warmUp();
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("Heapspan's serializer could not load its classes before the first task", e);
        }
    }

    private static void tell(Throwable e) {
        LOG.warn("Heapspan works, but could not send its report to the driver: {}", e.toString());
        LOG.debug("Heapspan's report failed", e);
    }
}
