package org.heapspan.image.inspect;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.UUID;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Reads what an image has of values that contain no other object, and of primitive fields, as text, for {@link InspectWalk}. */
final class InspectValues {
    private final InspectSource source;

    InspectValues(InspectSource source) {
        this.source = source;
    }

    /** Reads a value that contains no other object. */
    String read(int tag, int limitChars) throws IOException {
        try {
            return switch (tag) {
                case BuiltInTypes.STRING_TAG -> InspectText.quoted(text(limitChars));
                case 4 -> Boolean.toString(truth());
                case 5 -> Integer.toString(source.readByte());
                case 6 -> Short.toString((short) source.readSignedNumber());
                case 7 -> "'" + PrintableText.of(Character.toString((char) source.readNumber())) + "'";
                case 8 -> Integer.toString((int) source.readSignedNumber());
                case 9, 34 -> dateOrLong(tag, source.readSignedNumber());
                case 10 -> Float.toString(Float.intBitsToFloat(source.readInt()));
                case 11 -> Double.toString(Double.longBitsToDouble(source.readLong()));
                case 12 -> booleans();
                case 13 -> array(1);
                case 14, 15 -> array(2);
                case 16, 18 -> array(4);
                case 17, 19 -> array(8);
                case 22, BuiltInTypes.CHARSET_TAG, BuiltInTypes.PATH_TAG -> PrintableText.of(text(limitChars));
                case 31 -> bigInteger().toString();
                case 32 -> {
                    int scale = (int) source.readSignedNumber();
                    yield new BigDecimal(bigInteger(), scale).toString();
                }
                case 33 -> {
                    long most = source.readLong();
                    yield new UUID(most, source.readLong()).toString();
                }
                case 35 -> LocalDate.ofEpochDay(source.readSignedNumber()).toString();
                case 36 -> LocalTime.ofNanoOfDay(source.readNumber()).toString();
                case 37 -> {
                    LocalDate date = LocalDate.ofEpochDay(source.readSignedNumber());
                    yield LocalDateTime.of(date, LocalTime.ofNanoOfDay(source.readNumber()))
                            .toString();
                }
                case 38 -> {
                    long seconds = source.readSignedNumber();
                    yield Instant.ofEpochSecond(seconds, source.readNumber()).toString();
                }
                case 39 -> {
                    long seconds = source.readSignedNumber();
                    yield Duration.ofSeconds(seconds, source.readNumber()).toString();
                }
                case BuiltInTypes.BYTE_BUFFER_TAG -> byteBuffer();
                case BuiltInTypes.EMPTY_TAG -> {
                    int which = source.readByte();
                    yield which == 0 ? "[]" : which == 1 ? "[] (set)" : "{}";
                }
                case BuiltInTypes.OWN_OBJECT_TAG -> "number " + source.readByte();
                case ImageFormat.TAG_LINK -> "number " + source.readNumber();
                case BuiltInTypes.TIME_ZONE_TAG -> {
                    String name = PrintableText.of(text(limitChars));
                    source.readSignedNumber();
                    yield name;
                }
                case 43 -> optional(source.readByte(), Integer.toString(source.readInt()));
                case 44 -> optional(source.readByte(), Long.toString(source.readLong()));
                case 45 -> optional(source.readByte(), Double.toString(Double.longBitsToDouble(source.readLong())));
                default -> throw new IllegalStateException("tag " + tag + " is not known to the inspector");
            };
        } catch (DateTimeException | ArithmeticException e) {
            throw source.malformed("a value with tag " + tag + " is out of range: " + e.getMessage());
        }
    }

    /** Reads primitive fields into the children of a node; gives the number of the first slot that is a reference. */
    int readBlock(FieldBlock block, @Nullable InspectNode node) throws IOException {
        byte[] control = source.readBytes(block.limitBytes() == 0 ? 0 : block.controlBytes());
        int bit = 0;
        int slot = 0;
        for (; slot < block.slots.size(); slot++) {
            TypeDescription.Field field = block.slots.get(slot).field();
            long bits;
            switch (field.code()) {
                case TypeDescription.Field.STRING, TypeDescription.Field.REFERENCE -> {
                    return slot;
                }
                case 'Z' -> {
                    bits = control[bit >> 3] >> (bit & 7) & 1;
                    bit++;
                }
                case 'B' -> bits = source.readByte();
                case 'S', 'C' -> bits = source.readShort();
                case 'F' -> bits = source.readInt();
                case 'D' -> bits = source.readLong();
                case 'I' -> {
                    bit += bit & 1;
                    bits = source.readSigned((control[bit >> 3] >> (bit & 7) & 3) + 1);
                    bit += 2;
                }
                default -> {
                    bit += bit & 1;
                    bits = source.readSigned(1 << (control[bit >> 3] >> (bit & 7) & 3));
                    bit += 2;
                }
            }
            InspectNode child = node == null ? null : InspectNode.field(node, InspectText.name(field.name()));
            if (child != null) {
                child.value = primitive(field.code(), bits);
            }
        }
        return slot;
    }

    private static String primitive(char code, long bits) {
        return switch (code) {
            case 'Z' -> bits == 0 ? "false" : "true";
            case 'C' -> "'" + PrintableText.of(Character.toString((char) bits)) + "'";
            case 'F' -> Float.toString(Float.intBitsToFloat((int) bits));
            case 'D' -> Double.toString(Double.longBitsToDouble(bits));
            default -> Long.toString(bits);
        };
    }

    private static String dateOrLong(int tag, long value) {
        return tag == 9 ? Long.toString(value) : Instant.ofEpochMilli(value).toString();
    }

    private static String optional(int present, String value) {
        return present != 0 ? value : "empty";
    }

    private String text(int limitChars) throws IOException {
        long header = source.readNumber();
        if (header >= 0 && header < ImageFormat.STRING_FIRST_HEADER) {
            throw source.malformed("a name is missing");
        }
        return source.readText(header - ImageFormat.STRING_FIRST_HEADER, limitChars);
    }

    private boolean truth() throws IOException {
        int value = source.readByte();
        if (value != 0 && value != 1) {
            throw source.malformed("a boolean is " + value);
        }
        return value == 1;
    }

    private String booleans() throws IOException {
        int length = source.readCount();
        for (int i = 0; i < length; i++) {
            truth();
        }
        return length + " elements";
    }

    private String array(int elementSizeBytes) throws IOException {
        int length = source.readCount();
        source.skip((long) length * elementSizeBytes);
        return length + " elements";
    }

    /** A number, or 0 for one so long that to print it would take long. */
    private BigInteger bigInteger() throws IOException {
        int sizeBytes = source.readCount();
        if (sizeBytes == 0) {
            throw source.malformed("a BigInteger has no bytes");
        }
        if (sizeBytes <= 64) {
            return new BigInteger(source.readBytes(sizeBytes));
        }
        source.skip(sizeBytes);
        return BigInteger.ZERO;
    }

    private String byteBuffer() throws IOException {
        int flags = source.readByte();
        int capacity = source.readCount();
        int position = source.readCount();
        int limit = source.readCount();
        if (limit > capacity || position > limit) {
            throw source.malformed(
                    "a buffer of " + capacity + " bytes has position " + position + " and limit " + limit);
        }
        source.skip(capacity);
        return capacity + " bytes" + ((flags & 1) != 0 ? ", direct" : "");
    }
}
