package org.heapspan.spark.nativerdd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.heapspan.nativerdd.NativeProgramException;

/** Bytes in the order of the machine, to which more are added, or a view of bytes that were read. Not thread-safe. */
final class GrowingBytes {
    private static final int FIRST_BYTES = 1 << 10;
    private static final int MOST_BYTES = Integer.MAX_VALUE - 16;

    private ByteBuffer bytes = ByteBuffer.allocate(0).order(ByteOrder.nativeOrder());

    /** What there is, from 0 to its position. For access at a place. */
    ByteBuffer bytes() {
        return bytes;
    }

    int size() {
        return bytes.position();
    }

    /** Sees to it that so many bytes can be put at the end. */
    ByteBuffer room(int sizeBytes) {
        if (sizeBytes > bytes.remaining()) {
            long needed = (long) size() + sizeBytes;
            if (needed > MOST_BYTES) {
                throw new NativeProgramException("an element of an RDD for a native program needs " + needed
                        + " bytes, and at most 2 GB are possible; use smaller elements");
            }
            long wanted = Math.min(MOST_BYTES, Math.max(FIRST_BYTES, 2 * needed));
            bytes = ByteBuffer.allocate((int) wanted)
                    .order(ByteOrder.nativeOrder())
                    .put(bytes.flip());
        }
        return bytes;
    }

    /** Shows bytes that somebody else has. */
    void show(ByteBuffer part) {
        bytes = part.order(ByteOrder.nativeOrder());
        bytes.position(bytes.limit());
    }

    void clear() {
        bytes.clear();
    }
}
