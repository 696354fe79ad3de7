package org.heapspan.vm;

import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;
import org.jspecify.annotations.Nullable;

/**
 * Raw memory through {@code jdk.internal.misc.Unsafe}.
 *
 * <p>Links only after {@code java.base/jdk.internal.misc} has been exported to our module: nothing may touch this class
 * before {@link VirtualMachine} did that. Unlike {@code sun.misc.Unsafe} it knows records and hidden classes, prints no
 * warnings and is not scheduled for removal. Signatures are those shared by JDK 17 and 25
 * ({@code src/java.base/share/classes/jdk/internal/misc/Unsafe.java}).
 */
final class InternalRawMemory extends RawMemory {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    // Unsafe.arrayBaseOffset returns int up to JDK 24 and long from JDK 25 (JDK-8344168), so no call to it links on
    // both. The constants that hold the same values changed type too, but a raw read of a static field needs no
    // linking.
    private static final int BOOLEAN_BASE = baseOffset("ARRAY_BOOLEAN_BASE_OFFSET");
    private static final int BYTE_BASE = baseOffset("ARRAY_BYTE_BASE_OFFSET");
    private static final int SHORT_BASE = baseOffset("ARRAY_SHORT_BASE_OFFSET");
    private static final int CHAR_BASE = baseOffset("ARRAY_CHAR_BASE_OFFSET");
    private static final int INT_BASE = baseOffset("ARRAY_INT_BASE_OFFSET");
    private static final int LONG_BASE = baseOffset("ARRAY_LONG_BASE_OFFSET");
    private static final int FLOAT_BASE = baseOffset("ARRAY_FLOAT_BASE_OFFSET");
    private static final int DOUBLE_BASE = baseOffset("ARRAY_DOUBLE_BASE_OFFSET");
    private static final int REFERENCE_BASE = baseOffset("ARRAY_OBJECT_BASE_OFFSET");

    private static int baseOffset(String constantName) {
        try {
            Field constant = Unsafe.class.getDeclaredField(constantName);
            Object base = UNSAFE.staticFieldBase(constant);
            long offset = UNSAFE.staticFieldOffset(constant);
            return constant.getType() == long.class ? (int) UNSAFE.getLong(base, offset) : UNSAFE.getInt(base, offset);
        } catch (NoSuchFieldException e) {
            throw new NoSuchFieldError(e.getMessage());
        }
    }

    @Override
    public byte getByte(@Nullable Object base, long offset) {
        return UNSAFE.getByte(base, offset);
    }

    @Override
    public void putByte(@Nullable Object base, long offset, byte value) {
        UNSAFE.putByte(base, offset, value);
    }

    @Override
    public boolean getBoolean(@Nullable Object base, long offset) {
        return UNSAFE.getBoolean(base, offset);
    }

    @Override
    public void putBoolean(@Nullable Object base, long offset, boolean value) {
        UNSAFE.putBoolean(base, offset, value);
    }

    @Override
    public short getShort(@Nullable Object base, long offset) {
        return UNSAFE.getShort(base, offset);
    }

    @Override
    public void putShort(@Nullable Object base, long offset, short value) {
        UNSAFE.putShort(base, offset, value);
    }

    @Override
    public char getChar(@Nullable Object base, long offset) {
        return UNSAFE.getChar(base, offset);
    }

    @Override
    public void putChar(@Nullable Object base, long offset, char value) {
        UNSAFE.putChar(base, offset, value);
    }

    @Override
    public int getInt(@Nullable Object base, long offset) {
        return UNSAFE.getInt(base, offset);
    }

    @Override
    public void putInt(@Nullable Object base, long offset, int value) {
        UNSAFE.putInt(base, offset, value);
    }

    @Override
    public long getLong(@Nullable Object base, long offset) {
        return UNSAFE.getLong(base, offset);
    }

    @Override
    public void putLong(@Nullable Object base, long offset, long value) {
        UNSAFE.putLong(base, offset, value);
    }

    @Override
    public float getFloat(@Nullable Object base, long offset) {
        return UNSAFE.getFloat(base, offset);
    }

    @Override
    public void putFloat(@Nullable Object base, long offset, float value) {
        UNSAFE.putFloat(base, offset, value);
    }

    @Override
    public double getDouble(@Nullable Object base, long offset) {
        return UNSAFE.getDouble(base, offset);
    }

    @Override
    public void putDouble(@Nullable Object base, long offset, double value) {
        UNSAFE.putDouble(base, offset, value);
    }

    @Override
    public @Nullable Object getReference(Object base, long offset) {
        return UNSAFE.getReference(base, offset);
    }

    @Override
    public void putReference(Object base, long offset, @Nullable Object value) {
        UNSAFE.putReference(base, offset, value);
    }

    @Override
    public int getIntVolatile(@Nullable Object base, long offset) {
        return UNSAFE.getIntVolatile(base, offset);
    }

    @Override
    public long getLongUnaligned(@Nullable Object base, long offset) {
        return UNSAFE.getLongUnaligned(base, offset);
    }

    @Override
    public void putLongUnaligned(@Nullable Object base, long offset, long value) {
        UNSAFE.putLongUnaligned(base, offset, value);
    }

    @Override
    public int getIntUnaligned(@Nullable Object base, long offset) {
        return UNSAFE.getIntUnaligned(base, offset);
    }

    @Override
    public void putIntUnaligned(@Nullable Object base, long offset, int value) {
        UNSAFE.putIntUnaligned(base, offset, value);
    }

    @Override
    public void copyMemory(
            @Nullable Object sourceBase,
            long sourceOffset,
            @Nullable Object targetBase,
            long targetOffset,
            long sizeBytes) {
        UNSAFE.copyMemory(sourceBase, sourceOffset, targetBase, targetOffset, sizeBytes);
    }

    @Override
    public void setMemory(@Nullable Object base, long offset, long sizeBytes, byte value) {
        UNSAFE.setMemory(base, offset, sizeBytes, value);
    }

    @Override
    public Object allocateInstance(Class<?> type) throws InstantiationException {
        return UNSAFE.allocateInstance(type);
    }

    @Override
    public Object allocateUninitializedArray(Class<?> componentType, int length) {
        // C2 leaves it to the JVM to allocate large arrays, and only where it knows the class it tells the JVM not to
        // clear them.
        if (componentType == byte.class) {
            return UNSAFE.allocateUninitializedArray(byte.class, length);
        } else if (componentType == double.class) {
            return UNSAFE.allocateUninitializedArray(double.class, length);
        } else if (componentType == int.class) {
            return UNSAFE.allocateUninitializedArray(int.class, length);
        } else if (componentType == long.class) {
            return UNSAFE.allocateUninitializedArray(long.class, length);
        } else if (componentType == float.class) {
            return UNSAFE.allocateUninitializedArray(float.class, length);
        }
        return UNSAFE.allocateUninitializedArray(componentType, length);
    }

    @Override
    public long objectFieldOffset(Field field) {
        return UNSAFE.objectFieldOffset(field);
    }

    @Override
    public long staticFieldOffset(Field field) {
        return UNSAFE.staticFieldOffset(field);
    }

    @Override
    public Object staticFieldBase(Field field) {
        return UNSAFE.staticFieldBase(field);
    }

    @Override
    public int arrayBaseOffset(Class<?> arrayType) {
        Class<?> component = arrayType.getComponentType();
        if (component == null) {
            throw new IllegalArgumentException(
                    "arrayBaseOffset needs an array class, got ".concat(arrayType.getName()));
        }
        if (!component.isPrimitive()) {
            return REFERENCE_BASE;
        } else if (component == byte.class) {
            return BYTE_BASE;
        } else if (component == int.class) {
            return INT_BASE;
        } else if (component == long.class) {
            return LONG_BASE;
        } else if (component == double.class) {
            return DOUBLE_BASE;
        } else if (component == char.class) {
            return CHAR_BASE;
        } else if (component == short.class) {
            return SHORT_BASE;
        } else if (component == float.class) {
            return FLOAT_BASE;
        } else {
            return BOOLEAN_BASE;
        }
    }

    @Override
    public int arrayIndexScale(Class<?> arrayType) {
        return UNSAFE.arrayIndexScale(arrayType);
    }

    @Override
    public void ensureClassInitialized(Class<?> type) {
        UNSAFE.ensureClassInitialized(type);
    }

    @Override
    public long allocateMemory(long sizeBytes) {
        return UNSAFE.allocateMemory(sizeBytes);
    }

    @Override
    public void freeMemory(long address) {
        UNSAFE.freeMemory(address);
    }

    @Override
    public void storeFence() {
        UNSAFE.storeFence();
    }

    @Override
    public void loadFence() {
        UNSAFE.loadFence();
    }
}
