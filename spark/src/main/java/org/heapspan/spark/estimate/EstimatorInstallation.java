package org.heapspan.spark.estimate;

import org.apache.spark.heapspan.SizeEstimatorClass;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes Spark's {@code SizeEstimator} ask Heapspan in this JVM, if the settings and the JVM allow it. Must run before Spark's first estimate.
 *
 * @param estimator Spark's class; null if Spark computes sizes alone
 * @param part the state of this part
 */
public record EstimatorInstallation(@Nullable SizeEstimatorClass estimator, Part part) implements AutoCloseable {
    public static final String NAME = "size estimator";

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Installs it; never fails. In local mode the driver side and the executor side of the plug-in both call this, with the same result. */
    public static EstimatorInstallation install(HeapspanConfiguration configuration) {
        if (!configuration.get(HeapspanConfiguration.SIZE_ESTIMATOR)) {
            return new EstimatorInstallation(null, Part.switchedOff(NAME, HeapspanConfiguration.SIZE_ESTIMATOR));
        }
        if (!ObjectWalk.isPossible()) {
            return off("it needs the addresses of objects, and this JVM does not give access to them: "
                    + VirtualMachine.current().means() + ", "
                    + VirtualMachine.current().collector());
        }
        try {
            SizeEstimatorClass estimator = SizeEstimatorClass.open();
            ObjectSizes sizes = new ObjectSizes(estimator);
            estimator.ask(configuration.get(HeapspanConfiguration.COMBINER_SIZES) ? new FewerEstimates(sizes) : sizes);
            return new EstimatorInstallation(estimator, Part.on(NAME, ""));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            LOG.debug("Heapspan's size estimator failed to start", e);
            return off(e instanceof ReflectiveOperationException ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    private static EstimatorInstallation off(String why) {
        LOG.warn("Heapspan's size estimator is off, Spark's own is used instead: {}", why);
        return new EstimatorInstallation(null, Part.off(NAME, why));
    }

    /** Makes Spark compute sizes alone again. */
    @Override
    public void close() {
        if (estimator != null) {
            try {
                estimator.ask(null);
            } catch (ReflectiveOperationException e) {
                LOG.warn(
                        "Heapspan's size estimator cannot be removed, and stays in this JVM after the application: {}",
                        e.toString());
            }
        }
    }
}
