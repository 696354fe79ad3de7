package org.heapspan.image.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C of frames. Most frames begin with the types of a frame before; their checksum is known, and only what follows is summed.
 * Not thread-safe.
 */
public final class FrameChecksum {
    private static final @Nullable RawMemory RAW = Access.RAW;

    /** The state of a {@link CRC32C}, which its interface does not let one set; -1 where it cannot be accessed. */
    private static final long STATE_OFFSET = Access.offsetOf(CRC32C.class, "crc", int.class);

    /** Whether {@link #continued} is there: the field holds the complement of the checksum so far. */
    public static final boolean CONTINUES = STATE_OFFSET >= 0 && stateIsComplement();

    private final CRC32C crc = new CRC32C();

    private static boolean stateIsComplement() {
        byte[] sample = {1, 2, 3, 4, 5};
        CRC32C whole = new CRC32C();
        whole.update(sample, 0, 5);
        CRC32C first = new CRC32C();
        first.update(sample, 0, 2);
        CRC32C rest = new CRC32C();
        Access.raw().putInt(rest, STATE_OFFSET, ~(int) first.getValue());
        rest.update(sample, 2, 3);
        return rest.getValue() == whole.getValue();
    }

    public int of(byte[] bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** The checksum of the bytes that a buffer has left; it stays as it is. */
    public int of(ByteBuffer bytes) {
        crc.reset();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** The checksum of what has a checksum and bytes behind it; only where {@link #CONTINUES}. */
    public int continued(int before, byte[] bytes, int offset, int length) {
        RawMemory raw = RAW;
        if (raw == null) {
            throw new IllegalStateException("checksums cannot be continued without raw memory");
        }
        raw.putInt(crc, STATE_OFFSET, ~before);
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** CRC32C's polynomial, x^31 in the lowest bit, as all polynomials here. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;

    /** x^8 to the powers of two. */
    private static final int[] BYTE_SHIFTS = new int[32];

    static {
        int shift = ONE >>> 8;
        for (int i = 0; i < BYTE_SHIFTS.length; i++) {
            BYTE_SHIFTS[i] = shift;
            shift = product(shift, shift);
        }
    }

    /** The checksum of two runs of bytes, one behind the other, from those of each (as zlib's crc32_combine). */
    public static int combined(int first, int second, int secondBytes) {
        int shift = ONE;
        for (int i = 0, rest = secondBytes; rest != 0; i++, rest >>>= 1) {
            if ((rest & 1) != 0) {
                shift = product(shift, BYTE_SHIFTS[i]);
            }
        }
        return product(shift, first) ^ second;
    }

    /** The product of two polynomials, modulo the checksum's. */
    private static int product(int a, int b) {
        int sum = 0;
        int shifted = b;
        for (int rest = a; rest != 0; rest <<= 1) {
            if (rest < 0) {
                sum ^= shifted;
            }
            shifted = shifted >>> 1 ^ (shifted & 1) * POLYNOMIAL;
        }
        return sum;
    }
}
