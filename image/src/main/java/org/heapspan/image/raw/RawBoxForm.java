package org.heapspan.image.raw;

import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Copies boxes. Boxes that {@code valueOf} caches are constants, because some programs compare them by identity. */
class RawBoxForm extends RawInstanceForm {
    RawBoxForm(RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields, boolean tracked) {
        super(layout, type, description, fields, tracked);
    }

    @Override
    @Nullable
    Object constantFor(Object box) {
        if (box instanceof Integer number) {
            return number == (byte) (int) number ? Integer.valueOf(number) : null;
        }
        if (box instanceof Long number) {
            return number == (byte) (long) number ? Long.valueOf(number) : null;
        }
        if (box instanceof Character character) {
            return character <= 127 ? Character.valueOf(character) : null;
        }
        if (box instanceof Boolean flag) {
            return Boolean.valueOf(flag);
        }
        if (box instanceof Float || box instanceof Double) {
            return null;
        }
        long value = ((Number) box).longValue();
        if (value != (byte) value) {
            return null;
        }
        return box instanceof Short ? (Object) Short.valueOf((short) value) : Byte.valueOf((byte) value);
    }
}
