package org.heapspan.image;

import java.util.function.Consumer;
import org.heapspan.vm.RawMemory;

/**
 * Copies strings. The array with the characters belongs to its string alone, so that nobody looks for it: it lies right behind
 * the string, unless it is very long.
 */
final class RawStringForm extends RawInstanceForm {
    private static final RawMemory RAW = Access.raw();

    private final int valueOffset;
    private final int coderOffset;
    private final int hashOffset;
    private final RawArrayForm bytes;

    RawStringForm(RawLayout layout, TypeDescription description, FieldAccess[] fields) {
        super(layout, String.class, description, fields, true);
        valueOffset = offset("value", fields);
        coderOffset = offset("coder", fields);
        hashOffset = offset("hash", fields);
        Codec codec = BuiltInTypes.codecOf(byte[].class);
        if (codec == null) {
            throw new IllegalStateException("arrays of bytes are built in");
        }
        bytes = (RawArrayForm) RawForms.of(codec, byte[].class);
    }

    private static int offset(String name, FieldAccess[] fields) {
        for (FieldAccess field : fields) {
            if (field.field.getName().equals(name)) {
                return (int) RAW.objectFieldOffset(field.field);
            }
        }
        throw new IllegalStateException(name);
    }

    private byte[] value(Object string) {
        byte[] value = (byte[]) RAW.getReference(string, valueOffset);
        if (value == null) {
            throw new IllegalStateException("a string without a value");
        }
        return value;
    }

    @Override
    long sizeBytes(Object string) {
        byte[] value = value(string);
        return value.length <= RawFormat.STRING_PAIR_BYTES
                ? instanceBytes + bytes.sizeBytes(value.length)
                : instanceBytes;
    }

    @Override
    boolean isLeaf(Object string) {
        return value(string).length <= RawFormat.STRING_PAIR_BYTES;
    }

    @Override
    void write(RawImageWriter writer, Object string, int position) {
        byte[] value = value(string);
        byte[] objects = writer.objects();
        layout.putHeader(objects, position, classWord);
        objects[position + coderOffset] = RAW.getByte(string, coderOffset);
        ImageFormat.INT.set(objects, position + hashOffset, RAW.getInt(string, hashOffset));
        if (value.length > RawFormat.STRING_PAIR_BYTES) {
            writer.writeReference(position + valueOffset, value);
            return;
        }
        writer.writeInnerReference(position + valueOffset, position + instanceBytes, bytes);
        bytes.write(writer, value, position + instanceBytes);
    }

    @Override
    void forEachReference(Object string, Consumer<Object> visitor) {
        // Only its value, which refers to nothing.
    }
}
