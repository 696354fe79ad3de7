package org.heapspan.exchange.client;

import java.io.InterruptedIOException;

/** A client has as many connections as it may have, and none was free in time. That says nothing of the server. */
public final class ConnectionsInUseException extends InterruptedIOException {
    private static final long serialVersionUID = 1L;

    ConnectionsInUseException(int connections, long waitedMillis) {
        super((connections == 1
                        ? "the only connection of this client was"
                        : "all " + connections + " connections of this client were")
                + " in use by other threads for " + waitedMillis + " ms");
    }
}
