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
 * Lets Spark's {@code SizeEstimator} ask Heapspan in this JVM, if that is wanted and works here. Must come before Spark makes its first estimate.
 *
 * @param estimator Spark's class; null where it searches by itself
 * @param part what became of it
 */
public record EstimatorInstallation(@Nullable SizeEstimatorClass estimator, Part part) implements AutoCloseable {
    public static final String NAME = "size estimator";

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Puts it in; never fails. In local mode both sides of the plug-in do so, with the same result. */
    public static EstimatorInstallation install(HeapspanConfiguration configuration) {
        if (!configuration.get(HeapspanConfiguration.SIZE_ESTIMATOR)) {
            return new EstimatorInstallation(null, Part.switchedOff(NAME, HeapspanConfiguration.SIZE_ESTIMATOR));
        }
        if (!ObjectWalk.isPossible()) {
            return off("it tells objects apart by their places, which this JVM does not let it see: "
                    + VirtualMachine.current().means() + ", "
                    + VirtualMachine.current().collector());
        }
        try {
            SizeEstimatorClass estimator = SizeEstimatorClass.open();
            estimator.ask(new ObjectSizes(estimator));
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

    /** Lets Spark search by itself again. */
    @Override
    public void close() {
        if (estimator != null) {
            try {
                estimator.ask(null);
            } catch (ReflectiveOperationException e) {
                LOG.warn("Heapspan's size estimator stays in this JVM after its application: {}", e.toString());
            }
        }
    }
}
