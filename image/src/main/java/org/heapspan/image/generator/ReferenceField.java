package org.heapspan.image.generator;

import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.KnownCodec;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;

/**
 * Writing one reference field, for generated codecs: a call each, so that classes with a hundred fields stay within what the JIT
 * inlines. The offset comes twice, once as a constant for the reference and once from a variable for its bits (see
 * {@link CodecGenerator}). Each takes the position to write at and returns the one behind what it wrote.
 */
public final class ReferenceField {
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

    /** The bits of a slot; 0 where they are of no use. */
    static int bits(Object owner, long slot) {
        return Access.ADDRESS_BITS ? RAW.getInt(owner, slot) : 0;
    }

    /** The bits of a slot if they were the same before and after its reference was read, else 0. */
    static int stable(int before, int after) {
        return before == after ? before : 0;
    }

    /** Writes a field of an enum, whose constants are not tracked, so that no bits are needed. */
    static int writeEnum(
            ImageWriter writer, Object owner, long offset, KnownCodec expected, TypeHint hint, int position) {
        Object constant = RAW.getReference(owner, offset);
        if (constant == null || constant.getClass() != expected.type()) {
            return writer.writeUnexpectedAt(constant, 0, hint, position);
        }
        return expected.codec().writeAt(writer, constant, null, writer.writeTagAt(position, expected));
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
