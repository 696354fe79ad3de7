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
 * Answers for Spark's {@code SizeEstimator}. If it cannot, it says so by a negative number, and Spark searches by itself. Called by any thread; each keeps the tables of
 * its walks.
 */
final class ObjectSizes implements ToLongFunction<Object> {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private static final ThreadLocal<@Nullable WalkTables> TABLES = new ThreadLocal<>();

    private final SizeEstimatorClass estimator;

    /** Null until the first question: Spark's class finds its rules when it is first used. */
    private volatile @Nullable Shapes shapes;

    private final AtomicBoolean hasFailed = new AtomicBoolean();

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
    public long applyAsLong(@Nullable Object object) {
        if (object == null) {
            return 0;
        }
        WalkTables tables = tables();
        tables.areInUse = true;
        try {
            Shapes known = shapes();
            return ObjectWalk.bytes(object, known.rules, known, tables);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Spark finds out by itself whether it was an object of the user that failed.
            if (hasFailed.compareAndSet(false, true)) {
                LOG.warn(
                        "Heapspan leaves an estimate of sizes to Spark, and does so again without telling: {}",
                        e.toString());
                LOG.debug("Heapspan's estimate failed", e);
            }
            return ObjectWalk.GAVE_UP;
        } finally {
            tables.areInUse = false;
        }
    }

    private WalkTables tables() {
        WalkTables tables = TABLES.get();
        if (tables == null) {
            tables = new WalkTables();
            TABLES.set(tables);
        }
        // An object that says how large it is may ask for an estimate meanwhile.
        return tables.areInUse ? new WalkTables() : tables;
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
