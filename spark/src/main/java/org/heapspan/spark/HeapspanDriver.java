package org.heapspan.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's side: chooses what is on before any executor exists, and hears from the executors. */
final class HeapspanDriver implements DriverPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanPlugin.class);

    private final CircuitBreaker breaker = new CircuitBreaker();
    private final SerializationOverview overview = new SerializationOverview(breaker);

    /** Null where classes are described. Set before executors start. */
    private volatile @Nullable DriverTypes types;

    @Override
    public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
        HeapspanConfiguration configuration = HeapspanConfiguration.of(pluginContext.conf());
        DirectEngineSwitch.apply(configuration);
        SerializerInstallation serializer = serializer(configuration, context, pluginContext);
        LOG.info("Heapspan {}: {}, {}", Version.text(), serializer, shuffle(configuration, pluginContext, serializer));
        Map<String, String> told = new HashMap<>();
        if (configuration.get(HeapspanConfiguration.REGISTRY)) {
            DriverTypes registry = new DriverTypes();
            types = registry;
            ApplicationTypes.use(registry);
            told.put(HeapspanExecutor.TYPES, registry.id().toString());
        }
        if (configuration.get(HeapspanConfiguration.CIRCUIT_BREAKER)) {
            context.addSparkListener(new ExecutorListener(breaker));
        }
        SerializationCounters.startOver();
        if (configuration.get(HeapspanConfiguration.UI)) {
            overview.open(context, configuration);
        }
        return told;
    }

    @Override
    public void registerMetrics(String applicationId, PluginContext pluginContext) {
        try {
            SerializationMetric.registerAll(pluginContext.metricRegistry());
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Heapspan's metrics are not in Spark's: {}", e.toString());
        }
    }

    @Override
    public void shutdown() {
        overview.close();
        ApplicationTypes.end(types);
    }

    /** What became of the serializer; never fails. */
    private static SerializerInstallation serializer(
            HeapspanConfiguration configuration, SparkContext context, PluginContext pluginContext) {
        try {
            // The very configuration that executors get: SparkContext.getConf() would be a copy.
            return SerializerInstallation.install(configuration, pluginContext.conf(), context.env());
        } catch (Exception | LinkageError e) {
            LOG.warn("Heapspan's serializer is off, Spark's own works in its place: {}", e.toString());
            LOG.debug("Heapspan's serializer failed to start", e);
            return SerializerInstallation.OFF;
        }
    }

    /** What became of the shuffle manager; never fails. */
    private static ShuffleInstallation shuffle(
            HeapspanConfiguration configuration, PluginContext pluginContext, SerializerInstallation serializer) {
        try {
            return ShuffleInstallation.install(configuration, pluginContext.conf(), serializer);
        } catch (Exception | LinkageError e) {
            LOG.warn("Heapspan's shuffle manager is off, Spark's own works in its place: {}", e.toString());
            LOG.debug("Heapspan's shuffle manager failed to start", e);
            return ShuffleInstallation.OFF;
        }
    }

    @Override
    public @Nullable Object receive(Object message) {
        if (message instanceof TypesQuestion question) {
            DriverTypes registry = types;
            return registry == null ? null : registry.answer(question);
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
                    "Heapspan: an executor sent a {}, which this version does not know",
                    message.getClass().getName());
        }
        return null;
    }

    private static void tell(ExecutorReport report) {
        LOG.info(
                "Heapspan: executor {} on {}: JVM {}, collector {}, direct engine {}, serializer {}, second heap {}",
                report.executorId(),
                report.host(),
                report.state("JVM"),
                report.state("collector"),
                report.state("direct engine"),
                report.serializer(),
                report.state(SecondHeapSection.SUBJECT));
        if (!report.version().equals(Version.text())) {
            LOG.warn(
                    "Heapspan {} on executor {} ({}), but {} on the driver: give all JVMs the same heapspan-spark.jar",
                    report.version(),
                    report.executorId(),
                    report.host(),
                    Version.text());
        }
    }
}
