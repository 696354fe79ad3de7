package org.heapspan.image.type;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Gets and sets one field of any object of its class, by raw memory or, where there is none, by reflection. */
public final class FieldAccess {
    public final Field field;
    /** As in {@link TypeDescription.Field#code()}. */
    public final char code;

    private final long offset;
    private final @Nullable InaccessibleObjectException denied;

    public FieldAccess(Field field) {
        this.field = field;
        this.code = TypeDescription.Field.codeOf(field.getType());
        if (Access.RAW != null) {
            offset = Access.RAW.objectFieldOffset(field);
            denied = null;
        } else {
            offset = -1;
            denied = open(field);
        }
    }

    private static @Nullable InaccessibleObjectException open(Field field) {
        try {
            field.setAccessible(true);
            return null;
        } catch (InaccessibleObjectException e) {
            return e;
        }
    }

    /** Whether the field can be read and written by itself; if not, getting and setting fail. */
    public boolean isInReach() {
        return denied == null;
    }

    private void requireReach() {
        if (denied != null) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "field " + field.getDeclaringClass().getName() + "." + field.getName()
                            + " cannot be accessed: " + Access.MACHINE.means()
                            + " is the only means of access in this JVM, and the module of the class does not open"
                            + " its package; let the native library load, or add --add-opens (see heapspan doctor)",
                    denied);
        }
    }

    @Nullable
    public Object getReference(Object object) {
        RawMemory raw = Access.RAW;
        return raw != null ? raw.getReference(object, offset) : get(object);
    }

    public void setReference(Object object, @Nullable Object value) {
        checkType(value);
        if (Access.RAW != null) {
            Access.RAW.putReference(object, offset, value);
        } else {
            set(object, value);
        }
    }

    /** Refuses a value that the field cannot hold. */
    public void checkType(@Nullable Object value) {
        if (value != null && !field.getType().isInstance(value)) {
            throw misfit(value);
        }
    }

    /** What is wrong with a value that the field cannot hold. */
    public HeapspanException misfit(Object value) {
        return misfit(field.getDeclaringClass(), field.getName(), field.getType(), value);
    }

    public static HeapspanException misfit(Class<?> owner, String name, Class<?> declared, Object value) {
        return new HeapspanException(
                Category.EVOLUTION,
                "field " + owner.getName() + "." + name + " is declared "
                        + declared.getName() + " here and cannot hold the "
                        + value.getClass().getName()
                        + " in the image; a field can be added, removed or moved within the hierarchy, but its type"
                        + " cannot change; rename the field, or use the same version of the class on both sides");
    }

    /** The value of a primitive field as raw bits: integers sign-extended, floating-point numbers as their bits. */
    public long getBits(Object object) {
        RawMemory raw = Access.RAW;
        if (raw == null) {
            return reflectBits(object);
        }
        return switch (code) {
            case 'Z' -> raw.getBoolean(object, offset) ? 1 : 0;
            case 'B' -> raw.getByte(object, offset);
            case 'S' -> raw.getShort(object, offset);
            case 'C' -> raw.getChar(object, offset);
            case 'I', 'F' -> raw.getInt(object, offset);
            default -> raw.getLong(object, offset);
        };
    }

    public void setBits(Object object, long bits) {
        RawMemory raw = Access.RAW;
        if (raw == null) {
            set(object, boxed(code, bits));
            return;
        }
        switch (code) {
            case 'Z' -> raw.putBoolean(object, offset, bits != 0);
            case 'B' -> raw.putByte(object, offset, (byte) bits);
            case 'S' -> raw.putShort(object, offset, (short) bits);
            case 'C' -> raw.putChar(object, offset, (char) bits);
            case 'I', 'F' -> raw.putInt(object, offset, (int) bits);
            default -> raw.putLong(object, offset, bits);
        }
    }

    /** The box that reflection wants for a primitive value. */
    public static Object boxed(char code, long bits) {
        return switch (code) {
            case 'Z' -> bits != 0;
            case 'B' -> (byte) bits;
            case 'S' -> (short) bits;
            case 'C' -> (char) bits;
            case 'I' -> (int) bits;
            case 'F' -> Float.intBitsToFloat((int) bits);
            case 'D' -> Double.longBitsToDouble(bits);
            default -> bits;
        };
    }

    public static long bitsOf(Object box) {
        if (box instanceof Boolean value) {
            return value ? 1 : 0;
        }
        if (box instanceof Character value) {
            return value;
        }
        if (box instanceof Float value) {
            return Float.floatToRawIntBits(value);
        }
        if (box instanceof Double value) {
            return Double.doubleToRawLongBits(value);
        }
        return ((Number) box).longValue();
    }

    private long reflectBits(Object object) {
        Object box = get(object);
        if (box == null) {
            throw new IllegalStateException(field + " is not primitive");
        }
        return bitsOf(box);
    }

    private @Nullable Object get(Object object) {
        requireReach();
        try {
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "reading " + field + " failed: " + e.getMessage()
                            + "; let the native library load (see heapspan doctor), or open the package to Heapspan",
                    e);
        }
    }

    private void set(Object object, @Nullable Object value) {
        requireReach();
        try {
            field.set(object, value);
        } catch (IllegalAccessException e) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "writing " + field + " failed: " + e.getMessage()
                            + "; final fields of records and hidden classes need the native library (see heapspan doctor)",
                    e);
        }
    }
}
