package org.heapspan.spark.record;

import java.io.IOException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * What keys or values of {@link PlainPairs} are: values without identity, strings and byte arrays. The code is that of the kind in a
 * block. {@code docs/formats/record-streams.md} specifies the bytes.
 */
enum PlainKind {
    NULL(0, null, '-'),
    BOOLEAN(1, Boolean.class, 'Z'),
    BYTE(2, Byte.class, '-'),
    SHORT(3, Short.class, '-'),
    CHARACTER(4, Character.class, 'C'),
    INTEGER(5, Integer.class, 'I'),
    LONG(6, Long.class, 'J'),
    FLOAT(7, Float.class, '-'),
    DOUBLE(8, Double.class, 'D'),
    STRING(9, String.class, '-'),
    BYTES(10, byte[].class, '-');

    static final char NOT_SPECIALIZED = '-';

    /** Longer strings and arrays are for groups, which copy and check them faster. */
    private static final int LONGEST_LENGTH = 4 << 10;

    private static final PlainKind[] ALL = values();

    /** Its place among all kinds. */
    final int code;

    private final @Nullable Class<?> type;

    /** The letter in the names of Scala's tuples of primitive values; {@link #NOT_SPECIALIZED} if there are none. */
    final char letter;

    PlainKind(int code, @Nullable Class<?> type, char letter) {
        this.code = code;
        this.type = type;
        this.letter = letter;
    }

    /** The kind of a value; null if it has none. */
    static @Nullable PlainKind of(@Nullable Object value) {
        for (PlainKind kind : ALL) {
            if (kind.isOf(value)) {
                return kind;
            }
        }
        return null;
    }

    /** Whether a kind has this code. */
    static boolean isCode(int code) {
        return code < ALL.length;
    }

    /** The kind with a code. */
    static PlainKind ofCode(int code) {
        return ALL[code];
    }

    /** Whether a value is of this kind, and short enough. */
    boolean isOf(@Nullable Object value) {
        if (value == null || value.getClass() != type) {
            return value == null && type == null;
        }
        return switch (this) {
            case STRING -> ((String) value).length() <= LONGEST_LENGTH;
            case BYTES -> ((byte[]) value).length <= LONGEST_LENGTH;
            default -> true;
        };
    }

    /** Whether two references to the same value are another thing than two references to equal values. */
    boolean hasIdentity() {
        return this == STRING || this == BYTES;
    }

    /** Writes a value {@linkplain #isOf of this kind}. */
    void write(@Nullable Object value, PlainOutput target) {
        if (value == null) {
            return;
        }
        switch (this) {
            case NULL -> {}
            case BOOLEAN -> target.writeFixed((Boolean) value ? 1 : 0, 1);
            case BYTE -> target.writeFixed((Byte) value, 1);
            case SHORT -> target.writeFixed((Short) value, Short.BYTES);
            case CHARACTER -> target.writeFixed((Character) value, Character.BYTES);
            case INTEGER -> target.writeSigned((Integer) value);
            case LONG -> target.writeSigned((Long) value);
            case FLOAT -> target.writeFixed(Float.floatToRawIntBits((Float) value), Float.BYTES);
            case DOUBLE -> target.writeFixed(Double.doubleToRawLongBits((Double) value), Double.BYTES);
            case STRING -> target.writeString((String) value);
            case BYTES -> target.writeBytes((byte[]) value);
        }
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IOException if the stream fails
     * @throws HeapspanException if the bytes are no value of this kind
     */
    @Nullable
    Object read(PlainInput source) throws IOException {
        return switch (this) {
            case NULL -> null;
            case BOOLEAN -> readBoolean(source);
            case BYTE -> (byte) source.readFixed(1);
            case SHORT -> (short) source.readFixed(Short.BYTES);
            case CHARACTER -> (char) source.readFixed(Character.BYTES);
            case INTEGER -> readInteger(source);
            case LONG -> source.readSigned();
            case FLOAT -> Float.intBitsToFloat((int) source.readFixed(Float.BYTES));
            case DOUBLE -> Double.longBitsToDouble(source.readFixed(Double.BYTES));
            case STRING -> source.readString();
            case BYTES -> source.readBytes();
        };
    }

    private static Boolean readBoolean(PlainInput source) throws IOException {
        long value = source.readFixed(1);
        if (value > 1) {
            throw new HeapspanException(Category.MALFORMED, "a boolean is " + value + ", expected 0 or 1");
        }
        return value == 1;
    }

    private static Integer readInteger(PlainInput source) throws IOException {
        long value = source.readSigned();
        if (value != (int) value) {
            throw new HeapspanException(Category.MALFORMED, "an int is " + value);
        }
        return (int) value;
    }
}
