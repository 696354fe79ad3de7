package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.serializer;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.heapspan.HeapspanException;
import org.heapspan.spark.SerializedStreams;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.SerializerOptions;
import org.heapspan.spark.types.ApplicationTypes;
import org.heapspan.spark.types.DriverTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Groups of shuffles name classes by numbers, all others describe them; every stream reads both. */
@Tag("once")
final class NumberedGroupsTest {
    record Order(long id, Customer customer, List<Line> lines) implements Serializable {}

    record Customer(String name, int region) implements Serializable {}

    record Line(String article, int count) implements Serializable {}

    private final DriverTypes types = new DriverTypes();

    @AfterEach
    void forget() {
        ApplicationTypes.end(ApplicationTypes.registry());
    }

    private static RecordEngine engine(String encoding) {
        SparkConf conf = new SparkConf(false).set("spark.heapspan.encoding", encoding);
        SerializerOptions options = SerializerOptions.of(HeapspanConfiguration.of(conf));
        return RecordEngine.of(options, NumberedGroupsTest.class.getClassLoader());
    }

    private static Object[] orders(int count) {
        Object[] orders = new Object[count];
        for (int i = 0; i < count; i++) {
            orders[i] = new Order(
                    1000 + i,
                    new Customer("customer " + i % 7, i % 3),
                    List.of(new Line("article " + i % 5, i), new Line("article 9", 1)));
        }
        return orders;
    }

    /** What the shuffle manager writes for a reducer. */
    private static byte[] shuffled(String encoding, Object... records) throws IOException {
        return written(encoding, true, records);
    }

    private static byte[] written(String encoding, boolean checked, Object... records) throws IOException {
        return SerializedStreams.shuffled(serializer("spark.heapspan.encoding", encoding), checked, records);
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void everyStreamReadsBothKinds(String encoding) throws Exception {
        Object[] orders = orders(50);
        var instance = instance("spark.heapspan.encoding", encoding);
        byte[] before = write(instance, orders);
        ApplicationTypes.use(types);
        byte[] after = write(instance, orders);
        byte[] numbered = shuffled(encoding, orders);
        assertThat(after).as("what is not shuffled describes its classes").isEqualTo(before);
        assertThat(numbered.length).isLessThanOrEqualTo(before.length);
        byte[] together = Arrays.copyOf(numbered, numbered.length + before.length);
        System.arraycopy(before, 0, together, numbered.length, before.length);
        assertThat(read(serializer().newInstance(), together).subList(0, 50)).containsExactly(orders);
        assertThat(read(serializer().newInstance(), together).subList(50, 100)).containsExactly(orders);
        assertThat(read(new HeapspanSerializerInstance(engine(encoding).forShuffle()), together))
                .hasSize(100);
    }

    @Test
    void classesAreNotDescribedAgain() throws Exception {
        byte[] described = shuffled("compact", orders(1));
        ApplicationTypes.use(types);
        shuffled("compact", orders(1));
        byte[] numbered = shuffled("compact", orders(1));
        assertThat(described.length - numbered.length).isGreaterThan(200);
        assertThat(types.size()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void groupsOfAnotherApplicationAreRefused() throws Exception {
        ApplicationTypes.use(types);
        byte[] numbered = shuffled("compact", orders(3));
        ApplicationTypes.use(new DriverTypes());
        assertThatThrownBy(() -> read(instance(), numbered))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("checksum")
                .hasMessageContaining("another application");
        ApplicationTypes.end(ApplicationTypes.registry());
        assertThatThrownBy(() -> read(instance(), numbered))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("this JVM has no registry");
    }

    @Test
    void anEngineServesOneRegistryAfterTheOther() throws Exception {
        ApplicationTypes.use(types);
        RecordEngine first = engine("compact").forShuffle();
        assertThat(engine("compact").forShuffle()).isSameAs(first);
        assertThat(first.forShuffle()).isSameAs(first);
        ApplicationTypes.use(new DriverTypes());
        assertThat(engine("compact").forShuffle()).isNotSameAs(first);
        assertThat(read(instance(), shuffled("compact", orders(3)))).containsExactly(orders(3));
    }

    @Test
    void aRegistryThatIsEndedLateDoesNotEndItsSuccessor() {
        DriverTypes next = new DriverTypes();
        ApplicationTypes.use(types);
        ApplicationTypes.use(next);
        ApplicationTypes.end(types);
        assertThat(ApplicationTypes.registry()).isSameAs(next);
    }

    /** A few records for each of many reducers: what is around the records must not be larger than they are. */
    @Test
    void aBlockOfOneRecordHasElevenBytesMoreThanItsRecord() throws Exception {
        ApplicationTypes.use(types);
        Customer customer = new Customer("one", 1);
        shuffled("compact", customer);
        byte[] one = shuffled("compact", customer);
        byte[] two = shuffled("compact", customer, customer);
        int record = two.length - one.length;
        assertThat(record).isPositive();
        assertThat(one.length - record)
                .as("a head of eight bytes, and one class")
                .isBetween(9, 11);
        assertThat(read(instance(), two)).containsExactly(customer, customer);
    }

    @Test
    void aShortGroupWithSharedObjectsKeepsThem() throws Exception {
        ApplicationTypes.use(types);
        Customer customer = new Customer("shared", 1);
        List<Object> records = read(instance(), shuffled("compact", new Tuple2<>(customer, customer)));
        Tuple2<?, ?> pair = (Tuple2<?, ?>) records.get(0);
        assertThat(pair._1()).isEqualTo(customer).isSameAs(pair._2());
    }

    @Test
    void aGroupThatIsTooLongForTheShortFormArrives() throws Exception {
        ApplicationTypes.use(types);
        for (int length : new int[] {0xFFFF - 200, 0xFFFF - 3, 0xFFFF, 0x1_0000, 200_000}) {
            String text = "x".repeat(length);
            assertThat(read(instance(), shuffled("compact", text))).containsExactly(text);
        }
    }

    @Test
    void groupsWithoutAChecksumHaveAHeadOfTwoBytes() throws Exception {
        ApplicationTypes.use(types);
        Customer customer = new Customer("shared", 1);
        shuffled("compact", customer);
        byte[] checked = written("compact", true, customer);
        byte[] unchecked = written("compact", false, customer);
        assertThat(unchecked).hasSize(checked.length - 6);
        assertThat(read(instance(), unchecked)).containsExactly(customer);
        for (Object record : new Object[] {
            new Tuple2<>(customer, customer),
            new Customer("x".repeat(240), 1),
            new Customer("x".repeat(260), 1),
            orders(1)[0]
        }) {
            byte[] bytes = written("compact", false, record, record);
            assertThat(read(instance(), bytes)).containsExactly(record, record);
            Object arrived = read(instance(), bytes).get(1);
            if (arrived instanceof Tuple2<?, ?> pair) {
                assertThat(pair._1()).isSameAs(pair._2());
            }
        }
    }

    /** Blocks that Spark fetches together. */
    @Test
    void groupsOfAllFormsFollowOneAnother() throws Exception {
        ApplicationTypes.use(types);
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        List<Object> expected = new ArrayList<>();
        for (boolean checked : new boolean[] {false, true, false, false}) {
            for (Object record : new Object[] {new Customer("one", 1), new Tuple2<>("one", 1), "x".repeat(70_000)}) {
                together.write(written("compact", checked, record));
                expected.add(record);
            }
            together.write(write(instance(), "described"));
            expected.add("described");
        }
        assertThat(read(instance(), together.toByteArray())).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aShortStreamThatEndsEarlyIsAnErrorWhereverItEnds(boolean checked) throws Exception {
        ApplicationTypes.use(types);
        byte[] bytes = written("compact", checked, orders(1));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(instance(), cut))
                    .as("%d of %d bytes", length, bytes.length)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("truncated");
        }
    }

    /** Bytes of an enemy, or of a block whose damage nobody has noticed. */
    @Test
    void flippedBitsOfGroupsWithoutAChecksumAreRecordsOrAnError() throws Exception {
        ApplicationTypes.use(types);
        byte[] bytes = written("compact", false, orders(2));
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(read(instance(), damaged)).isNotNull();
            } catch (HeapspanException e) {
                assertThat(e.category()).isNotNull();
            }
        }
    }

    @Test
    void everyFlippedBitOfShortGroupsIsNoticed() throws Exception {
        ApplicationTypes.use(types);
        byte[] one = shuffled("compact", orders(2));
        byte[] bytes = Arrays.copyOf(one, 2 * one.length);
        System.arraycopy(one, 0, bytes, one.length, one.length);
        List<Object> expected = read(instance(), bytes);
        assertThat(expected).hasSize(4);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(read(instance(), damaged)).as("bit %d", bit).isEqualTo(expected);
            } catch (HeapspanException e) {
                assertThat(e).hasMessageContaining("stream");
            }
        }
    }
}
