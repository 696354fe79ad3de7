package org.heapspan.vm;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * The door to raw object memory: fields, array elements and native memory by base and offset.
 *
 * <p>Every access takes a base and an offset in bytes. With a base, the offset is one that
 * {@link #objectFieldOffset}, {@link #staticFieldOffset} or {@link #arrayBaseOffset} returned; with a {@code null}
 * base, it is an absolute address. Values are in the byte order of the machine. Accesses are plain (no ordering)
 * unless named otherwise.
 *
 * <p><strong>Nothing is checked.</strong> A wrong base, offset or type corrupts memory or ends the JVM. Callers
 * validate first. Any thread may call any method; an instance holds no state.
 *
 * <p>Callers keep the instance in a {@code static final} field, through which the JIT compiler inlines every method to
 * one machine instruction.
 */
public abstract class RawMemory {
    /** Only {@link InternalRawMemory} extends this: a second loaded subclass would cost a type check per access. */
    RawMemory() {}

    /** Reads a byte. */
    public abstract byte getByte(@Nullable Object base, long offset);

    /** Writes a byte. */
    public abstract void putByte(@Nullable Object base, long offset, byte value);

    /** Reads a boolean. */
    public abstract boolean getBoolean(@Nullable Object base, long offset);

    /** Writes a boolean. */
    public abstract void putBoolean(@Nullable Object base, long offset, boolean value);

    /** Reads a short. */
    public abstract short getShort(@Nullable Object base, long offset);

    /** Writes a short. */
    public abstract void putShort(@Nullable Object base, long offset, short value);

    /** Reads a char. */
    public abstract char getChar(@Nullable Object base, long offset);

    /** Writes a char. */
    public abstract void putChar(@Nullable Object base, long offset, char value);

    /** Reads an int. */
    public abstract int getInt(@Nullable Object base, long offset);

    /** Writes an int. */
    public abstract void putInt(@Nullable Object base, long offset, int value);

    /** Reads a long. */
    public abstract long getLong(@Nullable Object base, long offset);

    /** Writes a long. */
    public abstract void putLong(@Nullable Object base, long offset, long value);

    /** Reads a float. */
    public abstract float getFloat(@Nullable Object base, long offset);

    /** Writes a float. */
    public abstract void putFloat(@Nullable Object base, long offset, float value);

    /** Reads a double. */
    public abstract double getDouble(@Nullable Object base, long offset);

    /** Writes a double. */
    public abstract void putDouble(@Nullable Object base, long offset, double value);

    /** Reads a reference from a field or element; the base is never an address. */
    public abstract @Nullable Object getReference(Object base, long offset);

    /**
     * Writes a reference into a field or element, with the barriers of the collector. The type of the value is not
     * checked against the type of the field: the caller does.
     */
    public abstract void putReference(Object base, long offset, @Nullable Object value);

    /** Reads an int with volatile semantics, such as the counter at {@link VirtualMachine#collectionCounterAddress}. */
    public abstract int getIntVolatile(@Nullable Object base, long offset);

    /** Reads a long at any offset, aligned or not. */
    public abstract long getLongUnaligned(@Nullable Object base, long offset);

    /** Writes a long at any offset, aligned or not. */
    public abstract void putLongUnaligned(@Nullable Object base, long offset, long value);

    /** Reads an int at any offset, aligned or not. */
    public abstract int getIntUnaligned(@Nullable Object base, long offset);

    /** Writes an int at any offset, aligned or not. */
    public abstract void putIntUnaligned(@Nullable Object base, long offset, int value);

    /**
     * Copies bytes between primitive arrays and native memory; ranges may overlap.
     *
     * @throws RuntimeException if a base is neither {@code null} nor a primitive array: references need barriers, so
     *     copy those one by one or with {@link System#arraycopy}
     */
    public abstract void copyMemory(
            @Nullable Object sourceBase,
            long sourceOffset,
            @Nullable Object targetBase,
            long targetOffset,
            long sizeBytes);

    /** Sets every byte of a range of a primitive array or of native memory. */
    public abstract void setMemory(@Nullable Object base, long offset, long sizeBytes, byte value);

    /**
     * Creates an object with all fields zero without running a constructor; initialises its class first.
     *
     * @throws InstantiationException if the class is abstract, an interface, an array class or {@code Class}
     */
    public abstract Object allocateInstance(Class<?> type) throws InstantiationException;

    /**
     * Creates a primitive array whose elements may be anything: the caller overwrites all of them before anyone else
     * sees the array.
     *
     * @throws IllegalArgumentException if the component type is not primitive or the length is negative
     */
    public abstract Object allocateUninitializedArray(Class<?> componentType, int length);

    /** Offset in bytes of an instance field, of records and hidden classes too. */
    public abstract long objectFieldOffset(Field field);

    /** Offset in bytes of a static field from {@link #staticFieldBase}. */
    public abstract long staticFieldOffset(Field field);

    /** The base object of a static field. */
    public abstract Object staticFieldBase(Field field);

    /**
     * Offset in bytes of the first element of an array.
     *
     * @throws IllegalArgumentException if the class is not an array class
     */
    public abstract int arrayBaseOffset(Class<?> arrayType);

    /** Distance in bytes between two elements of an array. */
    public abstract int arrayIndexScale(Class<?> arrayType);

    /** Initialises a class if that has not happened; the offset of a static field means nothing before. */
    public abstract void ensureClassInitialized(Class<?> type);

    /**
     * Allocates native memory with unspecified content; the caller owns it.
     *
     * @return the absolute address
     * @throws OutOfMemoryError if the system refuses
     */
    public abstract long allocateMemory(long sizeBytes);

    /** Gives back what {@link #allocateMemory} returned. */
    public abstract void freeMemory(long address);

    /** Orders stores before it, and loads before it, ahead of stores after it. */
    public abstract void storeFence();

    /** Orders loads before it ahead of loads and stores after it. */
    public abstract void loadFence();
}
