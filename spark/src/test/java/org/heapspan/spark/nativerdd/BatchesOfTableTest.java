package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.collection.immutable.ArraySeq;
import scala.jdk.javaapi.CollectionConverters;

/** Rows and columns of tables become batches, from which the same values come. */
@Tag("once")
final class BatchesOfTableTest {
    private static final String TYPE =
            "(bool,int8,int16?,int32,int64,float32,float64,string,[int8],[int64?],(string,int32)?)";
    private static final StructType TABLE = StructType.fromDDL("a boolean, b tinyint, c smallint, d date, e timestamp,"
            + " f float, g double, h string, i binary, j array<int>, k struct<x: string, y: int>");

    private static List<Row> read(String type, StructType table, List<?> elements) {
        List<RddBatch> batches = new ArrayList<>();
        ValueType parsed = ValueType.parse(type);
        CollectionConverters.asJava(
                        new BatchesOfTable("some", parsed, table, CollectionConverters.asScala(elements.iterator())))
                .forEachRemaining(batches::add);
        return ValuesTest.rows(type, batches);
    }

    private static InternalRow given(int i) {
        Object[] list = IntStream.range(0, i % 4)
                .mapToObj(each -> each == 1 ? null : i + each)
                .toArray();
        return new GenericInternalRow(new Object[] {
            i % 2 == 0,
            (byte) i,
            i % 3 == 0 ? null : (short) i,
            i,
            i * 1_000_000_007L,
            i / 2f,
            i / 3.0,
            UTF8String.fromString("é".repeat(i % 5)),
            new byte[i % 3],
            new GenericArrayData(list),
            i % 7 == 0 ? null : new GenericInternalRow(new Object[] {UTF8String.fromString("x" + i), -i})
        });
    }

    private static Row expected(int i) {
        Object[] list = IntStream.range(0, i % 4)
                .mapToObj(each -> each == 1 ? null : (long) i + each)
                .toArray();
        return RowFactory.create(
                i % 2 == 0,
                (byte) i,
                i % 3 == 0 ? null : (short) i,
                i,
                i * 1_000_000_007L,
                i / 2f,
                i / 3.0,
                "é".repeat(i % 5),
                new byte[i % 3],
                ArraySeq.unsafeWrapArray(list),
                i % 7 == 0 ? null : RowFactory.create("x" + i, -i));
    }

    @Test
    void rowsArriveUnchanged() {
        long before = NativeBatch.openBytes();
        List<InternalRow> rows =
                IntStream.range(0, 30_000).mapToObj(BatchesOfTableTest::given).toList();
        assertThat(read(TYPE, TABLE, rows))
                .isEqualTo(IntStream.range(0, 30_000)
                        .mapToObj(BatchesOfTableTest::expected)
                        .toList());
        assertThat(read(TYPE, TABLE, List.of())).isEmpty();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    /** As a reader of Parquet files makes them; strings may come from a dictionary. */
    @Test
    void columnsArriveUnchanged() {
        StructType table = StructType.fromDDL("n int, s string, l array<bigint>");
        List<ColumnarBatch> batches = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (int size : new int[] {4, 0, 3}) {
            OnHeapColumnVector[] columns = OnHeapColumnVector.allocateColumns(size + 1, table);
            for (int row = 0; row < size; row++) {
                long[] list = {row, size};
                if (row == 2) {
                    columns[0].putNull(row);
                } else {
                    columns[0].putInt(row, 10 * row);
                }
                columns[1].putByteArray(row, ("s" + row).getBytes(java.nio.charset.StandardCharsets.UTF_8));
                columns[2].getChild(0).appendLongs(2, list, 0);
                columns[2].putArray(row, 2 * row, 2);
                rows.add(RowFactory.create(
                        row == 2 ? null : 10L * row,
                        "s" + row,
                        ArraySeq.unsafeWrapArray(new Object[] {(long) row, (long) size})));
            }
            ColumnVector[] vectors = columns;
            batches.add(new ColumnarBatch(vectors, size));
        }
        assertThat(read("(int64?,string,[int64])", table, batches)).isEqualTo(rows);
    }

    @Test
    void aTableMayHaveOneColumn() {
        List<InternalRow> rows = List.of(new GenericInternalRow(new Object[] {3L}));
        assertThat(read("int64", StructType.fromDDL("n bigint"), rows)).containsExactly(RowFactory.create(3L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "int64|n string|column n: found the type STRING, expected int64",
                "string|n int|column n: found the type INT, expected string",
                "float32|n double|column n: found the type DOUBLE, expected float32",
                "int64|n decimal(10,2)|column n: found the type DECIMAL(10,2), expected int64",
                "[int8]|n array<tinyint>|column n: found the type ARRAY<TINYINT>, expected [int8]",
                "(int64,bool)|n bigint|found 1 columns, expected 2",
                "((int64,bool),bool)|n struct<a: bigint>, b boolean|column n: found the type STRUCT<a: BIGINT>, expected (int64,bool)",
                "([(int8)],bool)|n array<struct<a: date, b: int>>, b boolean|column n: found the type STRUCT<a: DATE, b: INT>, expected (int8)"
            })
    void otherTypesAreRefused(String type, String table, String message) {
        assertThatThrownBy(() -> read(type, StructType.fromDDL(table), List.of()))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage("the program reads some as values of the type " + type + ": " + message);
    }

    @Test
    void valuesThatDoNotFitAreRefused() {
        StructType table = StructType.fromDDL("n int");
        assertThatThrownBy(() -> read("int8", table, List.of(new GenericInternalRow(new Object[] {200}))))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageEndingWith("column n: found java.lang.Long 200, expected int8");
        assertThatThrownBy(() -> read("int32", table, List.of(new GenericInternalRow(new Object[] {null}))))
                .hasMessageEndingWith("column n: found null, expected int32");
    }
}
