package org.heapspan.exchange.wire;

/** What one frame says. Arrays and buffers in a message belong to it. */
public sealed interface Message permits Handshake, Request, Reply {
    MessageType type();

    /** Appends the values in the order in which {@link MessageType} reads them. */
    void write(BodyWriter body);
}
