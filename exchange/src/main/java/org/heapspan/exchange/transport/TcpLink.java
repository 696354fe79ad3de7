package org.heapspan.exchange.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A socket that never blocks, and a selector that waits for it with a deadline: a blocking socket has none for writing. Reads ahead, because the head of
 * a message and its body come together.
 */
final class TcpLink implements Link {
    private static final int AHEAD_BYTES = 8 << 10;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final String peer;
    private final BusyWait busyWait = new BusyWait();

    /** What was read and nobody has asked for yet. */
    private final ByteBuffer ahead = ByteBuffer.allocate(AHEAD_BYTES).limit(0);

    TcpLink(SocketChannel channel, String peer) throws IOException {
        this.channel = channel;
        this.peer = peer;
        channel.configureBlocking(false);
        selector = Selector.open();
        try {
            key = channel.register(selector, 0);
        } catch (IOException | RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    void connect(InetSocketAddress address, Deadline deadline) throws IOException {
        try {
            if (!channel.connect(address)) {
                do {
                    await(SelectionKey.OP_CONNECT, deadline, "connecting to ");
                } while (!channel.finishConnect());
            }
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void await(int operation, Deadline deadline, String what) throws IOException {
        try {
            key.interestOps(operation);
            int ready;
            do {
                long millis = deadline.remainingMillis();
                if (millis == 0) {
                    throw deadline.passed(what + peer);
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException(what + peer + " was interrupted");
                }
                ready = selector.select(millis);
                selector.selectedKeys().clear();
            } while (ready == 0);
        } catch (ClosedSelectorException | CancelledKeyException e) {
            IOException closed = new AsynchronousCloseException();
            closed.initCause(e);
            throw closed;
        }
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean isOfThisUser() throws IOException {
        if (channel.getRemoteAddress() instanceof InetSocketAddress remote
                && channel.getLocalAddress() instanceof InetSocketAddress local) {
            return !SocketTable.isAvailable() || SocketTable.isOfThisUser(remote, local);
        }
        throw new EOFException("the connection to " + peer + " is closed");
    }

    @Override
    public int readSome(ByteBuffer target, Deadline deadline) throws IOException {
        if (target.hasRemaining() && !ahead.hasRemaining()) {
            if (target.remaining() >= AHEAD_BYTES) {
                return receive(target, deadline);
            }
            ahead.clear();
            try {
                if (receive(ahead, deadline) < 0) {
                    return -1;
                }
            } finally {
                ahead.flip();
            }
        }
        int count = Math.min(target.remaining(), ahead.remaining());
        target.put(ahead.slice(ahead.position(), count));
        ahead.position(ahead.position() + count);
        return count;
    }

    private int receive(ByteBuffer target, Deadline deadline) throws IOException {
        int count = channel.read(target);
        if (count == 0) {
            count = busyWait.until(() -> channel.read(target));
        }
        while (count == 0) {
            await(SelectionKey.OP_READ, deadline, "reading from ");
            count = channel.read(target);
        }
        return count;
    }

    @Override
    public void write(ByteBuffer source, Deadline deadline) throws IOException {
        while (source.hasRemaining()) {
            if (channel.write(source) == 0) {
                await(SelectionKey.OP_WRITE, deadline, "writing to ");
            }
        }
    }

    @Override
    public void writeFile(FileChannel file, long offset, long length, Deadline deadline) throws IOException {
        if (file.size() < offset + length) {
            throw new EOFException("a file has " + file.size() + " bytes, expected " + (offset + length));
        }
        long sent = 0;
        while (sent < length) {
            long count = file.transferTo(offset + sent, length - sent, channel);
            sent += count;
            if (count == 0) {
                await(SelectionKey.OP_WRITE, deadline, "writing to ");
            }
        }
    }

    @Override
    public boolean isSilent() {
        try {
            return !ahead.hasRemaining() && channel.isOpen() && channel.read(ByteBuffer.allocate(1)) == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            // The socket is what matters.
        } finally {
            closeChannel();
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is of no further use either way.
            return;
        }
    }
}
