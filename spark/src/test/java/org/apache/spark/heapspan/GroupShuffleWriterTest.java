package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** Map tasks of Spark with less memory than their longest records. */
@Tag("once")
final class GroupShuffleWriterTest {
    private static final int PARTITIONS = 2;
    private static final int LONG_BYTES = 18 << 20;

    /** By number; each length is that of a long record, or a short one. */
    private static final int[] LENGTHS = {10, LONG_BYTES, 10, 20, LONG_BYTES + 1, LONG_BYTES + 2, 30, LONG_BYTES + 3};

    @TempDir
    Path folder;

    private JavaSparkContext context(String key, String value) {
        return new JavaSparkContext(new SparkConf(false)
                .setMaster("local[1]")
                .setAppName("long records")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.local.dir", folder.toString())
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

    private long files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("temp_shuffle"))
                    .count();
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
            context.sc().listenerBus().waitUntilEmpty();
        }
        assertThat(totals.written).isEqualTo(LENGTHS.length);
        assertThat(totals.spilledBytes).isPositive();
    }

    @Test
    void oneThatCannotBeWrittenLeavesNoFile() throws Exception {
        try (JavaSparkContext context = context("spark.testing.memory", "16000000")) {
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
            assertThat(files()).as("files of spilled records").isZero();
        }
    }
}
