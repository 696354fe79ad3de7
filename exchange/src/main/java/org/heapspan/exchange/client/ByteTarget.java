package org.heapspan.exchange.client;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the bytes of a group that is copied, piece by piece. */
public interface ByteTarget {
    /** The next bytes. The buffer is valid as long as this runs. */
    void write(ByteBuffer piece) throws IOException;
}
