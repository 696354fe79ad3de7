package org.heapspan.image;

import java.util.zip.CRC32C;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C of frames. Most frames begin with the types of a frame before; their checksum is known, and only what follows is summed.
 * Not thread-safe.
 */
final class FrameChecksum {
    private static final @Nullable RawMemory RAW = Access.RAW;

    /** The state of a {@link CRC32C}, which its interface does not let one set; -1 where it is out of reach. */
    private static final long STATE_OFFSET = Access.offsetOf(CRC32C.class, "crc", int.class);

    /** Whether {@link #continued} is there: the field holds the complement of the checksum so far. */
    static final boolean CONTINUES = STATE_OFFSET >= 0 && stateIsComplement();

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

    int of(byte[] bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** The checksum of what has a checksum and bytes behind it; only where {@link #CONTINUES}. */
    int continued(int before, byte[] bytes, int offset, int length) {
        RawMemory raw = RAW;
        if (raw == null) {
            throw new IllegalStateException("checksums cannot be continued without raw memory");
        }
        raw.putInt(crc, STATE_OFFSET, ~before);
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
