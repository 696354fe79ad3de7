package org.heapspan.image.raw;

import java.util.function.Consumer;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Copies strings. The array of characters belongs to its string alone, so it is not looked up. It follows the string, unless it is very
 * long.
 */
final class RawStringForm extends RawInstanceForm {
    private static final RawMemory RAW = Access.raw();
    private static final RawLayout LAYOUT = RawLayout.own();
    private static final long BYTES_BASE = RAW.arrayBaseOffset(byte[].class);

    // Constants for the JIT, which does not trust the fields of an object.
    private static final int VALUE_OFFSET = (int) Access.offsetOf(String.class, "value", byte[].class);
    private static final int CODER_OFFSET = (int) Access.offsetOf(String.class, "coder", byte.class);
    private static final int HASH_OFFSET = (int) Access.offsetOf(String.class, "hash", int.class);
    private static final long CLASS_WORD = RawLayout.classWord(Access.allocate(String.class));
    private static final long BYTES_CLASS_WORD = RawLayout.classWord(new byte[0]);
    private static final int STRING_BYTES = instanceBytes(LAYOUT, String.class);
    private static final int ARRAY_BASE = LAYOUT.arrayBase(byte.class);
    private static final int ARRAY_LENGTH = LAYOUT.heap().arrayLengthOffset();
    private static final int REFERENCE_BYTES = LAYOUT.heap().referenceSizeBytes();
    private static final int ALIGNMENT = LAYOUT.heap().objectAlignmentBytes();

    /** Whether strings and arrays of bytes lie as is most common, so that they can be written in whole words. */
    private static final boolean IN_WORDS = !LAYOUT.heap().compactHeaders()
            && LAYOUT.heap().classWordSizeBytes() == Integer.BYTES
            && LAYOUT.heap().classWordOffset() == 8
            && HASH_OFFSET == 12
            && CODER_OFFSET == 16
            && VALUE_OFFSET == 20
            && STRING_BYTES == 24
            && ARRAY_LENGTH == 12
            && ARRAY_BASE == 16
            && BYTES_BASE == 16
            && ALIGNMENT == 8;

    /** How strings are copied; null if they are not. */
    static final @Nullable RawStringForm INSTANCE = instance();

    private final RawArrayForm bytes;

    private RawStringForm(RawLayout layout, TypeDescription description, FieldAccess[] fields) {
        super(layout, String.class, description, fields, true);
        Codec codec = BuiltInTypes.codecOf(byte[].class);
        if (codec == null) {
            throw new IllegalStateException("arrays of bytes are built in");
        }
        bytes = (RawArrayForm) RawForms.of(codec, byte[].class);
        fills = true;
    }

    private static @Nullable RawStringForm instance() {
        TypeDescription description = RawVetted.describe(String.class);
        return description == null
                ? null
                : new RawStringForm(LAYOUT, description, ClassFields.targets(String.class, description));
    }

    private static byte[] value(Object string) {
        byte[] value = (byte[]) RAW.getReference(string, VALUE_OFFSET);
        if (value == null) {
            throw new IllegalStateException("a string without a value");
        }
        return value;
    }

    /** Bytes of a string and its value, one behind the other. */
    static int pairBytes(int valueBytes) {
        return STRING_BYTES + RawFormat.alignUp(ARRAY_BASE + valueBytes, ALIGNMENT);
    }

    @Override
    long sizeBytes(Object string) {
        int valueBytes = value(string).length;
        return valueBytes <= RawFormat.STRING_PAIR_BYTES ? pairBytes(valueBytes) : STRING_BYTES;
    }

    @Override
    boolean isLeaf(Object string) {
        return value(string).length <= RawFormat.STRING_PAIR_BYTES;
    }

    @Override
    void write(RawAddressedWriter writer, Object string, int position) {
        byte[] value = value(string);
        if (value.length > RawFormat.STRING_PAIR_BYTES) {
            writeString(writer.objects(), string, position);
            writer.writeReference(position + VALUE_OFFSET, value);
        } else {
            writePair(writer, string, value, position);
        }
    }

    /** How the arrays of strings are copied. */
    RawArrayForm bytes() {
        return bytes;
    }

    private static void writeString(byte[] objects, Object string, int position) {
        for (int word = Long.BYTES; word < STRING_BYTES; word += Long.BYTES) {
            RawBytes.putLong(objects, position + word, 0);
        }
        LAYOUT.putHeader(objects, position, CLASS_WORD);
        RawBytes.putByte(objects, position + CODER_OFFSET, RAW.getByte(string, CODER_OFFSET));
        RawBytes.putInt(objects, position + HASH_OFFSET, RAW.getInt(string, HASH_OFFSET));
    }

    /** Writes a string and behind it its value, which is not very long. */
    void writePair(RawAddressedWriter writer, Object string, byte[] value, int position) {
        RawChunk chunk = writer.chunk;
        byte[] objects = chunk.objects;
        int array = position + STRING_BYTES;
        int length = value.length;
        long unit = writer.unitAt(array);
        if (IN_WORDS) {
            RawBytes.putLong(objects, position, RawFormat.NEUTRAL_MARK);
            long hash = RAW.getInt(string, HASH_OFFSET);
            RawBytes.putLong(objects, position + 8, hash << Integer.SIZE | CLASS_WORD);
            RawBytes.putLong(objects, position + 16, unit << Integer.SIZE | RAW.getByte(string, CODER_OFFSET));
            RawBytes.putLong(objects, array, RawFormat.NEUTRAL_MARK);
            RawBytes.putLong(objects, array + 8, (long) length << Integer.SIZE | BYTES_CLASS_WORD);
        } else {
            writeString(objects, string, position);
            clearEnds(objects, array, array + RawFormat.alignUp(ARRAY_BASE + length, ALIGNMENT));
            LAYOUT.putHeader(objects, array, BYTES_CLASS_WORD);
            RawBytes.putInt(objects, array + ARRAY_LENGTH, length);
            if (REFERENCE_BYTES == Integer.BYTES) {
                RawBytes.putInt(objects, position + VALUE_OFFSET, (int) unit);
            } else {
                RawBytes.putLong(objects, position + VALUE_OFFSET, unit);
            }
        }
        chunk.markReference(position + VALUE_OFFSET);
        putElements(objects, array + ARRAY_BASE, value);
    }

    private static void putElements(byte[] objects, int position, byte[] value) {
        int length = value.length;
        int done = 0;
        for (; length - done >= Long.BYTES; done += Long.BYTES) {
            RawBytes.putLong(objects, position + done, RAW.getLongUnaligned(value, BYTES_BASE + done));
        }
        if (IN_WORDS && done < length) {
            // Elements begin at a multiple of 8, so that this word is within the array; only what is behind them is
            // nobody's.
            long last = RAW.getLongUnaligned(value, BYTES_BASE + done);
            RawBytes.putLong(objects, position + done, last & -1L >>> Long.SIZE - 8 * (length - done));
            return;
        }
        for (; done < length; done++) {
            RawBytes.putByte(objects, position + done, value[done]);
        }
    }

    /** Sets to zero what no element may cover: what lies between header and elements, and behind the last. */
    private static void clearEnds(byte[] objects, int array, int end) {
        for (int word = Long.BYTES; word < ARRAY_BASE; word += Long.BYTES) {
            RawBytes.putLong(objects, array + word, 0);
        }
        for (int word = Long.BYTES; word <= ALIGNMENT; word += Long.BYTES) {
            RawBytes.putLong(objects, end - word, 0);
        }
    }

    @Override
    void forEachReference(Object string, Consumer<Object> visitor) {
        // Only its value, which refers to nothing.
    }
}
