package org.heapspan.exchange.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Link;

/** The bytes of one group on their way from a server: as many as it announced, each within a deadline. */
final class FetchedStream extends InputStream {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Link link;
    private final Duration timeout;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    private long left;

    FetchedStream(Link link, long sizeBytes, Duration timeout) {
        this.link = link;
        this.left = sizeBytes;
        this.timeout = timeout;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (!buffer.hasRemaining()) {
            if (left == 0) {
                return -1;
            }
            fill();
        }
        int count = Math.min(length, buffer.remaining());
        buffer.get(target, offset, count);
        return count;
    }

    private void fill() throws IOException {
        buffer.clear().limit((int) Math.min(BUFFER_BYTES, left));
        if (link.readSome(buffer, Deadline.after(timeout)) < 0) {
            throw new EOFException(
                    link.peer() + " has closed the connection, " + left + " bytes of the group are missing");
        }
        buffer.flip();
        left -= buffer.remaining();
        checksum.update(buffer.duplicate());
    }

    /**
     * Reads the rest and forgets it.
     *
     * @return false if more than this is left
     */
    boolean skipToEnd(long mostBytes) throws IOException {
        if (left > mostBytes) {
            return false;
        }
        buffer.position(buffer.limit());
        while (left > 0) {
            fill();
            buffer.position(buffer.limit());
        }
        return true;
    }

    /** Whether all bytes have been read. */
    boolean isAtEnd() {
        return left == 0 && !buffer.hasRemaining();
    }

    /** Of the bytes that have come. */
    int checksum() {
        return (int) checksum.getValue();
    }
}
