package org.heapspan.benchmarks.transfer;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/**
 * Messages between two processes: a length, what to do with it, a number, and bytes. Bytes go through direct buffers of its own, piece by piece:
 * the JDK's channels copy all that is left of an array for each piece that the system takes, so that long messages would cost the square of their
 * length. Not thread-safe.
 */
final class Connection implements Closeable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int HEADER_BYTES = 12;

    private final ReadableByteChannel in;
    private final WritableByteChannel out;
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(BUFFER_BYTES);

    private int kind;
    private int number;

    private Connection(ReadableByteChannel in, WritableByteChannel out) {
        this.in = in;
        this.out = out;
    }

    /** The receiver's end of a connection over loopback TCP; tells the port before it waits. */
    static Connection accept(PortListener listener) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.accept(((InetSocketAddress) server.getLocalAddress()).getPort());
            SocketChannel channel = server.accept();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new Connection(channel, channel);
        }
    }

    /** Takes a port. */
    interface PortListener {
        void accept(int port) throws IOException;
    }

    /** The sender's end of a connection over loopback TCP. */
    static Connection connect(int port) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return new Connection(channel, channel);
    }

    /** The receiver's end over two named pipes, in the order in which the sender opens them. */
    static Connection ofPipesAsReceiver(Path toReceiver, Path toSender) throws IOException {
        ReadableByteChannel from = new FileInputStream(toReceiver.toFile()).getChannel();
        return new Connection(from, new FileOutputStream(toSender.toFile()).getChannel());
    }

    /** The sender's end over two named pipes. */
    static Connection ofPipesAsSender(Path toReceiver, Path toSender) throws IOException {
        WritableByteChannel to = new FileOutputStream(toReceiver.toFile()).getChannel();
        return new Connection(new FileInputStream(toSender.toFile()).getChannel(), to);
    }

    /** Sends a message; the position of its bytes is moved to their end. */
    void send(int newKind, int newNumber, ByteBuffer bytes) throws IOException {
        outgoing.clear();
        outgoing.putInt(bytes.remaining()).putInt(newKind).putInt(newNumber);
        while (bytes.hasRemaining()) {
            int length = Math.min(bytes.remaining(), outgoing.remaining());
            outgoing.put(outgoing.position(), bytes, bytes.position(), length);
            outgoing.position(outgoing.position() + length);
            bytes.position(bytes.position() + length);
            if (!outgoing.hasRemaining()) {
                drain();
            }
        }
        drain();
    }

    private void drain() throws IOException {
        outgoing.flip();
        while (outgoing.hasRemaining()) {
            out.write(outgoing);
        }
        outgoing.clear();
    }

    /** Waits for a message; null at the end of the connection. */
    byte[] receive() throws IOException {
        if (!fill(HEADER_BYTES)) {
            return null;
        }
        byte[] bytes = new byte[incoming.getInt()];
        kind = incoming.getInt();
        number = incoming.getInt();
        int count = 0;
        while (count < bytes.length) {
            if (!fill(1)) {
                throw new EOFException("the sender ended within a message");
            }
            int length = Math.min(incoming.remaining(), bytes.length - count);
            incoming.get(bytes, count, length);
            count += length;
        }
        return bytes;
    }

    /** What the message that was received last is for. */
    int kind() {
        return kind;
    }

    /** The number that came with the message that was received last. */
    int number() {
        return number;
    }

    /** Waits until so many bytes are there; false at the end of the connection. */
    private boolean fill(int sizeBytes) throws IOException {
        if (incoming.remaining() >= sizeBytes) {
            return true;
        }
        incoming.compact();
        while (incoming.position() < sizeBytes) {
            if (in.read(incoming) < 0) {
                if (incoming.position() > 0) {
                    throw new EOFException("the connection ended within a message");
                }
                incoming.flip();
                return false;
            }
        }
        incoming.flip();
        return true;
    }

    /** Answers a message with a number. */
    void answer(long answer) throws IOException {
        outgoing.clear();
        outgoing.putLong(answer);
        drain();
    }

    /** Waits for the number that answers a message. */
    long awaitAnswer() throws IOException {
        if (!fill(Long.BYTES)) {
            throw new EOFException("the receiver has ended");
        }
        return incoming.getLong();
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
