package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.heapspan.HeapspanException;
import org.heapspan.spark.HeapspanSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Blocks of numbers, strings and arrays, through Spark's own methods. */
@Tag("once")
final class PlainBlockSerializerTest {
    private static final RDDBlockId BLOCK = new RDDBlockId(1, 0);

    private final SparkConf conf = new SparkConf(false).set("spark.rdd.compress", "false");

    private SerializerManager manager() throws ReflectiveOperationException {
        SerializerManager manager = new SerializerManager(new HeapspanSerializer(conf), conf);
        PlainBlockSerializer.install(manager, conf);
        return manager;
    }

    private static ChunkedByteBuffer write(SerializerManager manager, List<?> values, ClassTag<?> tag) {
        return manager.dataSerializeWithExplicitClassTag(
                BLOCK, CollectionConverters.asScala(new ArrayList<Object>(values).iterator()), tag);
    }

    private static List<Object> read(SerializerManager manager, ChunkedByteBuffer block, ClassTag<?> tag) {
        List<Object> values = new ArrayList<>();
        @SuppressWarnings("unchecked") // Any class will do.
        ClassTag<Object> any = (ClassTag<Object>) tag;
        CollectionConverters.asJava(manager.dataDeserializeStream(BLOCK, block.toInputStream(false), any))
                .forEachRemaining(values::add);
        return values;
    }

    /** Writes and reads values, and returns the length of the block divided by that of Spark's own. */
    private double compared(List<?> values, ClassTag<?> tag) throws ReflectiveOperationException {
        SerializerManager manager = manager();
        ChunkedByteBuffer block = write(manager, values, tag);
        // Without a comparison by reflection, which takes a minute for arrays of this length.
        assertThat(Arrays.deepEquals(read(manager, block, tag).toArray(), values.toArray()))
                .isTrue();
        ChunkedByteBuffer ofSpark = write(new SerializerManager(new JavaSerializer(conf), conf), values, tag);
        return (double) block.size() / ofSpark.size();
    }

    /** As on an executor where nothing could be put in the place of Spark's Kryo. */
    private static SerializerManager ofSpark(SparkConf conf) {
        SerializerManager manager = new SerializerManager(new HeapspanSerializer(conf), conf);
        assertThat(manager.getSerializer(ClassTag$.MODULE$.Int(), true).getClass())
                .isEqualTo(KryoSerializer.class);
        return manager;
    }

    /** What Spark's Kryo asks for the serializer of this JVM. */
    private static void enter(SparkConf conf) {
        SparkEnv.set(new SparkEnv(
                "1", null, new HeapspanSerializer(conf), null, null, null, null, null, null, null, null, conf));
    }

    @AfterEach
    void leave() {
        SparkEnv.set(null);
    }

    private static void isReadByAll(SparkConf conf, List<?> values, ClassTag<?> tag)
            throws ReflectiveOperationException {
        enter(conf);
        SerializerManager ours = new SerializerManager(new HeapspanSerializer(conf), conf);
        PlainBlockSerializer.install(ours, conf);
        SerializerManager ofSpark = ofSpark(conf);
        for (SerializerManager writer : List.of(ours, ofSpark)) {
            ChunkedByteBuffer block = write(writer, values, tag);
            for (SerializerManager reader : List.of(ours, ofSpark)) {
                assertThat(Arrays.deepEquals(read(reader, block, tag).toArray(), values.toArray()))
                        .as("%s of %s, written by %s, read by %s", values.size(), tag, writer, reader)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true,true", "true,false,true", "false,true,false", "false,false,true"})
    void everyJvmReadsTheBlocksOfEveryOther(String references, String unsafe, String pool) throws Exception {
        SparkConf own = conf.clone()
                .set("spark.kryo.referenceTracking", references)
                .set("spark.kryo.unsafe", unsafe)
                .set("spark.kryo.pool", pool);
        Random random = new Random(11);
        ClassTag<?> strings = ClassTag$.MODULE$.apply(String.class);
        isReadByAll(own, List.of(), ClassTag$.MODULE$.Int());
        isReadByAll(own, List.of(42), ClassTag$.MODULE$.Int());
        isReadByAll(own, random.ints(20_000).boxed().toList(), ClassTag$.MODULE$.Int());
        isReadByAll(own, Arrays.asList(null, "abHSPN", "", null, "x", null), strings);
        isReadByAll(own, Collections.nCopies(3, null), strings);
        isReadByAll(own, random.ints(5000).mapToObj(i -> "\u00e9 " + i).toList(), strings);
        isReadByAll(own, List.of("x".repeat(3 << 20), "y"), strings);
        isReadByAll(
                own,
                List.of(new long[] {1}, random.longs(300_000).toArray(), new long[0]),
                ClassTag$.MODULE$.apply(long[].class));
    }

    @Test
    void aBlockThatIsCutOffIsNoShorterBlock() throws Exception {
        enter(conf);
        SerializerManager manager = manager();
        List<Integer> numbers = new Random(5).ints(3000).boxed().toList();
        byte[] block = write(manager, numbers, ClassTag$.MODULE$.Int()).toArray();
        int headBytes = PlainBlock.head(true).length;
        for (int length :
                new int[] {1, 2, headBytes - 1, headBytes, headBytes + 3, block.length / 2, block.length - 1}) {
            ChunkedByteBuffer cut = new ChunkedByteBuffer(ByteBuffer.wrap(Arrays.copyOf(block, length)));
            assertThatThrownBy(() -> read(manager, cut, ClassTag$.MODULE$.Int()))
                    .as("the first %d bytes", length)
                    .isInstanceOfAny(UncheckedIOException.class, HeapspanException.class);
            if (length > headBytes) {
                assertThatThrownBy(() -> read(ofSpark(conf), cut, ClassTag$.MODULE$.Int()))
                        .as("the first %d bytes, by Spark's Kryo", length)
                        .isInstanceOf(HeapspanException.class);
            }
        }
    }

    @Test
    void aBlockIsNotReadWithAnotherSerializerThanItsApplications() throws Exception {
        SparkEnv.set(new SparkEnv(
                "1", null, new JavaSerializer(conf), null, null, null, null, null, null, null, null, conf));
        ChunkedByteBuffer block = write(manager(), List.of(1, 2), ClassTag$.MODULE$.Int());
        assertThatThrownBy(() -> read(ofSpark(conf), block, ClassTag$.MODULE$.Int()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this JVM has another serializer, org.apache.spark.serializer.JavaSerializer");
    }

    @Test
    void blocksOfArraysAndStringsAreNotLongerThanSparks() throws Exception {
        Random random = new Random(7);
        List<String> texts =
                random.ints(20_000).mapToObj(number -> "text " + number).toList();
        assertThat(compared(texts, ClassTag$.MODULE$.apply(String.class))).isLessThan(1.05);
        List<double[]> points = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            points.add(random.doubles(20).toArray());
        }
        assertThat(compared(points, ClassTag$.MODULE$.apply(double[].class))).isLessThan(1.05);
        assertThat(compared(List.of(new byte[0], new byte[1000], new byte[3]), ClassTag$.MODULE$.apply(byte[].class)))
                .isLessThan(1.2);
    }

    /** Whole numbers take as many bytes as they need. Spark's Kryo always takes 4 or 8, so it is shorter for numbers of 64 random bits only. */
    @Test
    void blocksOfNumbersAreNotLongerButForLargeOnes() throws Exception {
        Random random = new Random(7);
        List<Integer> numbers = random.ints(20_000, 0, 1 << 20).boxed().toList();
        assertThat(compared(numbers, ClassTag$.MODULE$.Int())).isLessThan(0.85);
        List<Long> small = random.longs(20_000, 0, 1L << 40).boxed().toList();
        assertThat(compared(small, ClassTag$.MODULE$.Long())).isLessThan(0.85);
        List<Long> large = random.longs(20_000).boxed().toList();
        assertThat(compared(large, ClassTag$.MODULE$.Long())).isLessThan(1.13);
        List<Double> doubles = random.doubles(20_000).boxed().toList();
        assertThat(compared(doubles, ClassTag$.MODULE$.Double())).isLessThan(1.05);
    }

    /** Between short ones, and with a length at which arrays are streamed. */
    @Test
    void longArraysAndStringsAreStreamed() throws Exception {
        long[] numbers = new Random(3).longs(400_000).toArray();
        assertThat(compared(List.of(new long[] {1}, numbers, new long[] {2}), ClassTag$.MODULE$.apply(long[].class)))
                .isLessThan(1.05);
        byte[] bytes = new byte[3 << 20];
        new Random(4).nextBytes(bytes);
        assertThat(compared(List.of(bytes, new byte[] {5}, bytes), ClassTag$.MODULE$.apply(byte[].class)))
                .isLessThan(1.05);
        assertThat(compared(List.of("short", "x".repeat(3 << 20)), ClassTag$.MODULE$.apply(String.class)))
                .isLessThan(1.05);
    }

    @Test
    void onlyPlainValuesAreConcerned() throws Exception {
        SerializerManager manager = manager();
        assertThat(manager.getSerializer(ClassTag$.MODULE$.Int(), true)).isInstanceOf(PlainBlockSerializer.class);
        assertThat(manager.getSerializer(ClassTag$.MODULE$.Any(), true)).isInstanceOf(HeapspanSerializer.class);
        Object first = manager.getSerializer(ClassTag$.MODULE$.Int(), true);
        PlainBlockSerializer.install(manager, conf);
        assertThat(manager.getSerializer(ClassTag$.MODULE$.Int(), true)).isSameAs(first);
    }

    @Test
    void anotherSerializerKeepsSparksKryo() {
        SerializerManager manager = new SerializerManager(new JavaSerializer(conf), conf);
        Object kryo = manager.getSerializer(ClassTag$.MODULE$.Int(), true);
        assertThatThrownBy(() -> PlainBlockSerializer.install(manager, conf))
                .isInstanceOf(NoSuchFieldException.class)
                .hasMessageContaining("the serializer of blocks is a org.apache.spark.serializer.JavaSerializer");
        assertThat(manager.getSerializer(ClassTag$.MODULE$.Int(), true)).isSameAs(kryo);
    }

    @Test
    void aKryoThatTheApplicationHasSetUpStays() {
        assertThat(PlainBlockSerializer.isWanted(conf)).isTrue();
        assertThat(PlainBlockSerializer.isWanted(new SparkConf(false).set("spark.kryo.registrator", "any.Class")))
                .isFalse();
        assertThat(PlainBlockSerializer.isWanted(new SparkConf(false).set("spark.kryo.classesToRegister", "any.Class")))
                .isFalse();
        assertThat(PlainBlockSerializer.isWanted(new SparkConf(false).set("spark.kryo.registrationRequired", "true")))
                .isFalse();
    }
}
