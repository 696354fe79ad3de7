package org.heapspan.vm;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/** Opens the door and walks through it once, so that a JVM on which a method is missing or lies is found out at start. */
final class RawMemoryCheck {
    private RawMemoryCheck() {}

    /**
     * @throws LinkageError if {@code jdk.internal.misc.Unsafe} is not reachable or lacks a method
     * @throws IllegalStateException if a value does not come back as it was written
     */
    static RawMemory checked() throws ReflectiveOperationException {
        RawMemory memory = new InternalRawMemory();
        long[] array = (long[]) memory.allocateUninitializedArray(long.class, 4);
        long base = memory.arrayBaseOffset(long[].class);
        memory.setMemory(array, base, 32, (byte) 0);
        memory.putByte(array, base, (byte) 1);
        memory.putBoolean(array, base + 1, true);
        memory.putShort(array, base + 2, (short) 3);
        memory.putInt(array, base + 4, 4);
        memory.putLong(array, base + 8, 5L);
        memory.putFloat(array, base + 16, 6f);
        memory.putChar(array, base + 20, '7');
        memory.putDouble(array, base + 24, 8d);
        memory.storeFence();
        memory.loadFence();
        long[] copy = new long[4];
        memory.copyMemory(array, base, copy, base, 32);
        boolean same = memory.getByte(copy, base) == 1
                && memory.getBoolean(copy, base + 1)
                && memory.getShort(copy, base + 2) == 3
                && memory.getInt(copy, base + 4) == 4
                && memory.getIntVolatile(copy, base + 4) == 4
                && memory.getLong(copy, base + 8) == 5L
                && copy[1] == 5L
                && memory.getFloat(copy, base + 16) == 6f
                && memory.getChar(copy, base + 20) == '7'
                && memory.getDouble(copy, base + 24) == 8d
                && memory.arrayIndexScale(long[].class) == 8;
        memory.putLongUnaligned(array, base + 1, 9L);
        memory.putIntUnaligned(array, base + 17, 10);
        same &= memory.getLongUnaligned(array, base + 1) == 9L && memory.getIntUnaligned(array, base + 17) == 10;

        Probe probe = (Probe) memory.allocateInstance(Probe.class);
        Field reference = Probe.class.getDeclaredField("reference");
        long offset = memory.objectFieldOffset(reference);
        memory.putReference(probe, offset, array);
        same &= probe.reference == array && memory.getReference(probe, offset) == array;
        memory.ensureClassInitialized(Probe.class);
        Field fixed = Probe.class.getDeclaredField("FIXED");
        same &= memory.getReference(memory.staticFieldBase(fixed), memory.staticFieldOffset(fixed)) == Probe.FIXED;
        memory.freeMemory(memory.allocateMemory(8));
        if (!same) {
            throw new IllegalStateException(
                    "raw memory does not return the bytes that were written; Heapspan does not know this kind of JVM");
        }
        return memory;
    }

    /** Why what the tables say cannot be true, seeing what the JVM does; null if both agree. */
    static @Nullable String contradiction(RawMemory memory, HotSpotFacts facts) {
        if (facts.compressedReferences() != (memory.arrayIndexScale(Object[].class) == 4)) {
            return "HotSpot's tables contradict the size of references seen in arrays";
        }
        int base = memory.arrayBaseOffset(byte[].class);
        boolean narrowHeader = facts.compressedClassPointers() || facts.compactHeaders();
        if (narrowHeader != (base <= 16) || facts.compactHeaders() != (base == 12)) {
            return "HotSpot's tables contradict the size of headers seen in arrays";
        }
        return null;
    }

    private static final class Probe {
        static final Object FIXED = new Object();

        @Nullable
        Object reference;
    }
}
