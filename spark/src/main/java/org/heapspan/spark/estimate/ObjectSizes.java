package org.heapspan.spark.estimate;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;
import org.apache.spark.heapspan.SizeEstimatorClass;
import org.apache.spark.heapspan.SizeRules;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers for Spark's {@code SizeEstimator}. If it cannot, it says so by a negative number, and Spark searches by itself. Called by any thread; each has a walk of its own,
 * whose tables stay with it.
 */
final class ObjectSizes implements ToLongFunction<Object> {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private final SizeEstimatorClass estimator;

    /** Null until the first question: Spark's class finds its rules when it is first used. */
    private volatile @Nullable Shapes shapes;

    private final AtomicBoolean hasFailed = new AtomicBoolean();
    private final ThreadLocal<@Nullable ObjectWalk> idle = new ThreadLocal<>();

    ObjectSizes(SizeEstimatorClass estimator) {
        this.estimator = estimator;
    }

    private static final class Shapes extends ClassValue<ObjectShape> {
        final SizeRules rules;

        Shapes(SizeRules rules) {
            this.rules = rules;
        }

        @Override
        protected ObjectShape computeValue(Class<?> type) {
            return ObjectShape.of(type, rules, ObjectWalk.memory());
        }
    }

    @Override
    public long applyAsLong(Object object) {
        try {
            ObjectWalk walk = idle.get();
            if (walk == null) {
                walk = new ObjectWalk(shapes().rules, shapes());
                idle.set(walk);
            } else if (walk.isBusy()) {
                // An object that says how large it is asks for an estimate.
                walk = new ObjectWalk(shapes().rules, shapes());
            }
            return object == null ? 0 : walk.bytes(object);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Spark finds out by itself whether it was an object of the user that failed.
            if (hasFailed.compareAndSet(false, true)) {
                LOG.warn("Heapspan leaves an estimate of sizes to Spark, and does so again without telling: {}", e.toString());
                LOG.debug("Heapspan's estimate failed", e);
            }
            return ObjectWalk.GAVE_UP;
        }
    }

    private Shapes shapes() throws ReflectiveOperationException {
        Shapes known = shapes;
        if (known == null) {
            known = new Shapes(estimator.rules());
            shapes = known;
        }
        return known;
    }
}
