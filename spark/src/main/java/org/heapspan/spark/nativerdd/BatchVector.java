package org.heapspan.spark.nativerdd;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * A column that was read from a batch, as Spark SQL reads columns. No value becomes an object, but for a view of a string or array. Values stay valid
 * when the next batch is read. Not thread-safe.
 */
final class BatchVector extends ColumnVector {
    private final @Nullable BoolColumn present;
    private final ValueColumn values;

    /** Of the elements of arrays, or of each field of structs. */
    private final List<BatchVector> children;

    private BatchVector(ValueType type, @Nullable BoolColumn present, ValueColumn values, List<BatchVector> children) {
        super(type.sqlType());
        this.present = present;
        this.values = values;
        this.children = children;
    }

    static BatchVector of(ValueType type, ValueColumn column) {
        return column instanceof MaybeColumn maybe
                ? of(type, maybe.present(), ((ValueType.Maybe) type).value(), maybe.values())
                : of(type, null, type, column);
    }

    private static BatchVector of(
            ValueType type, @Nullable BoolColumn present, ValueType valueType, ValueColumn values) {
        List<BatchVector> children = List.of();
        if (values instanceof TupleColumn tuple) {
            children = tuple.vectors((ValueType.Tuple) valueType);
        } else if (values instanceof SequenceColumn sequence) {
            children = List.of(of(((ValueType.Sequence) valueType).element(), sequence.values()));
        }
        return new BatchVector(type, present, values, children);
    }

    @Override
    public boolean isNullAt(int row) {
        return present != null && !present.bit(row);
    }

    @Override
    public boolean hasNull() {
        return numNulls() > 0;
    }

    @Override
    public int numNulls() {
        int nulls = 0;
        for (int row = 0; present != null && row < present.rows(); row++) {
            nulls += present.bit(row) ? 0 : 1;
        }
        return nulls;
    }

    @Override
    public boolean getBoolean(int row) {
        return ((BoolColumn) values).bit(row);
    }

    private ByteBuffer numbers() {
        return ((NumberColumn) values).bytes();
    }

    @Override
    public byte getByte(int row) {
        return numbers().get(row);
    }

    @Override
    public short getShort(int row) {
        return numbers().getShort(row * Short.BYTES);
    }

    @Override
    public int getInt(int row) {
        return numbers().getInt(row * Integer.BYTES);
    }

    @Override
    public long getLong(int row) {
        return numbers().getLong(row * Long.BYTES);
    }

    @Override
    public float getFloat(int row) {
        return numbers().getFloat(row * Float.BYTES);
    }

    @Override
    public double getDouble(int row) {
        return numbers().getDouble(row * Double.BYTES);
    }

    @Override
    public @Nullable UTF8String getUTF8String(int row) {
        return isNullAt(row) ? null : ((BytesColumn) values).string(row);
    }

    @Override
    public byte @Nullable [] getBinary(int row) {
        return isNullAt(row) ? null : ((BytesColumn) values).array(row);
    }

    @Override
    public ColumnarArray getArray(int row) {
        SequenceColumn sequence = (SequenceColumn) values;
        return new ColumnarArray(children.get(0), sequence.begin(row), sequence.count(row));
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        return children.get(ordinal);
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw new UnsupportedOperationException("batches have no maps");
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw new UnsupportedOperationException("batches have no decimals");
    }

    @Override
    public void close() {}
}
