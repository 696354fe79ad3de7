package org.heapspan.exchange.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A connection that carries bytes in both directions. One thread reads and writes; {@link #close} may come from any thread, and ends their waits.
 * A wait that is longer than its deadline throws a {@link java.net.SocketTimeoutException}.
 */
public interface Link extends Closeable {

    /** Who is at the other end, for messages. */
    String peer();

    /**
     * Whether the process at the other end runs on this host, for the user of this process. True where the system does not tell.
     *
     * @throws IOException if the connection is closed
     */
    boolean isOfThisUser() throws IOException;

    /**
     * Reads what has arrived, and waits if nothing has.
     *
     * @return how many bytes, or -1 if the other end has closed
     */
    int readSome(ByteBuffer target, Deadline deadline) throws IOException;

    /**
     * Fills a buffer.
     *
     * @throws java.io.EOFException if the other end has closed
     */
    void read(ByteBuffer target, Deadline deadline) throws IOException;

    /** Writes all of a buffer; waits while the other end does not read. */
    void write(ByteBuffer source, Deadline deadline) throws IOException;

    /** Writes a part of a file, without copying it through the Java heap where the transport can do that. */
    void writeFile(FileChannel file, long offset, long length, Deadline deadline) throws IOException;

    /** Whether the other end is silent and, as far as is known, there. For a connection that waits for its next use. */
    boolean isSilent();

    @Override
    void close();
}
