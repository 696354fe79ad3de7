package org.heapspan.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.ANY;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.serializer;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.spark.record.RecordEngine;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.SerializerOptions;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

final class HeapspanSerializerTest {
    record Point(int x, double y) implements Serializable {}

    static final class Cell implements Serializable {
        int value;
        List<String> names = new ArrayList<>();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsArriveInTheirOrder(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.encoding", encoding);
        Object[] records = {1, "two", new Point(3, 4), null, 5L, "two", List.of(new Point(6, 7)), new Tuple2<>("k", 8)};
        assertThat(read(instance, write(instance, records))).containsExactly(records);
    }

    @Test
    void keysAndValuesArriveAsPairs() {
        SerializerInstance instance = instance();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        for (int i = 0; i < 3; i++) {
            stream.writeKey("k" + i, ANY).writeValue(new Point(i, i), ANY);
        }
        stream.close();
        List<Object> pairs = new ArrayList<>();
        instance.deserializeStream(new ByteArrayInputStream(bytes.toByteArray()))
                .asKeyValueIterator()
                .foreach(pairs::add);
        assertThat(pairs)
                .containsExactly(
                        new Tuple2<>("k0", new Point(0, 0)),
                        new Tuple2<>("k1", new Point(1, 1)),
                        new Tuple2<>("k2", new Point(2, 2)));
    }

    /** Spark reads what it has spilled key by key and value by value. */
    @Test
    void keysAndValuesAreReadOneAfterTheOther() {
        SerializerInstance instance = instance();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream written = instance.serializeStream(bytes);
        written.writeKey(null, ANY).writeValue(1, ANY).writeKey("k", ANY).writeValue(null, ANY);
        written.close();
        DeserializationStream stream = instance.deserializeStream(new ByteArrayInputStream(bytes.toByteArray()));
        assertThat(stream.readKey(ANY)).isNull();
        assertThat(stream.readValue(ANY)).isEqualTo(1);
        assertThat(stream.readKey(ANY)).isEqualTo("k");
        assertThat(stream.readValue(ANY)).isNull();
        assertThatThrownBy(() -> stream.readKey(ANY)).isInstanceOf(EOFException.class);
    }

    @Test
    void aKeyAndItsValueAreOneRecordAndShareWhatTheyShare() {
        SerializerInstance instance = instance();
        Cell cell = new Cell();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        stream.writeKey(cell, ANY).writeValue(List.of(cell), ANY);
        stream.close();
        List<Object> arrived = read(instance, bytes.toByteArray());
        Tuple2<?, ?> pair = (Tuple2<?, ?>) arrived.get(0);
        assertThat(arrived).hasSize(1);
        assertThat(((List<?>) pair._2()).get(0)).isSameAs(pair._1());
    }

    @Test
    void aKeyWithoutItsValueIsAnError() {
        SerializerInstance instance = instance();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        assertThatThrownBy(() -> stream.writeValue(1, ANY)).isInstanceOf(IllegalStateException.class);
        stream.writeKey("k", ANY);
        assertThatThrownBy(() -> stream.writeKey("l", ANY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> stream.writeObject("record", ANY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(stream::flush).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(stream::close).isInstanceOf(IllegalStateException.class);
        DeserializationStream read = instance.deserializeStream(new ByteArrayInputStream(write(instance, "record")));
        assertThatThrownBy(() -> read.readValue(ANY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> read.readKey(ANY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not a pair of key and value, but a java.lang.String");
    }

    @Test
    void endOfStreamIsAnEofExceptionAsSparkExpects() {
        SerializerInstance instance = instance();
        DeserializationStream stream = instance.deserializeStream(new ByteArrayInputStream(write(instance, "only")));
        assertThat(stream.readObject(ANY)).isEqualTo("only");
        assertThatThrownBy(() -> stream.readObject(ANY)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> stream.readObject(ANY)).isInstanceOf(EOFException.class);
    }

    /** Spark and its users write one mutable object again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void recordsMayBeChangedAfterTheyWereWritten(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.encoding", encoding);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        Cell cell = new Cell();
        for (int i = 0; i < 1000; i++) {
            cell.value = i;
            cell.names.add(0, "n" + i);
            stream.writeObject(cell, ANY);
            cell.value = -1;
            cell.names.clear();
        }
        stream.close();
        List<Object> arrived = read(instance, bytes.toByteArray());
        assertThat(arrived).hasSize(1000);
        for (int i = 0; i < 1000; i++) {
            Cell one = (Cell) arrived.get(i);
            assertThat(one.value).isEqualTo(i);
            assertThat(one.names).containsExactly("n" + i);
        }
    }

    @Test
    void recordsShareNothing() {
        SerializerInstance instance = instance();
        Cell cell = new Cell();
        List<Object> arrived = read(instance, write(instance, cell, cell));
        assertThat(arrived.get(0)).isNotSameAs(arrived.get(1));
    }

    @Test
    void groupsLeaveAtTheirSizeAndNotBefore() {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "4k");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        int emitted = 0;
        for (int i = 0; i < 10_000; i++) {
            stream.writeObject("record " + i, ANY);
            if (bytes.size() > emitted) {
                assertThat(bytes.size() - emitted).isBetween(4 << 10, 5 << 10);
                emitted = bytes.size();
            }
        }
        assertThat(emitted).isPositive();
        stream.close();
        assertThat(bytes.size()).isGreaterThan(emitted);
        assertThat(read(instance, bytes.toByteArray())).hasSize(10_000).endsWith("record 9999");
    }

    @Test
    void flushEmitsWhatWasWrittenAndTheStreamGoesOn() throws Exception {
        SerializerInstance instance = instance();
        int[] flushed = {0};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream() {
            @Override
            public void flush() {
                flushed[0]++;
            }
        };
        SerializationStream stream = instance.serializeStream(bytes);
        stream.writeObject("a", ANY);
        assertThat(bytes.size()).isZero();
        stream.flush();
        assertThat(flushed[0]).isOne();
        assertThat(instance.deserializeStream(new ByteArrayInputStream(bytes.toByteArray()))
                        .readObject(ANY))
                .isEqualTo("a");
        int size = bytes.size();
        stream.flush();
        assertThat(bytes.size()).as("an empty group").isEqualTo(size);
        stream.writeObject("b", ANY);
        stream.close();
        assertThat(read(instance, bytes.toByteArray())).containsExactly("a", "b");
    }

    @Test
    void anEmptyStreamIsTheMarkOfItsEnd() {
        SerializerInstance instance = instance();
        assertThat(write(instance)).hasSize(4);
        assertThat(read(instance, write(instance))).isEmpty();
        assertThatThrownBy(() -> read(instance, new byte[0]))
                .hasMessageContaining("ends at its byte 0 without its end mark");
    }

    @Test
    void streamsOneBehindTheOtherAreOneStream() throws Exception {
        SerializerInstance instance = instance();
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(write(instance, "a", "b"));
        both.write(write(instance));
        both.write(write(instance, "c"));
        assertThat(read(instance, both.toByteArray())).containsExactly("a", "b", "c");
    }

    @Test
    void aRecordLargerThanAGroupIsAGroup() {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k");
        byte[] large = new byte[5 << 20];
        Arrays.fill(large, (byte) 7);
        List<Object> arrived = read(instance, write(instance, "before", large, "after"));
        assertThat(arrived).hasSize(3);
        assertThat((byte[]) arrived.get(1)).isEqualTo(large);
        assertThat(arrived.get(2)).isEqualTo("after");
    }

    @Test
    void aRecordThatIsRefusedLeavesTheOthersAlone() {
        SerializerInstance instance = instance();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        stream.writeObject("before", ANY);
        assertThatThrownBy(() -> stream.writeObject(new Tuple2<>("key", List.of(1, new Thread())), ANY))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("root._2[1]: java.lang.Thread cannot be copied")
                .hasCauseInstanceOf(HeapspanException.class);
        assertThatThrownBy(() -> instance.serialize(new Object[] {new Thread()}, ANY))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("root[0]: java.lang.Thread cannot be copied");
        stream.writeObject("after", ANY);
        stream.close();
        assertThat(read(instance, bytes.toByteArray())).containsExactly("before", "after");
    }

    @Test
    void closingTwiceIsClosingOnceAndWritingToAClosedStreamIsAnError() {
        SerializerInstance instance = instance();
        int[] closed = {0};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream() {
            @Override
            public void close() {
                closed[0]++;
            }
        };
        SerializationStream stream = instance.serializeStream(bytes);
        stream.writeObject("a", ANY);
        stream.close();
        stream.close();
        assertThat(closed[0]).isOne();
        assertThat(read(instance, bytes.toByteArray())).containsExactly("a");
        assertThatThrownBy(() -> stream.writeObject("b", ANY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aFullDiskIsTheIoExceptionThatItIsAndTheStreamBelowIsClosed() {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k");
        boolean[] closed = {false};
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void close() {
                closed[0] = true;
            }
        };
        SerializationStream stream = instance.serializeStream(full);
        stream.writeObject("a", ANY);
        assertThatThrownBy(stream::close).isInstanceOf(IOException.class).hasMessage("No space left on device");
        assertThat(closed[0]).isTrue();
        assertThatThrownBy(() -> instance.serializeStream(full).writeObject(new byte[2000], ANY))
                .isInstanceOf(IOException.class);
        // The writers of streams that failed do not bring their records into others.
        assertThat(read(instance, write(instance, "b"))).containsExactly("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void singleValuesArriveFromAnyBuffer(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.encoding", encoding);
        for (Object value : new Object[] {new Point(1, 2), "text", 3, List.of(), null}) {
            ByteBuffer bytes = instance.serialize(value, ANY);
            ByteBuffer within = ByteBuffer.allocate(bytes.remaining() + 7).position(5);
            within.put(bytes.duplicate()).flip().position(5);
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.remaining());
            direct.put(bytes.duplicate()).flip();
            for (ByteBuffer buffer : List.of(bytes, within, within.slice(), direct, bytes.asReadOnlyBuffer())) {
                int remaining = buffer.remaining();
                assertThat(instance.deserialize(buffer, ANY)).isEqualTo(value);
                assertThat(buffer.remaining()).isEqualTo(remaining);
            }
        }
    }

    /** With Spark's own shuffle manager it would flush after every record. */
    @Test
    void groupsMayBePutTogetherWhereTheShuffleManagerIsOurs() {
        assertThat(serializer().supportsRelocationOfSerializedObjects()).isFalse();
        assertThat(serializer("spark.shuffle.manager", "sort").supportsRelocationOfSerializedObjects())
                .isFalse();
        assertThat(serializer("spark.shuffle.manager", "org.apache.spark.heapspan.HeapspanShuffleManager")
                        .supportsRelocationOfSerializedObjects())
                .isTrue();
    }

    /** Spark sends the serializer of a shuffle with each task, by Java serialization. */
    @Test
    void theSerializerTravelsWithItsOptionsButWithoutItsLoader() throws Exception {
        HeapspanSerializer serializer = serializer("spark.heapspan.groupBytes", "2k");
        serializer.setDefaultClassLoader(new URLClassLoader(new URL[0]));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(serializer);
        }
        HeapspanSerializer arrived;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            arrived = (HeapspanSerializer) in.readObject();
        }
        assertThat(arrived.defaultClassLoader().isEmpty()).isTrue();
        byte[] written = write(arrived.newInstance(), new byte[2100], new byte[2100]);
        assertThat(written.length).isGreaterThan(4096);
        assertThat(ByteBuffer.wrap(written).getInt())
                .as("length of the first group")
                .isBetween(2100, 2300);
    }

    /** Classes of --jars are known to the loader that Spark sets, not to that of Spark. */
    @Test
    void classesAreFoundByTheLoaderThatSparkSets() throws Exception {
        ClassLoader apart = new ApartLoader(Place.class);
        Object place = placeOf(apart);
        byte[] written = write(instance(), place);

        HeapspanSerializer withLoader = serializer();
        withLoader.setDefaultClassLoader(apart);
        assertThat(read(withLoader.newInstance(), written).get(0).getClass()).isSameAs(place.getClass());

        ByteBuffer single = instance().serialize(place, ANY);
        assertThat(instance().deserialize(single, apart, ANY).getClass()).isSameAs(place.getClass());
        assertThat(instance().deserialize(single, ANY).getClass()).isSameAs(Place.class);
    }

    @Test
    void withoutALoaderClassesAreFoundByTheContextLoader() throws Exception {
        ClassLoader apart = new ApartLoader(Place.class);
        Object place = placeOf(apart);
        HeapspanSerializer serializer = serializer();
        byte[] written = write(serializer.newInstance(), place);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try {
            Thread.currentThread().setContextClassLoader(apart);
            assertThat(read(serializer.newInstance(), written).get(0).getClass())
                    .isSameAs(place.getClass());
            Thread.currentThread().setContextClassLoader(null);
            assertThat(read(serializer.newInstance(), written).get(0).getClass())
                    .isSameAs(Place.class);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void loadersThatNobodyUsesAreCollected() throws Exception {
        WeakReference<ClassLoader> loader = useALoader();
        Eventually.holdsAfterCollection("the loader is gone", () -> loader.get() == null);
    }

    private static WeakReference<ClassLoader> useALoader() throws Exception {
        ClassLoader apart = new ApartLoader(Place.class);
        HeapspanSerializer serializer = serializer("spark.heapspan.groupBytes", "5k");
        serializer.setDefaultClassLoader(apart);
        read(serializer.newInstance(), write(serializer.newInstance(), placeOf(apart)));
        return new WeakReference<>(apart);
    }

    private static Object placeOf(ClassLoader loader) throws Exception {
        var constructor = loader.loadClass(Place.class.getName()).getDeclaredConstructor(int.class, double.class);
        constructor.setAccessible(true);
        return constructor.newInstance(1, 2.0);
    }

    @Test
    void serializersOfOneConfigurationShareTheirEngine() {
        HeapspanSerializer first = serializer("spark.heapspan.groupBytes", "3k");
        ClassLoader loader = getClass().getClassLoader();
        SerializerOptions options = SerializerOptions.of(
                HeapspanConfiguration.of(new SparkConf(false).set("spark.heapspan.groupBytes", "3k")));
        RecordEngine engine = RecordEngine.of(options, loader);
        first.setDefaultClassLoader(loader);
        assertThat(RecordEngine.of(options, loader)).isSameAs(engine);
        assertThat(RecordEngine.of(options, new URLClassLoader(new URL[0]))).isNotSameAs(engine);
    }

    /** GraphX makes thousands of serializers and streams for a job, most of them for a record or none. */
    @Test
    void instancesAndStreamsCostNextToNothing() {
        HeapspanSerializer serializer = serializer();
        Point point = new Point(1, 2);
        assertThat(allocatedBytes(() -> serializer
                        .newInstance()
                        .serializeStream(OutputStream.nullOutputStream())
                        .close()))
                .isLessThan(200);
        assertThat(allocatedBytes(() -> {
                    SerializationStream stream =
                            serializer.newInstance().serializeStream(OutputStream.nullOutputStream());
                    stream.writeObject(point, ANY).close();
                }))
                .isLessThan(500);
        byte[] written = write(serializer.newInstance(), point);
        assertThat(allocatedBytes(() -> serializer
                        .newInstance()
                        .deserializeStream(new ByteArrayInputStream(written))
                        .readObject(ANY)))
                .isLessThan(2500);
    }

    /** Bytes that a call allocates, once it has been called often. */
    private static long allocatedBytes(Runnable call) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 2000;
        long before = 0;
        for (int i = 0; i < 2 * calls; i++) {
            if (i == calls) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            call.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / calls;
    }

    /** Defines one class again; all others are those of the tests. */
    private static final class ApartLoader extends ClassLoader {
        private final Class<?> apart;

        ApartLoader(Class<?> apart) {
            super(apart.getClassLoader());
            this.apart = apart;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(apart.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (this) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                try (var in = apart.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }
}
