package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;

/** Map tasks of Spark with less memory than their longest records. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class GroupShuffleWriterTest {
    private static final int PARTITIONS = 2;
    private static final int LONG_BYTES = 18 << 20;

    /** By number; each length is that of a long record, or a short one. */
    private static final int[] LENGTHS = {10, LONG_BYTES, 10, 20, LONG_BYTES + 1, LONG_BYTES + 2, 30, LONG_BYTES + 3};

    @TempDir
    Path folder;

    private JavaSparkContext context(String key, String value) {
        return new JavaSparkContext(LocalConf.of(folder, "long records")
                .set("spark.serializer", "org.heapspan.spark.HeapspanSerializer")
                .set(HeapspanShuffleManager.KEY, HeapspanShuffleManager.class.getName())
                .set("spark.testing.reservedMemory", "0")
                .set("spark.memory.storageFraction", "0")
                .set(key, value));
    }

    /** What the tasks of a job say, summed up. */
    private static final class Totals extends SparkListener {
        private long written;
        private long spilledBytes;

        @Override
        public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
            TaskMetrics metrics = end.taskMetrics();
            written += metrics.shuffleWriteMetrics().recordsWritten();
            spilledBytes += Math.min(metrics.diskBytesSpilled(), metrics.memoryBytesSpilled());
        }
    }

    private static byte[] content(int number) {
        byte[] bytes = new byte[LENGTHS[number]];
        for (int i = 0; i < bytes.length; i += 1000) {
            bytes[i] = (byte) (number + i);
        }
        return bytes;
    }

    /** Numbers in the order in which they arrive, by reducer. */
    private static List<List<Integer>> arrived(JavaSparkContext context) {
        return context.parallelize(IntStream.range(0, LENGTHS.length).boxed().toList(), 1)
                .mapToPair(number -> new Tuple2<>(number, content(number)))
                .partitionBy(new HashPartitioner(PARTITIONS))
                .mapPartitions(records -> {
                    List<Integer> numbers = new ArrayList<>();
                    records.forEachRemaining(record -> {
                        if (Arrays.equals(record._2(), content(record._1()))) {
                            numbers.add(record._1());
                        }
                    });
                    return List.of(numbers).iterator();
                })
                .collect();
    }

    /** Looks while Spark deletes the files of shuffles that nobody refers to any more. */
    private long files() throws IOException {
        AtomicInteger found = new AtomicInteger();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().startsWith("temp_shuffle")) {
                    found.incrementAndGet();
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return found.get();
    }

    /** A pair that has more than key and value. */
    private static final class Attached extends Tuple2<Integer, String> {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // Cannot be written, which is the point.
        private final Object around = Thread.currentThread();

        Attached(int number) {
            super(number, "value " + number);
        }

        @Override
        public String toString() {
            return "around it is " + around;
        }
    }

    /** As Spark does, and not what a subclass refers to beside them. */
    @Test
    void keyAndValueOfSubclassesOfPairsArrive() {
        try (JavaSparkContext context = context("spark.testing.memory", "100000000")) {
            List<String> arrived = context.parallelize(List.of(1, 2, 3), 1)
                    .<Integer, String>mapToPair(Attached::new)
                    .partitionBy(new HashPartitioner(PARTITIONS))
                    .map(pair -> pair.getClass().getName() + pair)
                    .collect();
            assertThat(arrived)
                    .containsExactly("scala.Tuple2(2,value 2)", "scala.Tuple2(1,value 1)", "scala.Tuple2(3,value 3)");
        }
    }

    /** With room for some, for none, and for all that may not be used. */
    @ParameterizedTest
    @CsvSource({
        "spark.testing.memory, 16000000",
        "spark.testing.memory, 100000000",
        "spark.shuffle.spill.maxSizeInBytesForSpillThreshold, 1m",
        "spark.shuffle.spill.numElementsForceSpillThreshold, 1"
    })
    void longRecordsArriveInTheirOrder(String key, String value) throws Exception {
        Totals totals = new Totals();
        try (JavaSparkContext context = context(key, value)) {
            context.sc().addSparkListener(totals);
            assertThat(arrived(context)).containsExactly(List.of(0, 2, 4, 6), List.of(1, 3, 5, 7));
            assertThat(files()).as("files of spilled records").isZero();
        }
        // The listener has heard of all tasks when the application has ended.
        assertThat(totals.written).isEqualTo(LENGTHS.length);
        assertThat(totals.spilledBytes).isPositive();
    }

    @Test
    void tasksThatCannotWriteFailAndLeaveNoFile() throws Exception {
        try (JavaSparkContext context = context("spark.testing.memory", "16000000")) {
            writeOneThatCannotBeEncoded(context);
            assertThat(files()).as("files of spilled records").isZero();
            spillForAnotherConsumerToAFullDisk(context);
        }
    }

    private static void writeOneThatCannotBeEncoded(JavaSparkContext context) {
        assertThatThrownBy(() -> context.parallelize(List.of(1, 2, 3), 1)
                        .mapToPair(number -> new Tuple2<Object, Object>(
                                number,
                                number < 3
                                        ? new byte[LONG_BYTES]
                                        : new Object[] {new byte[LONG_BYTES], Thread.currentThread()}))
                        .partitionBy(new HashPartitioner(PARTITIONS))
                        .count())
                .isInstanceOf(SparkException.class)
                .hasMessageContaining("not serializable result");
    }

    /** Spark's hash aggregation goes on without the memory that it cannot have. The records that were to make room for it must not be missed. */
    private void spillForAnotherConsumerToAFullDisk(JavaSparkContext context) throws Exception {
        Path file = Files.createSymbolicLink(folder.resolve("spill"), Path.of("/dev/full"));
        TaskMemoryManager memory =
                new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), 8 << 20, 0, 1), 0);
        RecordMemory neighbour = new RecordMemory(memory, () -> 0);
        List<Throwable> swallowed = new ArrayList<>();
        Iterator<Product2<Integer, Object>> records = new AbstractIterator<>() {
            private int count;

            @Override
            public boolean hasNext() {
                return count < 2000;
            }

            @Override
            public Product2<Integer, Object> next() {
                if (++count == 1000) {
                    try {
                        neighbour.acquireMemory(16 << 20);
                    } catch (SparkOutOfMemoryError e) {
                        swallowed.add(e);
                    }
                }
                return new Tuple2<>(count, "record " + count);
            }
        };
        GroupShuffleWriter<Integer, Object> writer = writer(context, memory, file);
        assertThatThrownBy(() -> writer.write(records))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not be spilled")
                .hasStackTraceContaining("No space left on device");
        assertThat(swallowed).hasSize(1);
        assertThat(file).doesNotExist();
    }

    /** An open group for each reducer would take five times the memory that there is. */
    @Test
    void manyReducersAndLittleMemoryMakeFewSpills() throws Exception {
        int reducers = 5000;
        int count = 200_000;
        TaskMemoryManager memory =
                new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), 8 << 20, 0, 1), 0);
        AtomicInteger spills = new AtomicInteger();
        Supplier<File> files =
                () -> folder.resolve("temp_shuffle_" + spills.getAndIncrement()).toFile();
        KeptBlocks stored = new KeptBlocks(reducers);
        TaskMetrics metrics = TaskMetrics.empty();
        try (JavaSparkContext context = context("spark.testing.memory", "100000000")) {
            GroupShuffleWriter<Integer, Object> writer = writer(context, memory, reducers, files, stored, metrics);
            Iterator<Product2<Integer, Object>> records = new AbstractIterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < count;
                }

                @Override
                public Product2<Integer, Object> next() {
                    return new Tuple2<>(next, List.of("record", next++));
                }
            };
            writer.write(records);
            // The groups describe their classes here: with numbers for them they are shorter.
            assertThat(spills.get()).isBetween(1, 5);
            assertThat(metrics.shuffleWriteMetrics().recordsWritten()).isEqualTo(count);
            assertThat(metrics.peakExecutionMemory()).isBetween(4L << 20, 8L << 20);
            assertThat(memory.getMemoryConsumptionForThisTask()).isZero();
            assertThat(files()).as("files of spilled records").isZero();
            SerializerManager streams = SparkEnv.get().serializerManager();
            SerializerInstance serializer = SparkEnv.get().serializer().newInstance();
            for (int reducer = 0; reducer < reducers; reducer++) {
                List<Object> arrived = new ArrayList<>();
                serializer
                        .deserializeStream(streams.wrapStream(
                                new ShuffleBlockId(MapOutputTest.SHUFFLE, MapOutputTest.MAP, reducer),
                                new ByteArrayInputStream(stored.blocks[reducer].toByteArray())))
                        .asIterator()
                        .foreach(arrived::add);
                int first = reducer;
                assertThat(arrived)
                        .isEqualTo(IntStream.range(0, count / reducers)
                                .mapToObj(i -> first + i * reducers)
                                .map(number -> new Tuple2<>(number, List.of("record", number)))
                                .toList());
            }
        }
    }

    private static GroupShuffleWriter<Integer, Object> writer(
            JavaSparkContext context, TaskMemoryManager memory, Path spill) throws ReflectiveOperationException {
        return writer(
                context,
                memory,
                PARTITIONS,
                spill::toFile,
                MapOutputComponents.of((SortShuffleManager) SparkEnv.get().blockingShuffleManager()),
                TaskMetrics.empty());
    }

    @SuppressWarnings("NullAway") // No system of metrics, and no resources.
    private static GroupShuffleWriter<Integer, Object> writer(
            JavaSparkContext context,
            TaskMemoryManager memory,
            int partitions,
            Supplier<File> spills,
            ShuffleExecutorComponents components,
            TaskMetrics metrics) {
        SparkEnv environment = SparkEnv.get();
        JavaPairRDD<Integer, Object> pairs =
                context.parallelize(List.of(1), 1).mapToPair(number -> new Tuple2<Integer, Object>(number, ""));
        ShuffleDependency<Integer, Object, Object> dependency = new ShuffleDependency<>(
                pairs.rdd(),
                new HashPartitioner(partitions),
                environment.serializer(),
                Option.empty(),
                Option.empty(),
                false,
                new ShuffleWriteProcessor(),
                ClassTag$.MODULE$.apply(Integer.class),
                ClassTag$.MODULE$.Object(),
                ClassTag$.MODULE$.Object());
        TaskContext task = new TaskContextImpl(
                0,
                0,
                0,
                0,
                0,
                1,
                memory,
                new Properties(),
                null,
                metrics,
                scala.math.BigDecimal.exact(1),
                scala.collection.immutable.Map$.MODULE$.empty());
        MapOutput.Executor executor = MapOutput.Executor.of(environment);
        MapOutput output = new MapOutput(
                MapOutputTest.SHUFFLE,
                MapOutputTest.MAP,
                partitions,
                new MapOutput.Executor(executor.conf(), executor.streams(), spills, executor.server()),
                components,
                metrics.shuffleWriteMetrics());
        return new GroupShuffleWriter<>(dependency, task, metrics.shuffleWriteMetrics(), output);
    }
}
