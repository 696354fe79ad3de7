package org.heapspan.spark.nativerdd;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.heapspan.nativerdd.NativeProgramException;

/** Copies values of a table into a column of a batch, as Spark holds them: in a row, in an array, or in a column of many rows. None becomes an object. */
interface TableColumn {
    /** Adds one value. */
    void add(SpecializedGetters values, int ordinal);

    /**
     * The way of values of a table into a column.
     *
     * @param type what the program reads
     * @param given what the table has
     * @param target made for the type
     * @throws NativeProgramException if values of the table are of another kind
     */
    static TableColumn of(ValueType type, DataType given, ValueColumn target) {
        if (target instanceof MaybeColumn maybe) {
            TableColumn value = of(((ValueType.Maybe) type).value(), given, maybe.values());
            return (values, ordinal) -> {
                if (values.isNullAt(ordinal)) {
                    maybe.addNothing();
                } else {
                    maybe.addPresence();
                    value.add(values, ordinal);
                }
            };
        }
        TableColumn value = ofPresent(type, given, target);
        return (values, ordinal) -> {
            if (values.isNullAt(ordinal)) {
                throw ValueColumn.misfit(null, type.toString());
            }
            value.add(values, ordinal);
        };
    }

    private static TableColumn ofPresent(ValueType type, DataType given, ValueColumn target) {
        if (target instanceof NumberColumn numbers) {
            return ofNumbers(type, given, numbers);
        }
        if (target instanceof BoolColumn bits && given instanceof BooleanType) {
            return (values, ordinal) -> bits.addBit(values.getBoolean(ordinal));
        }
        if (target instanceof BytesColumn strings && type == ValueType.Simple.STRING && given instanceof StringType) {
            return (values, ordinal) -> strings.append(values.getUTF8String(ordinal));
        }
        if (target instanceof BytesColumn bytes && type != ValueType.Simple.STRING && given instanceof BinaryType) {
            return (values, ordinal) -> bytes.append(values.getBinary(ordinal));
        }
        if (target instanceof SequenceColumn sequence && given instanceof ArrayType array) {
            TableColumn element = of(((ValueType.Sequence) type).element(), array.elementType(), sequence.values());
            return (values, ordinal) -> {
                ArrayData elements = values.getArray(ordinal);
                for (int i = 0; i < elements.numElements(); i++) {
                    element.add(elements, i);
                }
                sequence.addEnd();
            };
        }
        if (target instanceof TupleColumn tuple
                && given instanceof StructType struct
                && struct.length() == type.columns().size()) {
            TableColumn[] fields = ofFields(type, struct, tuple);
            return (values, ordinal) -> {
                InternalRow row = values.getStruct(ordinal, fields.length);
                for (int i = 0; i < fields.length; i++) {
                    fields[i].add(row, i);
                }
            };
        }
        throw other(type, given);
    }

    /** The columns of a table, or the fields of a struct; there are as many as the tuple has parts. */
    static TableColumn[] ofFields(ValueType type, StructType given, TupleColumn target) {
        TableColumn[] fields = new TableColumn[given.length()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = named(
                    given.fields()[i].name(), type.columns().get(i), given.fields()[i].dataType(), target.column(i));
        }
        return fields;
    }

    /** A column whose name belongs into errors. */
    static TableColumn named(String name, ValueType type, DataType given, ValueColumn target) {
        TableColumn column;
        try {
            column = of(type, given, target);
        } catch (NativeProgramException e) {
            throw inColumn(name, e);
        }
        return (values, ordinal) -> {
            try {
                column.add(values, ordinal);
            } catch (NativeProgramException e) {
                throw inColumn(name, e);
            }
        };
    }

    private static NativeProgramException inColumn(String name, NativeProgramException cause) {
        return new NativeProgramException("column " + name + ": " + cause.getMessage(), cause);
    }

    private static TableColumn ofNumbers(ValueType type, DataType given, NumberColumn numbers) {
        if (type == ValueType.Simple.FLOAT32 || type == ValueType.Simple.FLOAT64) {
            if (given instanceof FloatType) {
                return (values, ordinal) -> numbers.addFloating(values.getFloat(ordinal));
            }
            if (given instanceof DoubleType && type == ValueType.Simple.FLOAT64) {
                return (values, ordinal) -> numbers.addFloating(values.getDouble(ordinal));
            }
            throw other(type, given);
        }
        if (given instanceof ByteType) {
            return (values, ordinal) -> numbers.addWhole(values.getByte(ordinal));
        }
        if (given instanceof ShortType) {
            return (values, ordinal) -> numbers.addWhole(values.getShort(ordinal));
        }
        // Dates are days, and timestamps microseconds since 1970.
        if (given instanceof IntegerType || given instanceof DateType) {
            return (values, ordinal) -> numbers.addWhole(values.getInt(ordinal));
        }
        if (given instanceof LongType || given instanceof TimestampType || given instanceof TimestampNTZType) {
            return (values, ordinal) -> numbers.addWhole(values.getLong(ordinal));
        }
        throw other(type, given);
    }

    private static NativeProgramException other(ValueType type, DataType given) {
        return new NativeProgramException("found the type " + given.sql() + ", expected " + type);
    }
}
