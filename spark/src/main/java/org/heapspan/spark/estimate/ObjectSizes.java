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
 * Computes sizes for Spark's {@code SizeEstimator}. If it cannot, it returns a negative number, and Spark's own code runs. Thread-safe: each thread has its own
 * tables.
 */
final class ObjectSizes implements ToLongFunction<Object> {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private static final ThreadLocal<@Nullable WalkTables> TABLES = new ThreadLocal<>();

    private final SizeEstimatorClass estimator;

    /** Null until the first estimate: Spark's class initializes its rules when it is first used. */
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
            // If an object of the program has thrown this, it throws it again in Spark's own code.
            if (hasFailed.compareAndSet(false, true)) {
                LOG.warn(
                        "Heapspan could not compute a size, and Spark's own estimator computes it instead (logged once): {}",
                        e.toString());
                LOG.debug("Heapspan's size estimator failed", e);
            }
            return ObjectWalk.GAVE_UP;
        } finally {
            tables.visited.dropLargeTable();
            tables.areInUse = false;
        }
    }

    /** Tables of this thread that no walk is using. */
    static WalkTables tables() {
        WalkTables tables = TABLES.get();
        if (tables == null) {
            tables = new WalkTables();
            TABLES.set(tables);
        }
        // During an estimate, an object that returns its own size may ask for another estimate.
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
