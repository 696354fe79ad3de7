package org.heapspan.image.raw;

import org.heapspan.image.generator.ReferenceField;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;

/**
 * Writes one reference field into a raw image, for the code of {@link RawCodecGenerator}. It is one call for each field, so that the JIT
 * can still inline the code of a class with a hundred fields. As in {@link ReferenceField}, the offset is passed twice: as a constant for
 * the reference, and from a variable for its bits.
 */
final class RawReferenceField {
    private RawReferenceField() {}

    private static final RawMemory RAW = Access.raw();

    static void writeString(RawAddressedWriter writer, Object owner, long offset, long slot, int position) {
        if (!Access.ADDRESS_BITS) {
            writer.writeString(position, (String) RAW.getReference(owner, offset), 0);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        String string = (String) RAW.getReference(owner, offset);
        writer.writeString(position, string, RAW.getInt(owner, slot) == bits ? bits : 0);
    }

    static RawForm writeLikely(
            RawAddressedWriter writer, Object owner, long offset, long slot, int position, RawForm likely) {
        if (!Access.ADDRESS_BITS) {
            return writer.writeLikely(position, RAW.getReference(owner, offset), 0, likely);
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        return writer.writeLikely(position, object, RAW.getInt(owner, slot) == bits ? bits : 0, likely);
    }

    static void writeAny(RawAddressedWriter writer, Object owner, long offset, long slot, int position) {
        if (!Access.ADDRESS_BITS) {
            writer.writeElement(position, RAW.getReference(owner, offset), 0);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        writer.writeElement(position, object, RAW.getInt(owner, slot) == bits ? bits : 0);
    }
}
