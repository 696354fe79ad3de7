package org.heapspan.image;

import org.heapspan.vm.RawMemory;

/**
 * Little-endian values at positions of a byte array without bounds checks, for generated codecs, which have made sure of the
 * whole block before. Only where there is raw memory.
 */
final class RawBytes {
    private RawBytes() {}

    private static final RawMemory RAW = Access.raw();
    private static final long BASE = RAW.arrayBaseOffset(byte[].class);

    static void putByte(byte[] bytes, int position, int value) {
        RAW.putByte(bytes, BASE + position, (byte) value);
    }

    static void putShort(byte[] bytes, int position, int value) {
        RAW.putShort(bytes, BASE + position, (short) value);
    }

    static void putInt(byte[] bytes, int position, int value) {
        RAW.putInt(bytes, BASE + position, value);
    }

    static void putLong(byte[] bytes, int position, long value) {
        RAW.putLong(bytes, BASE + position, value);
    }

    static boolean getBoolean(byte[] bytes, int position) {
        return RAW.getByte(bytes, BASE + position) != 0;
    }

    static int getByte(byte[] bytes, int position) {
        return RAW.getByte(bytes, BASE + position);
    }

    static int getShort(byte[] bytes, int position) {
        return RAW.getShort(bytes, BASE + position);
    }

    static int getInt(byte[] bytes, int position) {
        return RAW.getInt(bytes, BASE + position);
    }

    static long getLong(byte[] bytes, int position) {
        return RAW.getLong(bytes, BASE + position);
    }

    /** The bits of a slot if they were the same before and after its reference was read, else 0. */
    static int stable(int before, int after) {
        return before == after ? before : 0;
    }
}
