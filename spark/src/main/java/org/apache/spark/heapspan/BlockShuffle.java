package org.apache.spark.heapspan;

import java.io.IOException;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Shuffles whose map tasks write bytes for each reducer themselves, instead of records that Spark's writers sort. Files and their index, fetching,
 * compression, encryption, checksums and clean-up are those of Spark's sort shuffle, of which {@link HeapspanShuffleManager} is one.
 *
 * <p>Relies on {@code core/.../shuffle/ShuffleWriteProcessor.scala}, {@code core/.../Dependency.scala} and
 * {@code core/.../shuffle/sort/SortShuffleManager.scala} of Spark 4.3.
 */
public final class BlockShuffle {
    private BlockShuffle() {}

    /** What a map task computes: the iterator of its partition has nothing, and writes the map output instead. */
    public interface MapSide {
        /**
         * Writes all of it.
         *
         * @param output where to
         * @throws IOException if it cannot be written
         */
        void writeTo(BlockMapOutput output) throws IOException;
    }

    /**
     * Makes the dependency on a shuffle.
     *
     * @param mapSides its partitions are {@link MapSide}s
     * @param reducers how many partitions they write for
     * @param serializer reads what they write
     * @param <T> what the reducers get
     * @return the dependency
     * @throws IllegalStateException if another shuffle manager is in use
     */
    public static <T> ShuffleDependency<Object, T, T> dependency(RDD<T> mapSides, int reducers, Serializer serializer) {
        sortShuffle();
        @SuppressWarnings("unchecked") // Nothing looks at the records: there are none.
        RDD<Product2<Object, T>> records = (RDD<Product2<Object, T>>) (RDD<?>) mapSides;
        @SuppressWarnings("unchecked")
        ClassTag<T> ofT = (ClassTag<T>) (ClassTag<?>) ClassTag$.MODULE$.AnyRef();
        ShuffleDependency<Object, T, T> dependency = new ShuffleDependency<>(
                records,
                new NumberedPartitions(reducers),
                serializer,
                Option.empty(),
                Option.empty(),
                false,
                new MapSideProcessor(),
                ClassTag$.MODULE$.Object(),
                ofT,
                ofT);
        // Spark's pusher would send the blocks once more, to no end: they are large already.
        dependency.setShuffleMergeAllowed(false);
        return dependency;
    }

    /**
     * Reads what the map tasks have written for one reducer.
     *
     * @param dependency the shuffle
     * @param reducer its number
     * @param context the task
     * @param <T> what the serializer of the dependency makes of it
     * @return key and value of each record, as the serializer has them
     */
    public static <T> Iterator<Product2<Object, T>> read(
            ShuffleDependency<Object, T, T> dependency, int reducer, TaskContext context) {
        ShuffleReadMetricsReporter metrics = context.taskMetrics().createTempShuffleReadMetrics();
        return SparkEnv.get()
                .shuffleManagerFor(dependency)
                .<Object, T>getReader(dependency.shuffleHandle(), reducer, reducer + 1, context, metrics)
                .read();
    }

    private static SortShuffleManager sortShuffle() {
        ShuffleManager manager = SparkEnv.get().blockingShuffleManager();
        if (manager instanceof SortShuffleManager sort) {
            return sort;
        }
        throw new IllegalStateException("shuffles of native programs need Spark's sort shuffle or Heapspan's, and "
                + HeapspanShuffleManager.KEY + " is " + manager.getClass().getName() + "; remove this setting");
    }

    /** Replaces Spark's loop over the records of a map task. */
    private static final class MapSideProcessor extends ShuffleWriteProcessor {
        private static final long serialVersionUID = 1L;

        @Override
        public MapStatus write(
                Iterator<Object> inputs,
                ShuffleDependency<?, ?, ?> dependency,
                long mapId,
                int mapIndex,
                TaskContext context) {
            SortShuffleManager manager = sortShuffle();
            // Takes note of the map task, whose files the manager removes one day.
            manager.getWriter(dependency.shuffleHandle(), mapId, context, createMetricsReporter(context));
            try {
                BlockMapOutput output = new BlockMapOutput(
                        dependency.shuffleId(),
                        mapId,
                        dependency.partitioner().numPartitions(),
                        MapOutput.Executor.of(SparkEnv.get()),
                        MapOutputComponents.of(manager),
                        createMetricsReporter(context));
                try {
                    ((MapSide) inputs).writeTo(output);
                    return output.commit();
                } catch (Throwable e) {
                    output.abort(e);
                    throw e;
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("the map output cannot be written", e);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        "native programs do not work with this version of Spark, which is "
                                + org.apache.spark.package$.MODULE$.SPARK_VERSION(),
                        e);
            }
        }
    }

    /** Numbers are not of keys: map tasks know the reducer. */
    private static final class NumberedPartitions extends org.apache.spark.Partitioner {
        private static final long serialVersionUID = 1L;

        private final int count;

        NumberedPartitions(int count) {
            this.count = count;
        }

        @Override
        public int numPartitions() {
            return count;
        }

        @Override
        public int getPartition(Object key) {
            throw new UnsupportedOperationException("map tasks of native programs know the reducer");
        }
    }
}
