package org.heapspan.exchange.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.heapspan.exchange.wire.RefusedException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a group for a reader that begins before all of them are there. One thread adds them and never waits, another one reads them. A block that
 * was read is forgotten.
 */
final class ArrivingBytes implements ReadableByteChannel {
    private final Deque<ByteBuffer> blocks = new ArrayDeque<>();
    private boolean ended;
    private boolean unwanted;
    private boolean abandoned;
    private @Nullable Throwable failure;

    /** The next block, which is given away. */
    synchronized void add(ByteBuffer block) throws IOException {
        if (abandoned) {
            throw new ClosedChannelException();
        }
        if (!unwanted) {
            blocks.add(block);
            notifyAll();
        }
    }

    /**
     * All have come, or no more will come.
     *
     * @param reason why not all have come, or why they are not what they should be; null if they are
     */
    synchronized void end(@Nullable Throwable reason) {
        ended = true;
        failure = reason;
        notifyAll();
    }

    /** The first bytes, which stay where they are. */
    synchronized ByteBuffer first() throws IOException, RefusedException {
        await(false);
        throwFailure();
        ByteBuffer first = blocks.peek();
        return first == null ? ByteBuffer.allocate(0) : first.asReadOnlyBuffer();
    }

    /** All bytes, after their checksum has been compared. */
    synchronized ByteBuffer[] all() throws IOException, RefusedException {
        awaitEnd();
        return blocks.toArray(ByteBuffer[]::new);
    }

    /** Waits until their checksum has been compared. */
    synchronized void awaitEnd() throws IOException, RefusedException {
        await(true);
        throwFailure();
    }

    private void await(boolean theEnd) throws InterruptedIOException {
        try {
            while (!ended && (theEnd || blocks.isEmpty())) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for the bytes of a group was interrupted");
        }
    }

    /** Nothing, or what has gone wrong. */
    synchronized void throwFailure() throws IOException, RefusedException {
        Throwable reason = failure;
        if (reason instanceof RefusedException refused) {
            throw refused;
        } else if (reason instanceof IOException failed) {
            throw failed;
        } else if (reason instanceof Error error) {
            if (!unwanted) {
                throw error;
            }
        } else if (reason != null) {
            throw new IOException("the bytes of a group could not be received: " + reason, reason);
        }
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        await(false);
        ByteBuffer block = blocks.peek();
        if (failure != null) {
            throw new IOException("the bytes of a group have not all come", failure);
        }
        if (block == null) {
            return -1;
        }
        int count = Math.min(target.remaining(), block.remaining());
        target.put(block.slice(block.position(), count));
        block.position(block.position() + count);
        if (!block.hasRemaining()) {
            blocks.remove();
        }
        return count;
    }

    /** Nobody reads any more. The rest comes to its end, and is forgotten. Damage is told still, and a lack of memory is not. */
    synchronized void discard() {
        unwanted = true;
        blocks.clear();
    }

    /** Nobody reads any more, and the rest need not come. */
    synchronized void abandon() {
        abandoned = true;
        blocks.clear();
    }

    @Override
    public synchronized boolean isOpen() {
        return !abandoned;
    }

    @Override
    public void close() {
        abandon();
    }
}
