package org.heapspan.image;

import org.heapspan.vm.RawMemory;

/**
 * Writing one reference field, for generated codecs: a call each, so that classes with a hundred fields stay within what the JIT
 * inlines. The offset comes twice, once as a constant for the reference and once from a variable for its bits (see
 * {@link CodecGenerator}). Each takes the position to write at and returns the one behind what it wrote.
 */
final class ReferenceField {
    private ReferenceField() {}

    private static final RawMemory RAW = Access.raw();

    /** Two neighbouring slots, to be read before their references; 0 where their bits are of no use. */
    static long slots(Object owner, long offset) {
        return Access.ADDRESS_BITS ? RAW.getLong(owner, offset) : 0;
    }

    /** The bits of slots if they were the same before and after their references were read, else 0. */
    static long stable(long before, long after) {
        return before == after ? before : 0;
    }

    static int writeString(ImageWriter writer, Object owner, long offset, long slot, int position) {
        if (!Access.ADDRESS_BITS) {
            return writer.writeStringAt((String) RAW.getReference(owner, offset), 0, position);
        }
        int bits = RAW.getInt(owner, slot);
        String string = (String) RAW.getReference(owner, offset);
        return writer.writeStringAt(string, RAW.getInt(owner, slot) == bits ? bits : 0, position);
    }

    static int writeExpected(
            ImageWriter writer, Object owner, long offset, long slot, Codec expected, TypeHint hint, int position) {
        if (!Access.ADDRESS_BITS) {
            return writer.writeExpectedAt(RAW.getReference(owner, offset), 0, expected, hint, position);
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        return writer.writeExpectedAt(object, RAW.getInt(owner, slot) == bits ? bits : 0, expected, hint, position);
    }

    static int writeAny(ImageWriter writer, Object owner, long offset, long slot, TypeHint hint, int position) {
        writer.position = position;
        if (!Access.ADDRESS_BITS) {
            writer.writeReference(RAW.getReference(owner, offset), 0, hint);
            return writer.position;
        }
        int bits = RAW.getInt(owner, slot);
        Object object = RAW.getReference(owner, offset);
        writer.writeReference(object, RAW.getInt(owner, slot) == bits ? bits : 0, hint);
        return writer.position;
    }
}
