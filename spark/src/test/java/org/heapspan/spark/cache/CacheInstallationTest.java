package org.heapspan.spark.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.LocalConf;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.statistics.CachedPartitions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A second heap in the place of Spark's store. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class CacheInstallationTest {
    @TempDir
    Path folder;

    /** Other tests of this JVM look at the same counts. */
    @AfterEach
    void countAnew() {
        CachedPartitions.OF_THIS_JVM.startOver();
    }

    /** Can be written, and not be read. */
    private static final class OneWay implements Serializable {
        private static final long serialVersionUID = 1L;

        private final int number;

        OneWay(int number) {
            this.number = number;
        }

        private void readObject(ObjectInputStream source) throws InvalidObjectException {
            throw new InvalidObjectException("objects of this class stay where they were created");
        }
    }

    /** The same, of 512 KB. */
    private static final class LargeOneWay implements Serializable {
        private static final long serialVersionUID = 1L;

        private final byte[] bytes = new byte[512 << 10];
        private final int number;

        LargeOneWay(int number) {
            this.number = number;
        }

        private void readObject(ObjectInputStream source) throws InvalidObjectException {
            throw new InvalidObjectException("objects of this class stay where they were created");
        }
    }

    /** The same, which says so in another way. */
    private static final class Asserting implements Serializable {
        private static final long serialVersionUID = 1L;

        private final int number;

        Asserting(int number) {
            this.number = number;
        }

        private void readObject(ObjectInputStream source) {
            throw new AssertionError("objects of this class stay where they were created");
        }
    }

    /** Stands for memory outside of the Java heap, which it frees. */
    @SuppressWarnings({"deprecation", "removal", "Finalize"})
    private static final class Matrix {
        private final long address;

        Matrix(long address) {
            this.address = address;
        }

        @Override
        protected void finalize() {}
    }

    private SparkConf conf() {
        return LocalConf.of(folder, "second heap")
                .setMaster("local[1,4]")
                .set("spark.heapspan.h2.dir", folder.resolve("h2").toString())
                .set("spark.heapspan.h2.capacity", "16m")
                .set("spark.heapspan.h2.regionSize", "1m");
    }

    /** Spark's own store never writes them. */
    @Test
    void objectsThatCannotBeReadAgainAreCachedBySpark() {
        SparkConf conf = conf();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            CacheInstallation installed = CacheInstallation.install(HeapspanConfiguration.of(conf), SparkEnv.get());
            assertThat(installed.part().isOn()).as("the second heap is on").isTrue();
            JavaRDD<OneWay> cached =
                    context.parallelize(List.of(1, 2, 3, 4), 2).map(OneWay::new).cache();
            assertThat(cached.map(each -> each.number).collect()).containsExactly(1, 2, 3, 4);
            assertThat(cached.map(each -> each.number).collect()).containsExactly(1, 2, 3, 4);
            assertThat(context.sc().getRDDStorageInfo()[0].numCachedPartitions())
                    .isEqualTo(2);
            assertThat(CachedPartitions.OF_THIS_JVM.partitions()).isZero();

            // Others are not concerned.
            JavaRDD<String> texts =
                    context.parallelize(List.of(1, 2), 2).map(String::valueOf).cache();
            assertThat(texts.collect()).containsExactly("1", "2");
            assertThat(CachedPartitions.OF_THIS_JVM.partitions()).isEqualTo(2);
            installed.close();
        }
    }

    /** They are written until the second heap is full. Then Spark's own store gets what was written, which is read. */
    @Test
    void objectsThatCannotBeReadAgainAreCachedBySparkWhereTheSecondHeapIsFull() {
        SparkConf conf = conf();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            CacheInstallation installed = CacheInstallation.install(HeapspanConfiguration.of(conf), SparkEnv.get());
            assertThat(installed.part().isOn()).as("the second heap is on").isTrue();
            List<Integer> numbers = IntStream.range(0, 40).boxed().toList();
            JavaRDD<LargeOneWay> cached =
                    context.parallelize(numbers, 1).map(LargeOneWay::new).cache();
            assertThat(cached.map(each -> each.number).collect()).isEqualTo(numbers);
            assertThat(cached.map(each -> each.bytes.length).distinct().collect())
                    .containsExactly(512 << 10);
            assertThat(CachedPartitions.OF_THIS_JVM.partitions()).isZero();
            installed.close();
        }
    }

    @Test
    void objectsWhoseReadObjectThrowsAnErrorAreCachedBySpark() {
        SparkConf conf = conf();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            CacheInstallation installed = CacheInstallation.install(HeapspanConfiguration.of(conf), SparkEnv.get());
            assertThat(installed.part().isOn()).as("the second heap is on").isTrue();
            JavaRDD<Asserting> cached = context.parallelize(List.of(1, 2, 3, 4), 2)
                    .map(Asserting::new)
                    .cache();
            assertThat(cached.map(each -> each.number).collect()).containsExactly(1, 2, 3, 4);
            assertThat(cached.map(each -> each.number).collect()).containsExactly(1, 2, 3, 4);
            assertThat(CachedPartitions.OF_THIS_JVM.partitions()).isZero();
            installed.close();
        }
    }

    @Test
    void objectsWithFinalizersAreCachedBySpark() {
        SparkConf conf = conf();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            CacheInstallation installed = CacheInstallation.install(HeapspanConfiguration.of(conf), SparkEnv.get());
            assertThat(installed.part().isOn()).as("the second heap is on").isTrue();
            JavaRDD<Matrix> cached = context.parallelize(List.of(1, 2, 3, 4), 2)
                    .map(number -> new Matrix(number))
                    .cache();
            assertThat(cached.map(each -> each.address).collect()).containsExactly(1L, 2L, 3L, 4L);
            assertThat(cached.map(each -> each.address).collect()).containsExactly(1L, 2L, 3L, 4L);
            assertThat(CachedPartitions.OF_THIS_JVM.partitions()).isZero();
            installed.close();
        }
    }
}
