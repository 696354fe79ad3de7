package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.crypto.Mac;

/** Authenticates the frames of one direction, so that nobody on the way can change, repeat, drop or reorder them. */
final class FrameSeal {
    static final int TAG_BYTES = 16;

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
        mac.update(number.clear().put(direction).putLong(frames++).flip());
        mac.update(header.duplicate());
        mac.update(body.duplicate());
        return Arrays.copyOf(mac.doFinal(), TAG_BYTES);
    }
}
