package org.heapspan.exchange.client;

import java.io.InterruptedIOException;

/** A client has as many connections as it may have, and none was free in time. */
public final class ConnectionsInUseException extends InterruptedIOException {
    private static final long serialVersionUID = 1L;

    ConnectionsInUseException(String message) {
        super(message);
    }
}
