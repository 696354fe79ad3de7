package org.heapspan.exchange.metadata;

import java.io.IOException;

/** This server does not lead those that replicate their keys with it, or not any more. Whether a change was made is unknown. */
public final class NotLeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    public NotLeaderException(String message) {
        super(message);
    }
}
