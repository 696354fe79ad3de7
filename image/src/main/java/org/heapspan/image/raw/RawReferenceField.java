package org.heapspan.image.raw;

import org.heapspan.image.generator.ReferenceField;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;

/**
 * Writing one reference field into a raw image, for the code of {@link RawCodecGenerator}: a call each, so that classes with a hundred
 * fields stay within what the JIT inlines. As in {@link ReferenceField} the offset comes twice, once as a constant for the reference and
 * once from a variable for its bits.
 */
final class RawReferenceField {
    private RawReferenceField() {}

    private static final RawMemory RAW = Access.raw();

    static void writeString(RawQuickWriter writer, Object owner, long offset, long slot, int position) {
        if (!Access.ADDRESS_BITS) {
            writer.writeString(position, (String) RAW.getReference(owner, offset), 0);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        String string = (String) RAW.getReference(owner, offset);
        writer.writeString(position, string, RAW.getInt(owner, slot) == bits ? bits : 0);
    }

    static RawForm writeLikely(
            RawQuickWriter writer, Object owner, long offset, long slot, int position, RawForm likely) {
        if (!Access.ADDRESS_BITS) {
            return writer.writeLikely(position, RAW.getReference(owner, offset), 0, likely);
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        return writer.writeLikely(position, object, RAW.getInt(owner, slot) == bits ? bits : 0, likely);
    }

    static void writeAny(RawQuickWriter writer, Object owner, long offset, long slot, int position) {
        if (!Access.ADDRESS_BITS) {
            writer.writeElement(position, RAW.getReference(owner, offset), 0);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        writer.writeElement(position, object, RAW.getInt(owner, slot) == bits ? bits : 0);
    }
}
