package org.heapspan.image;

import org.heapspan.vm.RawMemory;

/**
 * Writing one reference field, for generated codecs: a call each, so that classes with a hundred fields stay within what the JIT
 * inlines. The offset comes twice, once as a constant for the reference and once from a variable for its bits (see
 * {@link CodecGenerator}).
 */
final class ReferenceField {
    private ReferenceField() {}

    private static final RawMemory RAW = Access.raw();

    static void writeString(ImageWriter writer, Object owner, long offset, long slot) {
        if (!Access.ADDRESS_BITS) {
            writer.writeString((String) RAW.getReference(owner, offset), 0);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        String string = (String) RAW.getReference(owner, offset);
        writer.writeString(string, RAW.getInt(owner, slot) == bits ? bits : 0);
    }

    static void writeExpected(ImageWriter writer, Object owner, long offset, long slot, Codec expected, TypeHint hint) {
        if (!Access.ADDRESS_BITS) {
            writer.writeExpected(RAW.getReference(owner, offset), 0, expected, hint);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        writer.writeExpected(object, RAW.getInt(owner, slot) == bits ? bits : 0, expected, hint);
    }

    static void writeAny(ImageWriter writer, Object owner, long offset, long slot, TypeHint hint) {
        if (!Access.ADDRESS_BITS) {
            writer.writeReference(RAW.getReference(owner, offset), 0, hint);
            return;
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        writer.writeReference(object, RAW.getInt(owner, slot) == bits ? bits : 0, hint);
    }
}
