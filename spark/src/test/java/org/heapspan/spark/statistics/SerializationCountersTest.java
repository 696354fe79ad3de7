package org.heapspan.spark.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.ANY;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.spark.Place;
import org.heapspan.spark.SerializedStreams;
import org.heapspan.spark.statistics.SerializationFailures.Cases;
import org.heapspan.spark.statistics.SerializationFailures.Example;
import org.heapspan.spark.statistics.SerializationFailures.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

@Tag("once")
final class SerializationCountersTest {
    private static final int MANY = 100_000;

    @BeforeEach
    void startOver() {
        SerializationCounters.startOver();
    }

    private static Object[] places(int count) {
        Object[] places = new Object[count];
        Arrays.setAll(places, i -> new Place(i, i / 2.0));
        return places;
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsAndBytesAreThoseOfTheStream(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.encoding", encoding);
        byte[] bytes = write(instance, places(MANY));
        // The mark behind the last group is no part of a record.
        long groupBytes = (long) bytes.length - SerializedStreams.MARK_BYTES;
        Work encoded = SerializationCounters.total().encoded();
        assertThat(encoded.records()).isEqualTo(MANY);
        assertThat(encoded.bytes()).isEqualTo(groupBytes);
        assertThat(SerializationCounters.total().decoded()).isEqualTo(Work.NONE);

        read(instance, bytes);
        Work decoded = SerializationCounters.total().decoded();
        assertThat(decoded.records()).isEqualTo(MANY);
        assertThat(decoded.bytes()).isEqualTo(groupBytes);
        assertThat(SerializationCounters.byStage())
                .containsOnly(Map.entry(SerializationCounters.NO_STAGE, new Progress(encoded, decoded)));
    }

    @Test
    void timeIsAboutThatOfTheCalls() {
        SerializerInstance instance = instance();
        Object[] records = places(MANY);
        for (int i = 0; i < 5; i++) {
            read(instance, write(instance, records));
        }
        // Other processes may take the processor meanwhile, which samples are cut off for; or the round is repeated.
        assertThat(IntStream.range(0, 20).anyMatch(any -> timesAreThoseOfTheProcessor(instance, records)))
                .isTrue();
    }

    private static boolean timesAreThoseOfTheProcessor(SerializerInstance instance, Object[] records) {
        SerializationCounters.startOver();
        var threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        byte[] bytes = write(instance, records);
        long writing = threads.getCurrentThreadCpuTime() - begin;
        begin = threads.getCurrentThreadCpuTime();
        read(instance, bytes);
        long reading = threads.getCurrentThreadCpuTime() - begin;
        Progress total = SerializationCounters.total();
        return isBetween(total.encoded().nanos(), writing / 100, 5 * writing)
                && isBetween(total.decoded().nanos(), reading / 100, 5 * reading);
    }

    private static boolean isBetween(long value, long least, long most) {
        return value >= least && value <= most;
    }

    /** A shuffle to many partitions leaves streams of a few records: all records have the same chance all the same. */
    @Test
    void shortStreamsAreSampledAsOftenAsLongOnes() {
        SerializerInstance instance = instance();
        int streams = 20_000;
        for (int i = 0; i < streams; i++) {
            write(instance, "first", new Place(i, 0), new Place(i, 1));
        }
        assertThat(EncodedClasses.byName().get("java.lang.String").records()).isEqualTo(streams);
        // Each sample stands for 256 records: the standard deviation is 16 * sqrt(40000), 3200.
        assertThat(EncodedClasses.byName().get(Place.class.getTypeName()).records())
                .isBetween(2L * streams - 18_000, 2L * streams + 18_000);
        assertThat(SerializationCounters.total().encoded().records()).isEqualTo(3L * streams);
    }

    @Test
    void theGroupsThatWereReadBeforeAStreamIsClosedCount() {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k");
        DeserializationStream stream =
                instance.deserializeStream(new ByteArrayInputStream(write(instance, places(10_000))));
        stream.readObject(ANY);
        stream.readObject(ANY);
        stream.close();
        stream.close();
        assertThat(SerializationCounters.total().decoded().records()).isBetween(10L, 1000L);
        assertThat(SerializationCounters.total().decoded().bytes()).isBetween(1000L, 2000L);
    }

    @Test
    void singleValuesCount() {
        SerializerInstance instance = instance();
        ByteBuffer bytes = instance.serialize(new Object[] {new Place(1, 2)}, ANY);
        instance.deserialize(bytes, ANY);
        instance.deserialize(bytes, getClass().getClassLoader(), ANY);
        Progress total = SerializationCounters.total();
        assertThat(total.encoded().records()).isOne();
        assertThat(total.encoded().bytes()).isEqualTo(bytes.remaining());
        assertThat(total.encoded().nanos()).isPositive();
        assertThat(total.decoded().records()).isEqualTo(2);
        assertThat(EncodedClasses.byName())
                .containsOnly(Map.entry("org.heapspan.spark.Place[]", new Work(1, bytes.remaining(), 0)));
    }

    @Test
    void classesAreTheirShareOfTheBytes() {
        SerializerInstance instance = instance();
        Object[] records = new Object[MANY];
        Arrays.setAll(records, i -> i % 2 == 0 ? new Place(i, i) : new Tuple2<>("key", "x".repeat(90) + i % 10));
        byte[] bytes = write(instance, records);
        Map<String, Work> classes = EncodedClasses.byName();
        assertThat(classes).containsOnlyKeys("org.heapspan.spark.Place", "java.lang.String");
        long sum = classes.values().stream().mapToLong(Work::bytes).sum();
        assertThat(sum).isBetween(bytes.length * 6L / 10, bytes.length * 14L / 10);
        assertThat(classes.get("java.lang.String").bytes()).isGreaterThan(sum / 2);
    }

    @Test
    void classesAreBounded() {
        for (int i = 0; i < 2 * EncodedClasses.MOST_CLASSES; i++) {
            EncodedClasses.add(arrayOfDimensions(i % 250 + 1, i / 250), 1, 1);
        }
        assertThat(EncodedClasses.byName())
                .hasSizeLessThanOrEqualTo(EncodedClasses.MOST_CLASSES + 1)
                .containsKey(EncodedClasses.OTHERS);
        assertThat(EncodedClasses.byName().values().stream()
                        .mapToLong(Work::records)
                        .sum())
                .isEqualTo(2 * EncodedClasses.MOST_CLASSES);
    }

    private static Object arrayOfDimensions(int dimensions, int element) {
        Class<?> type = List.of(int.class, long.class, short.class).get(element);
        return java.lang.reflect.Array.newInstance(type, new int[dimensions]);
    }

    @Test
    void namesAreThoseOfThePartThatMatters() {
        assertThat(EncodedClasses.nameOf(null)).isEqualTo("null");
        assertThat(EncodedClasses.nameOf(1)).isEqualTo("java.lang.Integer");
        assertThat(EncodedClasses.nameOf(new Tuple2<>(1, null))).isEqualTo("null");
        assertThat(EncodedClasses.nameOf(new Tuple2<>(1, new long[2]))).isEqualTo("long[]");
        assertThat(EncodedClasses.nameOf(new Tuple2<>(1, new Tuple2<>("a", new Tuple2<>(2, 3)))))
                .isEqualTo("(java.lang.String, scala.Tuple2)");
        assertThat(EncodedClasses.nameOf(new Object[0])).isEqualTo("java.lang.Object[]");
        assertThat(EncodedClasses.nameOf(new Object[] {"a", 1})).isEqualTo("java.lang.String[]");
    }

    @Test
    void stagesAreBoundedAndTheirSumsKept() {
        int stages = 3 * SerializationCounters.MOST_STAGES;
        SerializationCounters.ofStage(SerializationCounters.NO_STAGE).decoded(1, 2, 3);
        for (int stage = 0; stage < stages; stage++) {
            SerializationCounters.ofStage(stage).encoded(1, 10, 100);
        }
        assertThat(SerializationCounters.byStage())
                .hasSize(SerializationCounters.MOST_STAGES)
                .containsKeys(SerializationCounters.NO_STAGE, stages - 1)
                .doesNotContainKey(0);
        assertThat(SerializationCounters.total())
                .isEqualTo(new Progress(new Work(stages, 10L * stages, 100L * stages), new Work(1, 2, 3)));
    }

    @Test
    void refusedClassesAreNamedWithThePathToThem() {
        SerializerInstance instance = instance();
        SerializationStream stream = instance.serializeStream(new ByteArrayOutputStream());
        for (int i = 0; i < 3; i++) {
            Object refused = Map.of("a: b", new Thread());
            assertThatThrownBy(() -> stream.writeObject(refused, ANY)).hasMessageContaining("java.lang.Thread");
        }
        assertThatThrownBy(() -> instance.serialize(new Thread(), ANY)).hasMessageContaining("java.lang.Thread");
        assertThat(SerializationFailures.byKind()).hasSize(1);
        Cases cases = SerializationFailures.byKind().get(new Kind("CLASS_REFUSED", "java.lang.Thread"));
        assertThat(cases.count()).isEqualTo(4);
        assertThat(cases.last().path()).isEqualTo("root");
        assertThat(cases.last().reason()).isNotEmpty().doesNotContain("make the field");
        assertThatThrownBy(() -> stream.writeObject(Map.of("a: b", new Thread()), ANY))
                .hasMessageContaining("java.lang.Thread");
        assertThat(SerializationFailures.byKind()
                        .get(new Kind("CLASS_REFUSED", "java.lang.Thread"))
                        .last()
                        .path())
                .isEqualTo("root[a: b]");
    }

    @Test
    void damagedGroupsCount() {
        SerializerInstance instance = instance();
        byte[] bytes = write(instance, places(10));
        bytes[bytes.length - 3] ^= 1;
        assertThatThrownBy(() -> read(instance, bytes)).isInstanceOf(HeapspanException.class);
        assertThat(SerializationFailures.byKind())
                .hasEntrySatisfying(
                        new Kind("MALFORMED", ""),
                        cases -> assertThat(cases.count()).isOne());
    }

    @Test
    void failuresAndTheirTextsAreBounded() {
        for (int i = 0; i < 3 * SerializationFailures.MOST_KINDS; i++) {
            SerializationFailures.add(
                    new HeapspanException(Category.CLASS_REFUSED, "root: a.C" + i + " cannot be copied: why"));
        }
        SerializationFailures.add(new HeapspanException(Category.CLASS_REFUSED, "x".repeat(100_000)));
        Map<Kind, Cases> failures = SerializationFailures.byKind();
        assertThat(failures).hasSizeLessThanOrEqualTo(SerializationFailures.MOST_KINDS + 1);
        assertThat(failures.values().stream().mapToLong(Cases::count).sum())
                .isEqualTo(3 * SerializationFailures.MOST_KINDS + 1);
        Example long1000 = failures.get(new Kind("CLASS_REFUSED", "")).last();
        assertThat(long1000.reason()).hasSizeLessThan(1010);
    }
}
