package org.apache.spark.heapspan;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.util.collection.ExternalAppendOnlyMap;
import org.apache.spark.util.collection.SizeTrackingAppendOnlyMap;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.Function2;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractFunction2;

/**
 * Spark's combining by key, with maps whose size {@link CombinerSizes} computes. Spills, their merge, order, metrics and reading of results are Spark's.
 *
 * <p>Another memory consumer may ask for a spill at any time, on any thread. While values are combined, the task's thread spills between two values: at once, or
 * before the next value. Spark itself would spill on the other thread, during an update.
 *
 * <p>Relies on {@code core/.../util/collection/ExternalAppendOnlyMap.scala} and {@code Spillable.scala} of Spark 4.3: Spark sets each new map with
 * {@code currentMap_=}.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // As in SizedAppendOnlyMap.
final class SizedCombining extends ExternalAppendOnlyMap {
    private static final long serialVersionUID = 1L;

    private final transient CombinerSizes.Source source;
    private final transient SizedAppendOnlyMap.CombinedValue latest;
    private final transient Thread owner = Thread.currentThread();
    private final transient long unaccountedBytes;

    private transient boolean inserting;

    /** Whether another consumer asked for a spill when the map could not be spilled. */
    private transient volatile boolean spillWanted;

    private <V, C> SizedCombining(
            Function1<V, C> createCombiner,
            Function2<C, V, C> mergeValue,
            Function2<C, C, C> mergeCombiners,
            CombinerSizes.Source source,
            TaskContext context,
            SizedAppendOnlyMap.CombinedValue latest) {
        super(
                new Creating<>(createCombiner, latest),
                new Merging<>(mergeValue, latest),
                mergeCombiners,
                SparkEnv.get().serializer(),
                SparkEnv.get().blockManager(),
                context,
                SparkEnv.get().serializerManager());
        this.source = source;
        this.latest = latest;
        unaccountedBytes = (long) SparkEnv.get().conf().get(package$.MODULE$.SHUFFLE_SPILL_INITIAL_MEM_THRESHOLD());
        super.currentMap_$eq(freshMap());
    }

    /**
     * Creates one without values. Called on the task's thread.
     *
     * @param context the task's context
     */
    static <K, V, C> ExternalAppendOnlyMap<K, V, C> of(
            Function1<V, C> createCombiner,
            Function2<C, V, C> mergeValue,
            Function2<C, C, C> mergeCombiners,
            CombinerSizes.Source source,
            TaskContext context) {
        return new SizedCombining(
                createCombiner, mergeValue, mergeCombiners, source, context, new SizedAppendOnlyMap.CombinedValue());
    }

    /** After a spill for another consumer, Spark goes on counting the values. */
    private SizedAppendOnlyMap freshMap() {
        return new SizedAppendOnlyMap(source, elementsRead(), latest, () -> unaccountedBytes + getUsed());
    }

    @Override
    @SuppressWarnings("MethodName") // Scala's name.
    public void currentMap_$eq(@Nullable SizeTrackingAppendOnlyMap map) {
        super.currentMap_$eq(map == null ? null : freshMap());
    }

    @Override
    public void insertAll(Iterator entries) {
        inserting = true;
        try {
            super.insertAll(entries);
        } finally {
            inserting = false;
            latest.value = null;
        }
    }

    @Override
    public boolean maybeSpill(Object map, long bytes) {
        if (spillWanted) {
            spillWanted = false;
            spill(bytes, null);
            return false;
        }
        return super.maybeSpill(map, bytes);
    }

    @Override
    public boolean forceSpill() {
        if (inserting && (Thread.currentThread() != owner || isChanging())) {
            spillWanted = true;
            return false;
        }
        return super.forceSpill();
    }

    private boolean isChanging() {
        return currentMap() instanceof SizedAppendOnlyMap map && map.isChanging();
    }

    /** Creates the combiner of a first value, and records the value. */
    private static final class Creating<V, C> extends AbstractFunction1<V, C> {
        private final Function1<V, C> function;
        private final SizedAppendOnlyMap.CombinedValue latest;

        Creating(Function1<V, C> function, SizedAppendOnlyMap.CombinedValue latest) {
            this.function = function;
            this.latest = latest;
        }

        @Override
        public C apply(V value) {
            latest.value = value;
            return function.apply(value);
        }
    }

    /** Combines another value, and records it. */
    private static final class Merging<V, C> extends AbstractFunction2<C, V, C> {
        private final Function2<C, V, C> function;
        private final SizedAppendOnlyMap.CombinedValue latest;

        Merging(Function2<C, V, C> function, SizedAppendOnlyMap.CombinedValue latest) {
            this.function = function;
            this.latest = latest;
        }

        @Override
        public C apply(C combiner, V value) {
            latest.value = value;
            return function.apply(combiner, value);
        }
    }
}
