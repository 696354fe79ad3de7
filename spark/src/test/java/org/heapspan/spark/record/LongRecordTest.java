package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.PartitionedRecords;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.spark.SerializedStreams;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.SerializerOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Records that are long, between others. The limit is set lower than it is. */
@Tag("once")
final class LongRecordTest {
    private static final long MOST_BYTES = 1 << 20;

    /** No other test has these options, so that no other test has the engine. */
    private static RecordEngine engine(String encoding) {
        SparkConf conf =
                new SparkConf(false).set("spark.heapspan.groupBytes", "7k").set("spark.heapspan.encoding", encoding);
        RecordEngine engine = RecordEngine.of(
                SerializerOptions.of(HeapspanConfiguration.of(conf)), LongRecordTest.class.getClassLoader());
        engine.limitRecords(MOST_BYTES);
        return engine;
    }

    private static List<Object> records() {
        List<Object> records = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            records.add(new Tuple2<>(i, "record " + i));
        }
        List<Object> many = new ArrayList<>();
        for (long i = 0; i < 300_000; i++) {
            many.add(i * 1_000_003);
        }
        records.add(0, new Tuple2<>("first", many));
        // Fits by itself, and not behind others.
        records.add(500, new Tuple2<>("fits", bytes((int) MOST_BYTES - 4000)));
        records.add(600, new Tuple2<>("middle", bytes(3 << 20)));
        records.add(601, bytes(5 << 20));
        records.add(new Tuple2<>("last", bytes(2 << 20)));
        return records;
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 >> 3);
        }
        return bytes;
    }

    private static byte[] written(SerializerInstance instance, List<Object> records) {
        return SerializedStreams.write(instance, records.toArray());
    }

    private static void areEqual(List<Object> read, List<Object> expected) {
        assertThat(read).hasSameSizeAs(expected);
        for (int i = 0; i < read.size(); i++) {
            Object one = read.get(i) instanceof Tuple2<?, ?> pair ? pair._2() : read.get(i);
            Object other = expected.get(i) instanceof Tuple2<?, ?> pair ? pair._2() : expected.get(i);
            if (other instanceof byte[] array) {
                assertThat(Arrays.equals((byte[]) one, array)).isTrue();
            } else {
                assertThat(one.equals(other)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void streamsCarryThemInTheirOrder(String encoding) {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        List<Object> records = records();
        byte[] stream = written(instance, records);
        areEqual(SerializedStreams.read(instance, stream), records);

        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.writeBytes(stream);
        two.writeBytes(stream);
        List<Object> twice = new ArrayList<>(records);
        twice.addAll(records);
        areEqual(SerializedStreams.read(instance, two.toByteArray()), twice);
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void mapTasksWriteThemForTheirReducers(String encoding) throws Exception {
        RecordEngine engine = engine(encoding);
        PartitionedRecords partitioned = new PartitionedGroups(engine, 3, true, bytes -> true);
        List<Object> records = records();
        for (Object record : records) {
            partitioned.write(1, record);
        }
        partitioned.write(2, records.get(0));
        assertThat(partitioned.memoryBytes()).isBetween(13L << 20, 40L << 20);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        partitioned.writeTo(1, bytes);
        SerializerInstance instance = new HeapspanSerializerInstance(engine);
        areEqual(SerializedStreams.read(instance, bytes.toByteArray()), records);
        bytes.reset();
        partitioned.writeTo(2, bytes);
        areEqual(SerializedStreams.read(instance, bytes.toByteArray()), records.subList(0, 1));
        assertThat(partitioned.isEmpty(0)).isTrue();
        partitioned.clear();
        assertThat(partitioned.memoryBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void mapTasksLeaveThoseForWhichThereIsNoMemory(String encoding) throws Exception {
        RecordEngine engine = engine(encoding);
        List<Long> asked = new ArrayList<>();
        PartitionedRecords partitioned = new PartitionedGroups(engine, 2, true, bytes -> {
            asked.add(bytes);
            return bytes < 4 << 20;
        });
        assertThat(partitioned.write(0, new Tuple2<>(1, "short"))).isTrue();
        Object kept = new Tuple2<>(2, bytes(2 << 20));
        assertThat(partitioned.write(0, kept)).isTrue();
        assertThat(asked).isSorted().last().satisfies(last -> assertThat(last).isBetween(2L << 20, 4L << 20));
        long memoryBytes = partitioned.memoryBytes();
        assertThat(memoryBytes).isBetween(2L << 20, 3L << 20);

        Object left = new Tuple2<>(3, bytes(3 << 20));
        assertThat(partitioned.write(0, left)).isFalse();
        assertThat(partitioned.memoryBytes()).isEqualTo(memoryBytes);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        partitioned.writeTo(0, bytes);
        partitioned.clear();
        partitioned.writeLong(left, bytes);
        assertThat(partitioned.memoryBytes()).isZero();
        assertThat(partitioned.write(0, new Tuple2<>(4, "behind it"))).isTrue();
        partitioned.writeTo(0, bytes);
        List<Object> read = SerializedStreams.read(new HeapspanSerializerInstance(engine), bytes.toByteArray());
        areEqual(read, List.of(new Tuple2<>(1, "short"), kept, left, new Tuple2<>(4, "behind it")));
    }

    /** It would be encoded twice, once in vain, if each were tried in a group. */
    @Test
    void behindALongRecordTheNextIsNotTriedInAGroup() {
        RecordEngine engine = engine("compact");
        SerializerInstance instance = new HeapspanSerializerInstance(engine);
        Counted[] records = new Counted[5];
        for (int i = 0; i < records.length; i++) {
            records[i] = new Counted(i < 3 ? 9 << 20 : 10);
        }
        areEqual(SerializedStreams.read(instance, written(instance, List.of((Object[]) records))), List.of((Object[])
                records));
        assertThat(records).extracting(record -> record.writes).containsExactly(2, 1, 1, 1, 1);

        PartitionedRecords partitioned = new PartitionedGroups(engine, 2, true, bytes -> true);
        for (int i = 0; i < records.length; i++) {
            records[i].writes = 0;
            partitioned.write(i & 1, new Tuple2<>(i, records[i]));
        }
        assertThat(records).extracting(record -> record.writes).containsExactly(2, 1, 1, 1, 1);
    }

    /** Knows how often it was written. */
    private static final class Counted implements Serializable {
        private static final long serialVersionUID = 1;

        private final byte[] content;
        private transient int writes;

        Counted(int length) {
            content = bytes(length);
        }

        private void writeObject(ObjectOutputStream output) throws IOException {
            writes++;
            output.defaultWriteObject();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Counted counted && Arrays.equals(counted.content, content);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(content);
        }
    }

    /** Spark gives such a job up at once, and tries any other again. */
    @Test
    void oneThatCannotBeSerializedBehindALongOneSaysSo() {
        PartitionedRecords partitioned = new PartitionedGroups(engine("compact"), 1, true, bytes -> true);
        assertThat(partitioned.write(0, new Tuple2<>(1, bytes(20 << 20)))).isTrue();
        assertThatThrownBy(() -> partitioned.write(0, new Tuple2<>(2, Thread.currentThread())))
                .isInstanceOf(NotSerializableException.class);
        assertThatThrownBy(() -> partitioned.write(0, new Object[] {bytes(20 << 20), Thread.currentThread()}))
                .isInstanceOf(NotSerializableException.class);
    }

    /** What a method of a record catches is no part of the record. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneWhoseMethodCatchesThatItIsLongIsWhole(boolean wraps) throws Exception {
        RecordEngine engine = engine("compact");
        SerializerInstance instance = new HeapspanSerializerInstance(engine);
        List<Object> records = List.of("before", new Catching(bytes(3 << 20), wraps), "behind");
        areEqual(SerializedStreams.read(instance, written(instance, records)), records);

        PartitionedRecords partitioned = new PartitionedGroups(engine, 1, true, bytes -> true);
        for (Object record : records) {
            assertThat(partitioned.write(0, record)).isTrue();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        partitioned.writeTo(0, bytes);
        areEqual(SerializedStreams.read(instance, bytes.toByteArray()), records);

        PartitionedRecords without = new PartitionedGroups(engine, 1, true, needed -> needed < 1 << 20);
        assertThat(without.write(0, records.get(1))).isFalse();
    }

    @Test
    void aFullDiskIsNoEndOfARecordWhoseMethodCatchesIt() {
        SerializerInstance instance = new HeapspanSerializerInstance(engine("compact"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OutputStream full = new FilterOutputStream(bytes) {
            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                if (bytes.size() > 1 << 20) {
                    throw new IOException("No space left on device");
                }
                out.write(source, offset, length);
            }
        };
        SerializationStream stream = instance.serializeStream(full);
        assertThatThrownBy(() -> stream.writeObject(new Catching(bytes(3 << 20), false), SerializedStreams.ANY))
                .isInstanceOf(IOException.class)
                .hasMessage("No space left on device");
    }

    /** Catches what is thrown while its content is written. */
    private static final class Catching implements Serializable {
        private static final long serialVersionUID = 1;

        private transient byte[] content;
        private final boolean wraps;

        Catching(byte[] content, boolean wraps) {
            this.content = content;
            this.wraps = wraps;
        }

        private void writeObject(ObjectOutputStream output) throws IOException {
            output.defaultWriteObject();
            try {
                output.writeObject(content);
            } catch (IOException | RuntimeException e) {
                if (wraps) {
                    throw new IllegalArgumentException("content", e);
                }
            }
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
            content = (byte[]) input.readObject();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Catching catching && Arrays.equals(catching.content, content);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(content);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void streamThatEndsWithinOneIsAnErrorAndNoEnd(String encoding) {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        byte[] stream = written(instance, List.of(1, bytes(2 << 20), 2));
        for (int length : new int[] {stream.length - 4, stream.length - 20, stream.length / 2, 1000, 200}) {
            InputStream cut = new ByteArrayInputStream(stream, 0, length);
            assertThatThrownBy(() -> SerializedStreams.read(instance, cut))
                    .as("cut at " + length)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        }
    }

    /** Behind the mark of one stream the bytes may end, but not behind a long record that begins the next. */
    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void secondStreamThatLosesItsMarkBehindOneIsAnErrorToo(String encoding) {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.writeBytes(written(instance, List.of(1)));
        byte[] second = written(instance, List.of(bytes(2 << 20)));
        two.write(second, 0, second.length - 4);
        assertThatThrownBy(() -> SerializedStreams.read(instance, two.toByteArray()))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                .hasMessageContaining("without its end mark");
    }

    /** Spark takes an EOFException for the end of the records. */
    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void sourceThatMissesBytesWithinOneIsAnErrorAndNoEnd(String encoding) {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        byte[] stream = written(instance, List.of(1, bytes(2 << 20), 2));
        InputStream cut = new FilterInputStream(new ByteArrayInputStream(stream, 0, stream.length / 2)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int read = super.read(target, offset, length);
                if (read < 0) {
                    throw new EOFException("as a stream that decompresses");
                }
                return read;
            }
        };
        assertThatThrownBy(() -> SerializedStreams.read(instance, cut))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                .hasMessageContaining("begins at byte");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void oneThatCannotBeEncodedLeavesAStreamWithoutItsMark(String encoding) {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        stream.writeObject("before", SerializedStreams.ANY);
        Object refused = new Object[] {bytes(1 << 20), bytes(1 << 20), Thread.currentThread()};
        assertThatThrownBy(() -> stream.writeObject(refused, SerializedStreams.ANY))
                .hasMessageContaining("java.lang.Thread");
        stream.close();
        assertThat(endsWithMark(written(instance, List.of("before")))).isTrue();
        assertThat(endsWithMark(bytes.toByteArray())).isFalse();
        assertThatThrownBy(() -> SerializedStreams.read(instance, bytes.toByteArray()))
                .isInstanceOf(HeapspanException.class);
    }

    /** Each level is written within the one around it. The innermost one needs a lock when it is written for the first time. */
    private static final class Level implements Serializable {
        private static final long serialVersionUID = 1;
        private static final Object LOCK = new Object();
        private static final AtomicInteger WRITTEN = new AtomicInteger();

        private Level inner;

        private void writeObject(ObjectOutputStream output) throws IOException {
            if (inner != null) {
                output.writeObject(inner);
            } else if (WRITTEN.getAndIncrement() == 0) {
                synchronized (LOCK) {
                    output.writeObject("innermost");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsThatAreLostWithALaterOneAreNotLeftOut(String encoding) throws Exception {
        SerializerInstance instance = new HeapspanSerializerInstance(engine(encoding));
        Level nested = new Level();
        for (int i = 0; i < 20_000; i++) {
            Level outer = new Level();
            outer.inner = nested;
            nested = outer;
        }
        Object deep = nested;
        Level.WRITTEN.set(0);
        FutureTask<?> task = new FutureTask<>(
                () -> {
                    SerializationStream stream = instance.serializeStream(new ByteArrayOutputStream());
                    stream.writeObject("before", SerializedStreams.ANY);
                    synchronized (Level.LOCK) {
                        assertThatThrownBy(() -> stream.writeObject(deep, SerializedStreams.ANY))
                                .isInstanceOf(HeapspanException.class)
                                .hasMessageContaining("for a lock");
                    }
                },
                null);
        new Thread(null, task, "small stack", 512 << 10).start();
        task.get();
    }

    private static boolean endsWithMark(byte[] stream) {
        byte[] end = Arrays.copyOfRange(stream, stream.length - 4, stream.length);
        return Arrays.equals(end, new byte[] {(byte) 0xEF, 'E', 'N', 'D'});
    }
}
