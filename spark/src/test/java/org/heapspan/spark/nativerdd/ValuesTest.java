package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import scala.Some;
import scala.Tuple1;
import scala.Tuple2;
import scala.Tuple3;
import scala.Tuple4;
import scala.collection.immutable.ArraySeq;
import scala.jdk.javaapi.CollectionConverters;

/** Values of Scala, Java and SQL become batches and values again. */
@Tag("once")
final class ValuesTest {
    private static final String ALL =
            "(bool?,int8,int16,int32,int64,float32,float64,string?,[int8],[[string]],[bool],(int64,[int32])?)";

    private static List<RddBatch> batches(String type, List<?> values) {
        List<RddBatch> batches = new ArrayList<>();
        CollectionConverters.asJava(new BatchesOfValues(
                        "some", ValueType.parse(type), CollectionConverters.asScala(values.iterator())))
                .forEachRemaining(batches::add);
        return batches;
    }

    private static List<Object> values(String type, List<RddBatch> batches) {
        List<Object> values = new ArrayList<>();
        CollectionConverters.asJava(new ValuesOfBatches(ValueType.parse(type))
                        .apply(CollectionConverters.asScala(batches.iterator())))
                .forEachRemaining(values::add);
        return values;
    }

    /** The rows that a program has made, as an application gets them. */
    static List<Row> rows(String type, List<RddBatch> batches) {
        ValueType parsed = ValueType.parse(type);
        List<ValueType> types = parsed.columns();
        StructField[] fields = IntStream.range(0, types.size())
                .mapToObj(i -> ValueType.column("c" + i, types.get(i)))
                .toArray(StructField[]::new);
        var converter = CatalystTypeConverters.createToScalaConverter(DataTypes.createStructType(fields));
        List<Row> rows = new ArrayList<>();
        CollectionConverters.asJava(new RowsOfBatches(parsed).apply(CollectionConverters.asScala(batches.iterator())))
                .forEachRemaining(row -> rows.add((Row) converter.apply(row)));
        return rows;
    }

    private static List<Object> through(String type, Object... values) {
        return values(type, batches(type, Arrays.asList(values)));
    }

    private static Row row(int i) {
        boolean there = i % 3 != 0;
        Object[] strings =
                IntStream.range(0, i % 4).mapToObj(each -> "é" + each).toArray();
        return RowFactory.create(
                there ? i % 2 == 0 : null,
                (byte) i,
                (short) i,
                -i,
                1L << (i % 64),
                i / 2f,
                i / 3.0,
                there ? "text " + i : null,
                new byte[i % 5],
                ArraySeq.unsafeWrapArray(
                        new Object[] {ArraySeq.unsafeWrapArray(strings), ArraySeq.unsafeWrapArray(new Object[0])}),
                ArraySeq.unsafeWrapArray(new Object[] {true, there}),
                there ? RowFactory.create((long) i, ArraySeq.unsafeWrapArray(new Object[] {i, 2})) : null);
    }

    @Test
    void rowsOfTablesArriveUnchanged() {
        long before = NativeBatch.openBytes();
        List<Row> rows = IntStream.range(0, 40_000).mapToObj(ValuesTest::row).toList();
        List<RddBatch> batches = batches(ALL, rows);
        assertThat(batches).hasSizeBetween(3, 12);
        assertThat(rows(ALL, batches)).isEqualTo(rows);
        assertThat(batches(ALL, List.of())).isEmpty();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    @Test
    void aTableMayHaveOneColumn() {
        List<Row> rows = List.of(RowFactory.create(3L), RowFactory.create(4L));
        assertThat(rows("int64", batches("int64", rows))).isEqualTo(rows);
        assertThat(values("int64", batches("int64", rows))).containsExactly(3L, 4L);
    }

    @Test
    void valuesOfScalaArriveAsWhatScalaHas() {
        assertThat(through("float64", 0.5, -0.0, Double.NaN)).containsExactly(0.5, -0.0, Double.NaN);
        assertThat(through("string", "", "𝄞")).containsExactly("", "𝄞");
        Object pair = new Tuple2<>("key", new Some<>(7));
        Object missing = new Tuple2<>("key", Option.empty());
        assertThat(through("(string,int32?)", pair, missing)).containsExactly(pair, missing);
        Object nested = new Tuple2<>(new Tuple1<>(1L), new Tuple3<>(true, (byte) 1, "x"));
        assertThat(through("((int64),(bool,int8,string))", nested)).containsExactly(nested);
        Object larger = new Tuple4<>(1, 2, 3, 4);
        assertThat(through("(int32,int32,int32,int32)", larger)).containsExactly(larger);
        assertThat(through("[int64]", new long[] {1, 2}, List.of(3L), ArraySeq.unsafeWrapArray(new Object[] {4})))
                .containsExactly(new long[] {1, 2}, new long[] {3}, new long[] {4});
        assertThat(through("[(string,int64)]", new Object[] {List.of(new Tuple2<>("a", 1L))})
                        .get(0))
                .isEqualTo(new Tuple2<?, ?>[] {new Tuple2<>("a", 1L)});
        assertThat(through("[[string]?]", List.of(Option.empty(), List.of("x"))).get(0))
                .isInstanceOf(Option[].class);
    }

    /** Smaller types fit into larger ones, and no value is changed. */
    @Test
    void numbersFitOrAreRefused() {
        assertThat(through("int64", (byte) 1, (short) 2, 3, 4L)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(through("int8", 127L, -128)).containsExactly((byte) 127, (byte) -128);
        assertThat(through("float64", 1.5f)).containsExactly(1.5);
        for (Object wrong : Arrays.asList(128, -129L, 1.0, "1", null)) {
            assertThatThrownBy(() -> through("int8", wrong))
                    .isInstanceOf(NativeProgramException.class)
                    .hasMessageStartingWith("the program reads some as values of the type int8: found ")
                    .hasMessageEndingWith(", expected int8");
        }
        assertThatThrownBy(() -> through("float32", 1.0)).hasMessageContaining("found java.lang.Double 1.0, expected");
        assertThatThrownBy(() -> through("float64", 1)).hasMessageContaining("found java.lang.Integer 1, expected");
    }

    @Test
    void otherValuesAreRefused() {
        assertThatThrownBy(() -> through("string", 1)).hasMessageContaining("expected string");
        assertThatThrownBy(() -> through("bool", 1)).hasMessageContaining("expected bool");
        assertThatThrownBy(() -> through("[int8]", "x")).hasMessageContaining("expected byte[] for [int8]");
        assertThatThrownBy(() -> through("[int64]", 1L)).hasMessageContaining("Seq or List for [int64]");
        assertThatThrownBy(() -> through("(int64,int64)", new Tuple3<>(1, 2, 3)))
                .hasMessageContaining("found scala.Tuple3, expected a tuple, case class or Row of 2 fields, not 3");
        assertThatThrownBy(() -> through("(int64,int64)", (Object) new Object[] {1}))
                .hasMessageContaining("of 2 fields, not 1");
        assertThatThrownBy(() -> through("(int64,int64)", 1L)).hasMessageEndingWith("or Row of 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bool", "int64?", "[[int8]]", "(string,(float32,float64?)?,[(int16,int32)])", ALL})
    void typesAreReadAsTheyAreWritten(String text) {
        assertThat(ValueType.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {"'' 0", "int 0", "int640 5", "[int8 5", "(int8,) 6", "int8] 4"})
    void unknownTypesAreRefused(String text, int place) {
        assertThatThrownBy(() -> ValueType.parse(text))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("unknown from character " + place + " on");
    }

    @Test
    void scalaHasNoLargerTuples() {
        String parts = "int8,".repeat(22) + "int8";
        assertThatThrownBy(() -> ValueType.parse("(" + parts + ")")).hasMessageContaining("tuples of 23 parts");
    }

    /** Each byte of a batch, changed, and each end that is missing: values or a refusal. */
    @Test
    void damagedBatchesAreRefused() {
        byte[] bytes = batches(
                        ALL, IntStream.range(0, 9).mapToObj(ValuesTest::row).toList())
                .stream()
                .map(batch -> NativeBatch.bytesAt(
                        batch.memory().address(), batch.memory().sizeBytes()))
                .findFirst()
                .orElseThrow();
        int refused = 0;
        int read = 0;
        for (int i = 0; i < bytes.length; i++) {
            for (int mask : new int[] {1, 0x80, 0xff}) {
                byte[] damaged = bytes.clone();
                damaged[i] ^= (byte) mask;
                if (isRead(damaged)) {
                    read++;
                } else {
                    refused++;
                }
            }
            assertThat(isRead(Arrays.copyOf(bytes, i))).isFalse();
        }
        assertThat(refused).isGreaterThan(300);
        assertThat(read).isGreaterThan(300);
    }

    private static boolean isRead(byte[] bytes) {
        Iterator<Object> values = CollectionConverters.asJava(new ValuesOfBatches(ValueType.parse(ALL))
                .apply(CollectionConverters.asScala(
                        List.of(new RddBatch(NativeBatch.copyOf(bytes))).iterator())));
        try {
            values.forEachRemaining(value -> {});
            return true;
        } catch (NativeProgramException e) {
            assertThat(e).hasMessageContaining("a batch of a native program is damaged");
            return false;
        }
    }
}
