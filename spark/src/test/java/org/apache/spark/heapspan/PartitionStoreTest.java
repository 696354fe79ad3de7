package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Tasks of Spark that write partitions to a store, whose storage is a list for each. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class PartitionStoreTest {
    private static final int MOST_SECONDS = 60;

    private static final CountDownLatch BEGUN = new CountDownLatch(100);
    private static final CountDownLatch ENDED = new CountDownLatch(1);

    private static final AtomicInteger CLOSED = new AtomicInteger();

    /** Partitions of former generations cannot be read. */
    private static volatile int generation;

    /** Lets what would be endless end in any case. */
    private static volatile boolean over;

    @TempDir
    Path folder;

    private static final class Lists implements PartitionStorage {
        @Override
        public boolean takes(RDDBlockId partition, Class<?> recordClass) {
            return true;
        }

        @Override
        public boolean losesOthers(Throwable failure) {
            return true;
        }

        @Override
        public <T> Outcome<T> keep(RDDBlockId partition, Iterator<T> values, boolean isReplicated) {
            List<Object> kept = new ArrayList<>();
            boolean isOfTask = partition.rddId() != Integer.MAX_VALUE;
            try {
                values.forEachRemaining(kept::add);
                return new Outcome<>(new InList(kept, generation), Collections.emptyIterator(), "");
            } finally {
                if (isOfTask) {
                    ENDED.countDown();
                }
            }
        }
    }

    private record InList(List<Object> all, int of) implements PartitionStorage.Kept {
        @Override
        public long bytes() {
            return all.size();
        }

        @Override
        public PartitionStorage.Values values() {
            return new Reading(all.iterator(), of < generation);
        }

        @Override
        public void close() {}
    }

    private record Reading(Iterator<Object> elements, boolean isLost) implements PartitionStorage.Values {
        @Override
        public boolean hasNext() {
            return elements.hasNext();
        }

        @Override
        public Object next() {
            if (isLost) {
                throw new IllegalStateException("the device has failed");
            }
            return elements.next();
        }

        @Override
        public boolean isLoss(Throwable failure) {
            return isLost;
        }

        @Override
        public void close() {
            CLOSED.incrementAndGet();
        }
    }

    /** Knows nothing of tasks that are killed, as what most programs compute. */
    private static final class Endless implements Iterator<String> {
        @Override
        public boolean hasNext() {
            return !over;
        }

        @Override
        public String next() {
            BEGUN.countDown();
            LockSupport.parkNanos(100_000);
            return "value";
        }
    }

    @Test
    void aTaskOfManyPartitionsThatAreLostFailsOnce() throws Exception {
        SparkConf conf = LocalConf.of(folder, "lost partitions").setMaster("local[1,2]");
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            PartitionStore.install(SparkEnv.get(), new Lists());
            JavaRDD<Integer> cached =
                    context.parallelize(List.of(1, 2, 3, 4, 5, 6, 7, 8), 8).cache();
            assertThat(cached.count()).isEqualTo(8);
            generation = 1;
            assertThat(cached.coalesce(1).collect()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    /** Its context is within another one, of which listeners are told. */
    @Test
    void aTaskOfABarrierStageClosesWhatItHasNotReadToTheEnd() throws Exception {
        try (JavaSparkContext context = new JavaSparkContext(LocalConf.of(folder, "barrier"))) {
            PartitionStore.install(SparkEnv.get(), new Lists());
            JavaRDD<Integer> cached = context.parallelize(List.of(1, 2, 3), 1).cache();
            assertThat(cached.count()).isEqualTo(3);
            int before = CLOSED.get();
            ClassTag<Integer> tag = ClassTag$.MODULE$.apply(Integer.class);
            Object first = cached.rdd()
                    .barrier()
                    .mapPartitions(
                            (Function1<scala.collection.Iterator<Integer>, scala.collection.Iterator<Integer>>
                                            & Serializable)
                                    values -> CollectionConverters.asScala(
                                            List.of(values.next()).iterator()),
                            false,
                            tag)
                    .collect();
            assertThat((Integer[]) first).containsExactly(1);
            assertThat(CLOSED.get()).isEqualTo(before + 1);
        }
    }

    @Test
    void aTaskThatIsKilledDoesNotGoOnToWriteItsPartition() throws Exception {
        SparkConf conf = LocalConf.of(folder, "partition store");
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            PartitionStore.install(SparkEnv.get(), new Lists());
            context.setLocalProperty("spark.job.interruptOnCancel", "true");
            JavaFutureAction<Long> job = context.parallelize(List.of(1), 1)
                    .mapPartitions(any -> new Endless())
                    .cache()
                    .countAsync();
            assertThat(BEGUN.await(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
            job.cancel(true);
            assertThat(ENDED.await(MOST_SECONDS, TimeUnit.SECONDS))
                    .as("the task has ended")
                    .isTrue();
        } finally {
            over = true;
        }
    }
}
