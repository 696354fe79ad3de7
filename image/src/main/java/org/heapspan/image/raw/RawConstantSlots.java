package org.heapspan.image.raw;

import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the slots of a chunk can hold their constants. Constants are objects of the reader, and the image does not describe their
 * classes. In the reader's version an enum may lack an interface, and a charset may come from another provider. The direct engine stores
 * constants without this check.
 */
final class RawConstantSlots {
    private RawConstantSlots() {}

    /**
     * Whether a slot of a declared type may have held a constant in the writer's heap and cannot hold it here. Enums never change their
     * superclass, and are no lists, sets or maps, whose equality differs from theirs.
     */
    static boolean isDoubtful(Class<?> declared, Class<?> constant) {
        if (declared.isAssignableFrom(constant)) {
            return false;
        }
        if (!declared.isInterface()) {
            return Charset.class.isAssignableFrom(declared);
        }
        return !JdkClasses.contain(constant)
                && !List.class.isAssignableFrom(declared)
                && !Set.class.isAssignableFrom(declared)
                && !Map.class.isAssignableFrom(declared);
    }

    /**
     * Looks at all slots of a chunk for constants, object by object.
     *
     * @return whether each can hold its constant, and is known to
     */
    static boolean fit(RawObjectReader reader, RawLayout layout, RawPieces.Piece piece, List<Object> constants) {
        byte[] bytes = piece.bytes();
        RawChunkHeader header = piece.header;
        int patch = piece.position() + header.constantPatches();
        int end = patch + header.constantPatchCount() * RawFormat.CONSTANT_PATCH_BYTES;
        int firstObject = piece.position() + header.objects();
        int limit = firstObject + header.objectBytes();
        int object = firstObject;
        if (header.continues() && patch < end) {
            return false;
        }
        while (patch < end) {
            if (limit - object < layout.leastObjectBytes()) {
                return false;
            }
            RawClass type = reader.classOf(layout.classWordAt(bytes, object));
            long next = limit - object < type.headBytes() ? limit : object + type.sizeBytes(reader, bytes, object);
            for (; patch < end; patch += RawFormat.CONSTANT_PATCH_BYTES) {
                long slot = firstObject + 4 * (word(bytes, patch) & 0xFFFFFFFFL);
                if (slot >= next) {
                    break;
                }
                if (!holds(type, slot - object, constants, word(bytes, patch + Integer.BYTES))) {
                    return false;
                }
            }
            object = (int) Math.min(next, limit);
        }
        return true;
    }

    private static boolean holds(RawClass type, long offset, List<Object> constants, int number) {
        Class<?> declared = type.declaredAt(offset);
        return declared != null
                && number >= 0
                && number < constants.size()
                && declared.isInstance(constants.get(number));
    }

    private static int word(byte[] bytes, int position) {
        return (int) ImageFormat.INT.get(bytes, position);
    }

    /** The type of a field, if it is there. */
    static @Nullable Class<?> typeOf(@Nullable FieldAccess field) {
        return field == null ? null : field.field.getType();
    }
}
