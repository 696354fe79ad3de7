package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.serializer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.heapspan.PartitionedRecords;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

@Tag("once")
final class PartitionedGroupsTest {
    private static final int PARTITIONS = 50;

    private static final class Cell implements Serializable {
        private int value;
    }

    private static PartitionedRecords records(String... keysAndValues) {
        return serializer(keysAndValues).partitionedRecords(PARTITIONS, true, bytes -> true);
    }

    private static byte[] bytes(PartitionedRecords records, int partition) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        records.writeTo(partition, bytes);
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsComeOutByPartitionInTheirOrder(String encoding) throws Exception {
        PartitionedRecords records = records("spark.heapspan.groupBytes", "2k", "spark.heapspan.encoding", encoding);
        List<List<Object>> expected = new ArrayList<>();
        IntStream.range(0, PARTITIONS).forEach(any -> expected.add(new ArrayList<>()));
        Random random = new Random(17);
        for (int i = 0; i < 20_000; i++) {
            // None for the last one, the most for the first ones.
            int partition = random.nextInt(1 + random.nextInt(PARTITIONS - 1));
            Tuple2<String, Integer> record = new Tuple2<>("record " + random.nextInt(1000), i);
            records.write(partition, record);
            expected.get(partition).add(record);
        }
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(records.isEmpty(partition))
                    .isEqualTo(expected.get(partition).isEmpty());
            byte[] bytes = bytes(records, partition);
            if (bytes.length > 0) {
                assertThat(read(instance(), bytes)).isEqualTo(expected.get(partition));
            } else {
                assertThat(expected.get(partition)).isEmpty();
            }
        }
        assertThat(records.isEmpty(PARTITIONS - 1)).isTrue();
        assertThat(bytes(records, PARTITIONS - 1)).isEmpty();
    }

    @Test
    void recordsMayBeChangedAfterTheyWereWritten() throws Exception {
        PartitionedRecords records = records();
        Cell cell = new Cell();
        Tuple2<Integer, Cell> pair = new Tuple2<>(1, cell);
        for (int i = 0; i < 300; i++) {
            cell.value = i;
            records.write(i % 3, pair);
        }
        List<Object> arrived = read(instance(), bytes(records, 1));
        assertThat(arrived).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(((Cell) ((Tuple2<?, ?>) arrived.get(i))._2()).value).isEqualTo(3 * i + 1);
        }
    }

    @Test
    void whatKeyAndValueShareStaysShared() throws Exception {
        PartitionedRecords records = records();
        Cell cell = new Cell();
        records.write(0, new Tuple2<>(cell, List.of(cell)));
        Tuple2<?, ?> arrived =
                (Tuple2<?, ?>) read(instance(), bytes(records, 0)).get(0);
        assertThat(((List<?>) arrived._2()).get(0)).isSameAs(arrived._1());
    }

    @Test
    void tuplesOfNumbersStayWhatTheyAre() throws Exception {
        PartitionedRecords records = records();
        Object pair = Class.forName("scala.Tuple2$mcII$sp")
                .getConstructor(int.class, int.class)
                .newInstance(3, 4);
        records.write(0, pair);
        Object arrived = read(instance(), bytes(records, 0)).get(0);
        assertThat(arrived).isEqualTo(pair).hasSameClassAs(pair);
    }

    @Test
    void memoryIsThatOfTheRecordsAndEndsWithThem() {
        PartitionedRecords records = records("spark.heapspan.groupBytes", "8k");
        assertThat(records.memoryBytes()).as("nothing").isZero();
        records.write(3, new Tuple2<>(1, 2));
        assertThat(records.memoryBytes()).as("one record").isBetween(100L, 1000L);
        records.write(4, new Tuple2<>(1, new Cell()));
        assertThat(records.memoryBytes()).as("one object").isBetween(4L << 10, 40L << 10);
        byte[] value = new byte[1000];
        new Random(1).nextBytes(value);
        for (int i = 0; i < 1000; i++) {
            records.write(i % PARTITIONS, new Tuple2<>(i, value));
        }
        assertThat(records.memoryBytes()).as("a million bytes of records").isBetween(1_000_000L, 3_000_000L);
        records.clear();
        assertThat(records.memoryBytes()).isZero();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(records.isEmpty(partition)).isTrue();
        }
    }

    @Test
    void aLargeRecordDoesNotLeaveItsMemoryBehind() throws Exception {
        PartitionedRecords records = records("spark.heapspan.groupBytes", "4k");
        byte[] large = new byte[3 << 20];
        for (int i = 0; i < PARTITIONS; i++) {
            records.write(0, new Tuple2<>(i, large));
        }
        long all = (long) PARTITIONS * large.length;
        assertThat(records.memoryBytes()).isBetween(all, all + (1 << 20));
        assertThat(read(instance(), bytes(records, 0))).hasSize(PARTITIONS);
    }

    @Test
    void whatIsWrittenAfterClearIsAllThereIs() throws Exception {
        PartitionedRecords records = records();
        records.write(0, new Tuple2<>("dropped", 1));
        records.write(1, new Tuple2<>("dropped", 2));
        records.clear();
        Tuple2<String, Integer> kept = new Tuple2<>("kept", 3);
        records.write(1, kept);
        assertThat(records.isEmpty(0)).isTrue();
        assertThat(read(instance(), bytes(records, 1))).containsExactly(kept);
        records.clear();
        // Nor do dropped records come into others by way of idle groups.
        PartitionedRecords others = records();
        others.write(7, kept);
        assertThat(read(instance(), bytes(others, 7))).containsExactly(kept);
    }

    @Test
    void aRecordThatIsRefusedEndsTheJobAtOnce() throws Exception {
        PartitionedRecords records = records();
        Tuple2<String, Integer> before = new Tuple2<>("before", 1);
        records.write(0, before);
        assertThatThrownBy(() -> records.write(0, new Tuple2<>(1, List.of(new Thread()))))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("root._2[0]: java.lang.Thread cannot be copied");
        assertThat(read(instance(), bytes(records, 0))).containsExactly(before);
    }

    /** Shrinking may come at any time, and changes nothing but the memory. */
    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsComeOutInTheirOrderWhenMemoryIsShort(String encoding) throws Exception {
        PartitionedRecords records = records("spark.heapspan.groupBytes", "8k", "spark.heapspan.encoding", encoding);
        List<List<Object>> expected = new ArrayList<>();
        IntStream.range(0, PARTITIONS).forEach(any -> expected.add(new ArrayList<>()));
        Random random = new Random(18);
        int shrunk = 0;
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 40_000; i++) {
                int partition = random.nextInt(1 + random.nextInt(PARTITIONS));
                Object value = random.nextInt(10) == 0 ? List.of(i) : "record " + random.nextInt(1000);
                Tuple2<Integer, Object> record = new Tuple2<>(i, random.nextInt(500) == 0 ? "x".repeat(10_000) : value);
                records.write(partition, record);
                expected.get(partition).add(record);
                if (random.nextInt(1000) == 0 && records.shrink()) {
                    shrunk++;
                }
            }
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(read(instance(), bytes(records, partition))).isEqualTo(expected.get(partition));
                expected.get(partition).clear();
            }
            records.clear();
            assertThat(records.memoryBytes()).isZero();
            assertThat(records.shrink()).as("nothing").isFalse();
        }
        assertThat(shrunk).isPositive();
    }

    private static Tuple2<Integer, Object> object(int number) {
        return new Tuple2<>(number, List.of(number));
    }

    @Test
    void fewRecordsTakeLittleOnceMemoryWasShort() throws Exception {
        int reducers = 5000;
        PartitionedRecords records = serializer().partitionedRecords(reducers, true, bytes -> true);
        IntStream.range(0, reducers).forEach(number -> records.write(number, object(number)));
        assertThat(records.memoryBytes()).as("a group for each").isGreaterThan(reducers * (4L << 10));
        assertThat(records.shrink()).isTrue();
        assertThat(records.memoryBytes()).isLessThan(reducers * 500L);
        assertThat(records.shrink()).as("no less").isFalse();
        records.clear();
        IntStream.range(0, 3 * reducers).forEach(number -> records.write(number % reducers, object(number)));
        assertThat(records.memoryBytes()).as("memory stays short").isLessThan(reducers * 1000L);
        assertThat(read(instance(), bytes(records, 7))).containsExactly(object(7), object(5007), object(10_007));
    }

    /** Groups of one record each take more, in memory and for readers. */
    @Test
    void reducersWithManyRecordsHaveGroupsForThemselves() throws Exception {
        PartitionedRecords ample = records("spark.heapspan.groupBytes", "8k");
        PartitionedRecords shrunk = records("spark.heapspan.groupBytes", "8k");
        shrunk.write(0, object(0));
        assertThat(shrunk.shrink()).isTrue();
        for (int i = 0; i < 100_000; i++) {
            ample.write(i % 2, object(i));
            shrunk.write(i % 2, object(i));
        }
        assertThat(bytes(shrunk, 1)).hasSizeLessThan(bytes(ample, 1).length + (6 << 10));
    }

    @Test
    void fullGroupsAreNotShrunk() {
        PartitionedRecords records = records("spark.heapspan.groupBytes", "8k");
        for (int i = 0; i < 500_000; i++) {
            records.write(i % PARTITIONS, object(i));
        }
        long memoryBytes = records.memoryBytes();
        assertThat(records.shrink()).isFalse();
        assertThat(records.memoryBytes()).isEqualTo(memoryBytes);
    }

    /** A map task of a few records to thousands of reducers pays for those that get one. */
    @Test
    void reducersWithoutRecordsCostNothing() {
        PartitionedRecords records = serializer().partitionedRecords(100_000, true, bytes -> true);
        records.write(99_999, new Tuple2<>(1, 2));
        assertThat(records.memoryBytes()).isLessThan(40 << 10);
        assertThat(records.isEmpty(0)).isTrue();
    }
}
