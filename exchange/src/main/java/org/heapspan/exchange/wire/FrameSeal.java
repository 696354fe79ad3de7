package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.crypto.Mac;

/** Authenticates what is sent in one direction, so that nobody on the way can change, repeat, drop or reorder it. For one thread. */
public final class FrameSeal {
    /** Length of a tag. */
    public static final int TAG_BYTES = 16;

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
        add(body);
        return tag();
    }

    /** Bytes follow that are no frame. */
    void begin() {
        mac.update(number.clear().put(direction).putLong(frames++).flip());
    }

    /** The next of these bytes. */
    public void add(ByteBuffer bytes) {
        mac.update(bytes.duplicate());
    }

    /** The tag of all of them. */
    public byte[] tag() {
        return Arrays.copyOf(mac.doFinal(), TAG_BYTES);
    }
}
