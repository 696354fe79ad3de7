package org.heapspan.exchange.sharing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of an image, as {@code docs/formats/image.md} has them.
 *
 * @param flags of the image
 */
public record ImageHeader(int flags) {
    static final int BYTES = 8;

    private static final int MAGIC = 0x48535049;
    private static final int FLAGS_OFFSET = 6;
    private static final int FLAG_SHARED_OBJECTS = 64;

    /**
     * Reads it.
     *
     * @param first the first bytes of a group
     * @return null if they are those of no image
     */
    public static @Nullable ImageHeader of(ByteBuffer first) {
        ByteBuffer bytes = first.slice();
        if (bytes.remaining() < BYTES || bytes.getInt(0) != MAGIC) {
            return null;
        }
        return new ImageHeader(bytes.order(ByteOrder.LITTLE_ENDIAN).getShort(FLAGS_OFFSET));
    }

    /** Whether it refers to shared values, which are named behind it. */
    public boolean refersToSharedValues() {
        return (flags & FLAG_SHARED_OBJECTS) != 0;
    }
}
