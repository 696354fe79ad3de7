package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.heapspan.nativerdd.NativeProgramException;

/** A type of values that an application and a native program exchange; its text is as {@code boundary.h} says. */
sealed interface ValueType extends Serializable {
    /** The class of values in Scala and Java: of numbers the primitive one. */
    Class<?> valueClass();

    DataType sqlType();

    /** Types without parts. */
    enum Simple implements ValueType {
        BOOL("bool", boolean.class, 0),
        INT8("int8", byte.class, 1),
        INT16("int16", short.class, 2),
        INT32("int32", int.class, 4),
        INT64("int64", long.class, 8),
        FLOAT32("float32", float.class, 4),
        FLOAT64("float64", double.class, 8),
        STRING("string", String.class, 0);

        private final String text;
        private final Class<?> valueClass;
        private final int sizeBytes;

        Simple(String text, Class<?> valueClass, int sizeBytes) {
            this.text = text;
            this.valueClass = valueClass;
            this.sizeBytes = sizeBytes;
        }

        /** Of a number. */
        int sizeBytes() {
            return sizeBytes;
        }

        @Override
        public Class<?> valueClass() {
            return valueClass;
        }

        @Override
        public DataType sqlType() {
            return switch (this) {
                case BOOL -> DataTypes.BooleanType;
                case INT8 -> DataTypes.ByteType;
                case INT16 -> DataTypes.ShortType;
                case INT32 -> DataTypes.IntegerType;
                case INT64 -> DataTypes.LongType;
                case FLOAT32 -> DataTypes.FloatType;
                case FLOAT64 -> DataTypes.DoubleType;
                case STRING -> DataTypes.StringType;
            };
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * An array; of int8, it is called binary data in SQL.
     *
     * @param element what is in it
     */
    record Sequence(ValueType element) implements ValueType {
        @Override
        public Class<?> valueClass() {
            return element.valueClass().arrayType();
        }

        @Override
        public DataType sqlType() {
            return element == Simple.INT8
                    ? DataTypes.BinaryType
                    : new ArrayType(element.sqlType(), element instanceof Maybe);
        }

        @Override
        public String toString() {
            return "[" + element + "]";
        }
    }

    /**
     * A value that may be missing.
     *
     * @param value what may be missing
     */
    record Maybe(ValueType value) implements ValueType {
        @Override
        public Class<?> valueClass() {
            return scala.Option.class;
        }

        @Override
        public DataType sqlType() {
            return value.sqlType();
        }

        @Override
        public String toString() {
            return value + "?";
        }
    }

    /**
     * A tuple.
     *
     * @param fields its parts
     */
    record Tuple(List<ValueType> fields) implements ValueType {
        /** Scala has no larger ones. */
        static final int MOST_FIELDS = 22;

        @Override
        public Class<?> valueClass() {
            try {
                return Class.forName("scala.Tuple" + fields.size());
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public DataType sqlType() {
            List<String> names = columnNames();
            StructField[] columns = new StructField[fields.size()];
            for (int i = 0; i < columns.length; i++) {
                columns[i] = column(names.get(i), fields.get(i));
            }
            return DataTypes.createStructType(columns);
        }

        @Override
        public String toString() {
            return fields.stream().map(ValueType::toString).collect(Collectors.joining(",", "(", ")"));
        }
    }

    /** A column of a table. */
    static StructField column(String name, ValueType type) {
        return DataTypes.createStructField(name, type.sqlType(), type instanceof Maybe);
    }

    /** The types of the columns that a row of a table has. */
    default List<ValueType> columns() {
        return this instanceof Tuple tuple ? tuple.fields() : List.of(this);
    }

    /** The names that Spark gives these columns if nobody else does. */
    default List<String> columnNames() {
        return this instanceof Tuple tuple
                ? IntStream.rangeClosed(1, tuple.fields().size())
                        .mapToObj(each -> "_" + each)
                        .toList()
                : List.of("value");
    }

    /** Reads the text of a type. */
    static ValueType parse(String text) {
        Parser parser = new Parser(text);
        ValueType type = parser.type();
        if (parser.at != text.length()) {
            throw parser.unknown();
        }
        return type;
    }

    /** Where the reading of a text is. */
    final class Parser {
        private final String text;
        private int at;

        private Parser(String text) {
            this.text = text;
        }

        private NativeProgramException unknown() {
            return new NativeProgramException("a native program exchanges values of the type " + text
                    + " with its application, which is unknown from character " + at + " on");
        }

        private boolean skip(String word) {
            if (!text.startsWith(word, at)) {
                return false;
            }
            at += word.length();
            return true;
        }

        private ValueType type() {
            ValueType type;
            if (skip("[")) {
                type = new Sequence(type());
                if (!skip("]")) {
                    throw unknown();
                }
            } else if (skip("(")) {
                List<ValueType> fields = new ArrayList<>();
                do {
                    fields.add(type());
                } while (skip(","));
                if (!skip(")")) {
                    throw unknown();
                }
                if (fields.size() > Tuple.MOST_FIELDS) {
                    throw new NativeProgramException("a native program exchanges tuples of " + fields.size()
                            + " parts with its application, and at most " + Tuple.MOST_FIELDS
                            + " are possible; use pairs of tuples");
                }
                type = new Tuple(List.copyOf(fields));
            } else {
                type = simple();
            }
            while (skip("?")) {
                type = new Maybe(type);
            }
            return type;
        }

        private ValueType simple() {
            for (Simple each : Simple.values()) {
                if (skip(each.text)) {
                    return each;
                }
            }
            throw unknown();
        }
    }
}
