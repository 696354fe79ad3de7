package org.heapspan.image.format;

import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Little-endian values at positions of a byte array of which the caller has made sure: where there is raw memory their bounds are
 * not checked again.
 */
public final class RawBytes {
    private RawBytes() {}

    private static final @Nullable RawMemory RAW = Access.RAW;
    private static final long BASE = RAW == null ? 0 : RAW.arrayBaseOffset(byte[].class);

    public static void putByte(byte[] bytes, int position, int value) {
        if (RAW == null) {
            bytes[position] = (byte) value;
        } else {
            RAW.putByte(bytes, BASE + position, (byte) value);
        }
    }

    public static void putShort(byte[] bytes, int position, int value) {
        if (RAW == null) {
            ImageFormat.SHORT.set(bytes, position, (short) value);
        } else {
            RAW.putShort(bytes, BASE + position, (short) value);
        }
    }

    public static void putInt(byte[] bytes, int position, int value) {
        if (RAW == null) {
            ImageFormat.INT.set(bytes, position, value);
        } else {
            RAW.putInt(bytes, BASE + position, value);
        }
    }

    public static void putLong(byte[] bytes, int position, long value) {
        if (RAW == null) {
            ImageFormat.LONG.set(bytes, position, value);
        } else {
            RAW.putLong(bytes, BASE + position, value);
        }
    }

    /** Sets whole words to zero. */
    public static void clear(byte[] bytes, int position, int sizeBytes) {
        if (sizeBytes > 64) {
            java.util.Arrays.fill(bytes, position, position + sizeBytes, (byte) 0);
            return;
        }
        for (int done = 0; done < sizeBytes; done += Long.BYTES) {
            putLong(bytes, position + done, 0);
        }
    }

    public static boolean getBoolean(byte[] bytes, int position) {
        return getByte(bytes, position) != 0;
    }

    public static int getByte(byte[] bytes, int position) {
        return RAW == null ? bytes[position] : RAW.getByte(bytes, BASE + position);
    }

    public static int getShort(byte[] bytes, int position) {
        return RAW == null ? (short) ImageFormat.SHORT.get(bytes, position) : RAW.getShort(bytes, BASE + position);
    }

    public static int getInt(byte[] bytes, int position) {
        return RAW == null ? (int) ImageFormat.INT.get(bytes, position) : RAW.getInt(bytes, BASE + position);
    }

    public static long getLong(byte[] bytes, int position) {
        return RAW == null ? (long) ImageFormat.LONG.get(bytes, position) : RAW.getLong(bytes, BASE + position);
    }
}
