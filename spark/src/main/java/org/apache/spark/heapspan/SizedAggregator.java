package org.apache.spark.heapspan;

import org.apache.spark.Aggregator;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.util.collection.ExternalAppendOnlyMap;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * Replaces the aggregator of a shuffle. It combines with the same functions, in a {@link SizedCombining}. Spark sends it to the executors as a part of the
 * shuffle dependency. It is equal to the aggregator that it replaces.
 *
 * <p>Relies on {@code core/.../Aggregator.scala} of Spark 4.3.
 */
final class SizedAggregator<K, V, C> extends Aggregator<K, V, C> {
    private static final long serialVersionUID = 1L;

    private final CombinerSizes.Source source;

    SizedAggregator(Aggregator<K, V, C> original, CombinerSizes.Source source) {
        super(original.createCombiner(), original.mergeValue(), original.mergeCombiners());
        this.source = source;
    }

    @Override
    public Iterator<Tuple2<K, C>> combineValuesByKey(Iterator<Product2<K, V>> values, TaskContext context) {
        if (!source.works()) {
            return super.combineValuesByKey(values, context);
        }
        return combined(
                SizedCombining.of(createCombiner(), mergeValue(), mergeCombiners(), source, context), values, context);
    }

    @Override
    public Iterator<Tuple2<K, C>> combineCombinersByKey(Iterator<Product2<K, C>> combiners, TaskContext context) {
        if (!source.works()) {
            return super.combineCombinersByKey(combiners, context);
        }
        return combined(
                SizedCombining.of(new Same<>(), mergeCombiners(), mergeCombiners(), source, context),
                combiners,
                context);
    }

    private static <K, V, C> Iterator<Tuple2<K, C>> combined(
            ExternalAppendOnlyMap<K, V, C> map, Iterator<Product2<K, V>> values, TaskContext context) {
        map.insertAll(values);
        TaskMetrics metrics = context.taskMetrics();
        metrics.incMemoryBytesSpilled(map.memoryBytesSpilled());
        metrics.incDiskBytesSpilled(map.diskBytesSpilled());
        metrics.incPeakExecutionMemory(map.peakMemoryUsedBytes());
        return map.iterator();
    }

    /** Returns its argument: the first combiner of a key needs no conversion. */
    private static final class Same<C> extends AbstractFunction1<C, C> {
        @Override
        public C apply(C combiner) {
            return combiner;
        }
    }
}
