package org.heapspan.spark.tab;

import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.ExecutorHost;
import org.apache.spark.heapspan.HeapspanTab;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.heapspan.spark.direct.CircuitBreaker;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.SerializationReport;
import org.heapspan.spark.report.SerializationReporter;
import org.heapspan.spark.report.SerializationTotals;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's knowledge of what all JVMs of the application encode and decode, and the tab that shows it. Where there is no tab, nothing is kept.
 * Thread-safe.
 */
public final class SerializationOverview implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private final CircuitBreaker breaker;
    private volatile @Nullable SerializationTotals totals;
    private volatile @Nullable SerializationReporter ofDriver;

    public SerializationOverview(CircuitBreaker breaker) {
        this.breaker = breaker;
    }

    /**
     * Adds the tab, if the application has a web UI; never fails.
     *
     * @param parts what became of those that the driver decides on for all JVMs
     */
    public void open(SparkContext context, HeapspanConfiguration configuration, List<Part> parts) {
        try {
            SerializationTotals known = new SerializationTotals(System.currentTimeMillis());
            SerializationTab tab =
                    new SerializationTab(configuration, parts, known, breaker, SerializationOverview::driver);
            if (HeapspanTab.attach(context, tab)) {
                context.addSparkListener(new Ends(known));
                totals = known;
                ofDriver = SerializationReporter.start(SerializationReport.DRIVER, this::add);
            }
        } catch (Exception | LinkageError e) {
            LOG.warn(
                    "Heapspan works, but has no tab in Spark's web UI: {}; spark.heapspan.ui=false switches this message off",
                    e.toString());
            LOG.debug("Heapspan's tab failed to start", e);
        }
    }

    private static final class Ends extends SparkListener {
        private final SerializationTotals totals;

        Ends(SerializationTotals totals) {
            this.totals = totals;
        }

        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
            totals.end(removed.executorId(), removed.reason());
        }
    }

    private static ExecutorReport driver() {
        return ExecutorReport.of(
                SerializationReport.DRIVER, ExecutorHost.name(), SparkEnv.get().serializer());
    }

    public void add(ExecutorReport report) {
        SerializationTotals known = totals;
        if (known != null) {
            known.add(report);
        }
    }

    public void add(SerializationReport report) {
        SerializationTotals known = totals;
        if (known != null) {
            known.add(report, System.currentTimeMillis());
        }
    }

    @Override
    public void close() {
        SerializationReporter reporting = ofDriver;
        if (reporting != null) {
            reporting.close();
        }
    }
}
