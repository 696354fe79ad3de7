package org.heapspan.exchange.transport;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** Bytes on their way from one thread to another, as many as a ring has room for. Thread-safe. */
final class BytePipe {
    private static final int RING_BYTES = 64 << 10;

    private final byte[] ring = new byte[RING_BYTES];
    private int start;
    private int count;
    private boolean closed;

    /** Takes what there is; waits if there is nothing. Returns -1 at the end. */
    synchronized int read(ByteBuffer target, Deadline deadline, String what) throws IOException {
        while (count == 0 && !closed) {
            await(deadline, what);
        }
        if (count == 0) {
            return -1;
        }
        int length = Math.min(count, target.remaining());
        int first = Math.min(length, RING_BYTES - start);
        target.put(ring, start, first);
        target.put(ring, 0, length - first);
        start = (start + length) % RING_BYTES;
        count -= length;
        notifyAll();
        return length;
    }

    synchronized void write(ByteBuffer source, Deadline deadline, String what) throws IOException {
        while (source.hasRemaining()) {
            while (count == RING_BYTES && !closed) {
                await(deadline, what);
            }
            if (closed) {
                throw new ClosedChannelException();
            }
            int end = (start + count) % RING_BYTES;
            int room = Math.min(RING_BYTES - count, RING_BYTES - end);
            int length = Math.min(source.remaining(), room);
            source.get(ring, end, length);
            count += length;
            notifyAll();
        }
    }

    /** Waits for a change; the callers look again. */
    @SuppressWarnings("WaitNotInLoop")
    private void await(Deadline deadline, String what) throws IOException {
        long millis = deadline.remainingMillis();
        if (millis == 0) {
            throw deadline.passed(what);
        }
        try {
            wait(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(what + " was interrupted");
        }
    }

    synchronized boolean isEmptyAndOpen() {
        return count == 0 && !closed;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
