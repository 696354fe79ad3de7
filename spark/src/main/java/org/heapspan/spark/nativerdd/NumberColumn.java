package org.heapspan.spark.nativerdd;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Numbers of one type. A number of a smaller type fits, and a larger one if its value does. */
final class NumberColumn implements ValueColumn {
    private final ValueType.Simple type;
    private final GrowingBytes values = new GrowingBytes();
    private int rows;

    NumberColumn(ValueType.Simple type) {
        this.type = type;
    }

    @Override
    public void add(@Nullable Object value) {
        switch (type) {
            case FLOAT32 -> {
                if (!(value instanceof Float number)) {
                    throw misfit(value);
                }
                addFloating(number);
            }
            case FLOAT64 -> {
                if (!(value instanceof Double || value instanceof Float)) {
                    throw misfit(value);
                }
                addFloating(((Number) value).doubleValue());
            }
            default -> {
                if (!(value instanceof Long
                        || value instanceof Integer
                        || value instanceof Short
                        || value instanceof Byte)) {
                    throw misfit(value);
                }
                addWhole(((Number) value).longValue());
            }
        }
    }

    /** Adds a number to a column of floating-point numbers, which can hold it. */
    void addFloating(double number) {
        ByteBuffer target = values.room(type.sizeBytes());
        if (type == ValueType.Simple.FLOAT32) {
            target.putFloat((float) number);
        } else {
            target.putDouble(number);
        }
        rows++;
    }

    /** Adds a number to a column of whole numbers, if it fits. */
    void addWhole(long number) {
        int unusedBits = Long.SIZE - type.sizeBytes() * Byte.SIZE;
        if (((number << unusedBits) >> unusedBits) != number) {
            throw misfit(number);
        }
        addBits(number);
        rows++;
    }

    private RuntimeException misfit(@Nullable Object value) {
        return ValueColumn.misfit(value, type.toString());
    }

    private void addBits(long bits) {
        ByteBuffer target = values.room(type.sizeBytes());
        switch (type.sizeBytes()) {
            case Byte.BYTES -> target.put((byte) bits);
            case Short.BYTES -> target.putShort((short) bits);
            case Integer.BYTES -> target.putInt((int) bits);
            default -> target.putLong(bits);
        }
    }

    @Override
    public void addNothing() {
        addBits(0);
        rows++;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public long sizeBytes() {
        return values.size();
    }

    @Override
    public void clear() {
        values.clear();
        rows = 0;
    }

    @Override
    public void write(BatchParts.Writer target) {
        target.add(values);
    }

    @Override
    public void read(BatchParts.Reader source, int count) {
        values.show(source.take((long) count * type.sizeBytes()));
        rows = count;
    }

    /** Those that were read. */
    ByteBuffer bytes() {
        return values.bytes();
    }

    @Override
    public Object get(int row) {
        ByteBuffer bytes = values.bytes();
        int at = row * type.sizeBytes();
        return switch (type) {
            case INT8 -> bytes.get(at);
            case INT16 -> bytes.getShort(at);
            case INT32 -> bytes.getInt(at);
            case FLOAT32 -> bytes.getFloat(at);
            case FLOAT64 -> bytes.getDouble(at);
            default -> bytes.getLong(at);
        };
    }
}
