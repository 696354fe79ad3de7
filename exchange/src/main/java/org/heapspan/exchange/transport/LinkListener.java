package org.heapspan.exchange.transport;

import java.io.Closeable;
import java.io.IOException;

/** Accepts connections. */
public interface LinkListener extends Closeable {

    /** Waits for the next connection; {@link #close} ends the wait with an exception. */
    Link accept() throws IOException;

    /** Where it listens, with the port that the system has chosen. */
    Endpoint endpoint();

    @Override
    void close();
}
