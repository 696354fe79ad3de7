package org.heapspan.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.heapspan.spark.broadcast.BroadcastSharing;
import org.heapspan.spark.cache.CacheInstallation;
import org.heapspan.spark.direct.CircuitBreaker;
import org.heapspan.spark.direct.DirectEngineAnswer;
import org.heapspan.spark.direct.DirectEngineQuestion;
import org.heapspan.spark.direct.DirectEngineSwitch;
import org.heapspan.spark.direct.ExecutorListener;
import org.heapspan.spark.estimate.EstimatorInstallation;
import org.heapspan.spark.keys.DriverKeys;
import org.heapspan.spark.keys.KeysQuestion;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.SerializationReport;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.settings.Version;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationMetric;
import org.heapspan.spark.tab.SerializationOverview;
import org.heapspan.spark.types.ApplicationTypes;
import org.heapspan.spark.types.DriverTypes;
import org.heapspan.spark.types.TypesQuestion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver side of the plug-in. It switches the parts on before any executor exists, and receives the messages of executors. */
final class HeapspanDriver implements DriverPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private final CircuitBreaker breaker = new CircuitBreaker();
    private final SerializationOverview overview = new SerializationOverview(breaker);

    /** Versions of executors that differ from the driver's, and have been told of. */
    private final Set<String> otherVersions = ConcurrentHashMap.newKeySet();

    /** Null where classes are described. Set before executors start. */
    private volatile @Nullable DriverTypes types;

    /** Null where keys have no numbers. Set before executors start. */
    private volatile @Nullable DriverKeys keys;

    private @Nullable EstimatorInstallation estimator;

    @Override
    public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
        HeapspanConfiguration configuration = HeapspanConfiguration.of(pluginContext.conf());
        DirectEngineSwitch.apply(configuration);
        EstimatorInstallation sizes = EstimatorInstallation.install(configuration);
        estimator = sizes;
        // The very configuration that executors get: SparkContext.getConf() would be a copy.
        SparkConf conf = pluginContext.conf();
        Part serializer = SerializerInstallation.install(configuration, conf, context.env());
        Part shuffle = ShuffleInstallation.install(configuration, conf, serializer);
        // Before the next part, which watches whoever makes broadcasts.
        BroadcastSharing.Offer sharing = BroadcastSharing.offer(configuration, conf, context.env(), context.isLocal());
        Part broadcasts = BroadcastInstallation.install(configuration, conf, context.env(), serializer);
        // After the serializer of blocks is what it stays.
        boolean arePlainBlocksOurs = PlainBlockInstallation.onDriver(conf, context.env(), serializer, shuffle);
        LOG.info("Heapspan {}: {}, {}, {}, {}", Version.text(), serializer, shuffle, broadcasts, sizes.part());
        Map<String, String> told = new HashMap<>();
        if (arePlainBlocksOurs) {
            told.put(HeapspanExecutor.PLAIN_BLOCKS, "true");
        }
        if (sharing.application() != null) {
            told.put(HeapspanExecutor.BROADCASTS, sharing.application());
        }
        if (configuration.get(HeapspanConfiguration.REGISTRY)) {
            DriverTypes registry = new DriverTypes();
            types = registry;
            ApplicationTypes.use(registry);
            told.put(HeapspanExecutor.TYPES, registry.id().toString());
        }
        long keyBytes = configuration.get(HeapspanConfiguration.REPEATED_KEYS);
        if (keyBytes > 0) {
            DriverKeys numbered = new DriverKeys(keyBytes);
            keys = numbered;
            told.put(HeapspanExecutor.KEYS, numbered.id().toString());
        }
        if (configuration.get(HeapspanConfiguration.CIRCUIT_BREAKER)) {
            context.addSparkListener(new ExecutorListener(breaker));
        }
        SerializationCounters.startOver();
        if (configuration.get(HeapspanConfiguration.UI)) {
            Part combinerSizes = ShuffleInstallation.combinerSizes(configuration, shuffle);
            List<Part> ofAll = new ArrayList<>(List.of(serializer, shuffle, combinerSizes, broadcasts));
            if (!sharing.part().isOn()) {
                ofAll.add(sharing.part());
            }
            overview.open(context, configuration, List.copyOf(ofAll));
        }
        return told;
    }

    @Override
    public void registerMetrics(String applicationId, PluginContext pluginContext) {
        try {
            SerializationMetric.registerAll(pluginContext.metricRegistry());
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Heapspan's metrics are in its own tab only, and not in Spark's metrics: {}", e.toString());
        }
    }

    @Override
    public void shutdown() {
        overview.close();
        if (estimator != null) {
            estimator.close();
        }
        ApplicationTypes.end(types);
    }

    @Override
    public @Nullable Object receive(Object message) {
        if (message instanceof TypesQuestion question) {
            DriverTypes registry = types;
            return registry == null ? null : registry.answer(question);
        } else if (message instanceof KeysQuestion question) {
            DriverKeys numbered = keys;
            return numbered == null ? null : numbered.answer(question);
        } else if (message instanceof DirectEngineQuestion question) {
            return new DirectEngineAnswer(breaker.veto(question.executorId(), question.host()));
        } else if (message instanceof ExecutorReport report) {
            breaker.reported(report.executorId(), report.isDirectEngineOn());
            tell(report);
            overview.add(report);
        } else if (message instanceof SerializationReport report) {
            overview.add(report);
        } else {
            LOG.warn(
                    "Heapspan: an executor sent a {}, which this version does not know; give all JVMs the same"
                            + " heapspan-spark.jar",
                    message.getClass().getName());
        }
        return null;
    }

    private void tell(ExecutorReport report) {
        LOG.info(
                "Heapspan: executor {} on {}: JVM {}, collector {}, direct engine {}, serializer {}, size estimator {},"
                        + " second heap {}",
                report.executorId(),
                report.host(),
                report.state("JVM"),
                report.state("collector"),
                report.state("direct engine"),
                report.serializer(),
                report.state(EstimatorInstallation.NAME),
                report.state(CacheInstallation.NAME));
        if (!report.version().equals(Version.text()) && otherVersions.add(report.version())) {
            LOG.warn(
                    "Heapspan {} on executor {} ({}), and perhaps on others, but {} on the driver: give all JVMs the same"
                            + " heapspan-spark.jar",
                    report.version(),
                    report.executorId(),
                    report.host(),
                    Version.text());
        }
    }
}
