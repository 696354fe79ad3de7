package org.heapspan.exchange.metadata;

import java.io.IOException;

/** Servers that replicate their keys have no room for the bytes of a key, so it does not change. */
public final class FullException extends IOException {
    private static final long serialVersionUID = 1L;

    public FullException(String message) {
        super(message);
    }
}
