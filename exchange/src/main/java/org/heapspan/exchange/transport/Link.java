package org.heapspan.exchange.transport;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A connection that carries bytes in both directions. One thread reads and writes; {@link #close} may come from any thread, and ends their waits.
 * A wait that is longer than its deadline throws a {@link java.net.SocketTimeoutException}.
 */
public interface Link extends Closeable {
    /** What {@link #writeFile} copies at once. */
    int FILE_BUFFER_BYTES = 64 << 10;

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
     * @throws EOFException if the other end has closed
     */
    default void read(ByteBuffer target, Deadline deadline) throws IOException {
        while (target.hasRemaining()) {
            if (readSome(target, deadline) < 0) {
                throw new EOFException(peer() + " has closed the connection");
            }
        }
    }

    /** Writes all of a buffer; waits while the other end does not read. */
    void write(ByteBuffer source, Deadline deadline) throws IOException;

    /** Writes a part of a file: through the Java heap, unless the transport can do without. */
    default void writeFile(FileChannel file, long offset, long length, Deadline deadline) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(FILE_BUFFER_BYTES, length));
        long sent = 0;
        while (sent < length) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), length - sent));
            if (file.read(buffer, offset + sent) <= 0) {
                throw new EOFException("a file has " + file.size() + " bytes, expected " + (offset + length));
            }
            sent += buffer.position();
            write(buffer.flip(), deadline);
        }
    }

    /** Whether the other end is silent and, as far as is known, there. For a connection that waits for its next use. */
    boolean isSilent();

    @Override
    void close();
}
