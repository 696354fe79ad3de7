package org.heapspan.exchange.wire;

import java.io.IOException;

/** The bytes of a connection are no frame or message of the exchange protocol. The connection cannot be used any further. */
public final class MalformedFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String message) {
        super(message);
    }
}
