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
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** Messages between two processes: a length, what to do with it, and bytes. */
final class Connection implements Closeable {
    private static final int HEADER_BYTES = 8;

    private final ReadableByteChannel in;
    private final WritableByteChannel out;
    private final ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);

    /** What the message that was read last is for. */
    private int kind;

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
        ReadableByteChannel from = Channels.newChannel(new FileInputStream(toReceiver.toFile()));
        return new Connection(from, new FileOutputStream(toSender.toFile()).getChannel());
    }

    /** The sender's end over two named pipes. */
    static Connection ofPipesAsSender(Path toReceiver, Path toSender) throws IOException {
        WritableByteChannel to = new FileOutputStream(toReceiver.toFile()).getChannel();
        return new Connection(new FileInputStream(toSender.toFile()).getChannel(), to);
    }

    /** Sends a message. */
    void send(int newKind, ByteBuffer bytes) throws IOException {
        header.clear();
        header.putInt(bytes.remaining()).putInt(newKind).flip();
        write(header);
        write(bytes);
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /** Waits for a message; null at the end of the connection. */
    byte[] receive() throws IOException {
        header.clear();
        if (!read(header)) {
            return null;
        }
        header.flip();
        byte[] bytes = new byte[header.getInt()];
        kind = header.getInt();
        if (!read(ByteBuffer.wrap(bytes))) {
            throw new EOFException("the sender ended within a message");
        }
        return bytes;
    }

    int kind() {
        return kind;
    }

    private boolean read(ByteBuffer target) throws IOException {
        int before = target.remaining();
        while (target.hasRemaining()) {
            if (in.read(target) < 0) {
                if (target.remaining() == before) {
                    return false;
                }
                throw new EOFException("the connection ended within a message");
            }
        }
        return true;
    }

    /** Answers a message with a number. */
    void answer(long number) throws IOException {
        answer.clear();
        answer.putLong(number).flip();
        write(answer);
    }

    /** Waits for the number that answers a message. */
    long awaitAnswer() throws IOException {
        answer.clear();
        if (!read(answer)) {
            throw new EOFException("the receiver has ended");
        }
        return answer.flip().getLong();
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
