package org.heapspan.exchange.transport;

import java.io.IOException;

/** A way to connect two JVMs, or two parts of one. */
public interface Transport {

    /** Connects to a server. */
    Link connect(Endpoint server, Deadline deadline) throws IOException;

    /** Opens a place where clients can connect. */
    LinkListener listen(Endpoint place) throws IOException;

    /** The transport of an endpoint. */
    static Transport of(Endpoint endpoint) {
        return endpoint.isInProcess() ? new InProcessTransport() : new TcpTransport();
    }
}
