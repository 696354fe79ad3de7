package org.heapspan.exchange.metadata;

import java.io.IOException;

/** There is no room for bytes: on the device of a folder, or at the other servers that should have them too. */
public final class FullException extends IOException {
    private static final long serialVersionUID = 1L;

    public FullException(String message) {
        super(message);
    }
}
