package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.crypto.Mac;

/** Authenticates what is sent in one direction, so that nobody on the way can change, repeat, drop or reorder it. For one thread. */
public final class FrameSeal {
    /** Length of a tag. */
    public static final int TAG_BYTES = 16;

    /** Bytes of groups, which are no frames, have a tag after so many of them, and after the last ones. */
    public static final int PIECE_BYTES = 64 << 10;

    private final Mac mac;
    private final byte direction;
    private final ByteBuffer number = ByteBuffer.allocate(1 + Long.BYTES);
    private long frames;

    FrameSeal(byte[] key, boolean fromClient) {
        mac = SharedSecret.mac(key);
        direction = (byte) (fromClient ? 1 : 2);
    }

    /** The tag of the next frame. */
    byte[] next(ByteBuffer header, ByteBuffer body) {
        begin();
        mac.update(header.duplicate());
        return end(body);
    }

    /** The tag of bytes that are no frame: the next piece of a group. */
    public byte[] nextPiece(ByteBuffer bytes) {
        begin();
        return end(bytes);
    }

    private void begin() {
        mac.update(number.clear().put(direction).putLong(frames++).flip());
    }

    private byte[] end(ByteBuffer bytes) {
        mac.update(bytes.duplicate());
        return Arrays.copyOf(mac.doFinal(), TAG_BYTES);
    }
}
