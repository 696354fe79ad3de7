package org.heapspan.exchange.wire;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.zip.CRC32C;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives messages in frames:
 *
 * <pre>
 *  0  2  0x4858, "HX"
 *  2  1  version of the protocol
 *  3  1  type of the message
 *  4  4  length of the body
 *  8  4  CRC32C of bytes 0 to 7 and of the body
 * 12  n  body
 *     16  with a secret and after the handshake: HMAC-SHA256 of direction, number of the frame, header and body, the first 16 bytes
 * </pre>
 *
 * For one thread at a time, except {@link #close}.
 */
public final class FrameLink implements Closeable {
    /** The version of the protocol. */
    public static final int VERSION = 2;

    /** The most bytes of a group in one frame. */
    public static final int MOST_DATA_BYTES = 256 << 10;

    /** The longest body. */
    public static final int MOST_BODY_BYTES = MOST_DATA_BYTES + 1024;

    /** The longest body before the other end is known. */
    public static final int MOST_HANDSHAKE_BYTES = 8 << 10;

    static final int HEADER_BYTES = 12;
    static final short MAGIC = 0x4858;

    private static final byte TLS_ALERT = 0x15;
    private static final byte TLS_HANDSHAKE = 0x16;
    private static final int LEAST_RECEIVE_BYTES = 512;

    private final Link link;
    private final BodyWriter writer = new BodyWriter();
    private final ByteBuffer outgoingHeader = ByteBuffer.allocate(HEADER_BYTES);
    private final ByteBuffer incomingHeader = ByteBuffer.allocate(HEADER_BYTES);
    private final CRC32C checksum = new CRC32C();
    private ByteBuffer outgoing = ByteBuffer.allocate(LEAST_RECEIVE_BYTES);
    private ByteBuffer incoming = ByteBuffer.allocate(LEAST_RECEIVE_BYTES);
    private int mostBodyBytes = MOST_HANDSHAKE_BYTES;
    private @Nullable FrameSeal outgoingSeal;
    private @Nullable FrameSeal incomingSeal;

    /** Begins as a connection whose other end is not known yet. */
    public FrameLink(Link link) {
        this.link = link;
    }

    /** The connection below, for bytes that are no frames. */
    public Link link() {
        return link;
    }

    /**
     * The other end is known: longer frames are allowed from now on.
     *
     * @param key of all frames, or null if there is no secret
     * @param client whether this end is the client
     */
    public void establish(byte @Nullable [] key, boolean client) {
        mostBodyBytes = MOST_BODY_BYTES;
        if (key != null) {
            outgoingSeal = new FrameSeal(key, client);
            incomingSeal = new FrameSeal(key, !client);
        }
    }

    /** Sends a message. */
    public void send(Message message, Deadline deadline) throws IOException {
        writer.clear();
        message.write(writer);
        ByteBuffer body = writer.written();
        if (body.remaining() > mostBodyBytes) {
            throw new IllegalArgumentException("a message of " + body.remaining() + " bytes, at most " + mostBodyBytes);
        }
        outgoingHeader.clear();
        outgoingHeader
                .putShort(MAGIC)
                .put((byte) VERSION)
                .put(message.type().number())
                .putInt(body.remaining());
        outgoingHeader.putInt(checksum(outgoingHeader, body)).flip();
        int whole = HEADER_BYTES + body.remaining() + FrameSeal.TAG_BYTES;
        if (outgoing.capacity() < whole) {
            outgoing = ByteBuffer.allocate(whole);
        }
        outgoing.clear().put(outgoingHeader.duplicate()).put(body.duplicate());
        if (outgoingSeal != null) {
            outgoing.put(outgoingSeal.next(outgoingHeader, body));
        }
        link.write(outgoing.flip(), deadline);
    }

    /** Authenticates bytes that are sent now and are no frames; null without a secret. Tags must be between them. */
    public @Nullable FrameSeal sealOfSent() {
        return outgoingSeal;
    }

    /** The same for bytes that are received. */
    public @Nullable FrameSeal sealOfReceived() {
        return incomingSeal;
    }

    private int checksum(ByteBuffer header, ByteBuffer body) {
        checksum.reset();
        checksum.update(header.slice(0, Long.BYTES));
        checksum.update(body.duplicate());
        return (int) checksum.getValue();
    }

    /**
     * Receives a message. Buffers in it are valid until the next one.
     *
     * @throws EOFException if the other end has closed the connection
     * @throws MalformedFrameException if it sends something else
     */
    public Message receive(Deadline deadline) throws IOException {
        incomingHeader.clear();
        try {
            link.read(incomingHeader, deadline);
        } catch (EOFException e) {
            // A few bytes may say why nothing follows.
            if (incomingHeader.flip().remaining() >= Short.BYTES) {
                checkMagic();
            }
            throw e;
        }
        return receiveRest(deadline);
    }

    /**
     * Waits for a message that may come later or never.
     *
     * @param silence how long nothing may come
     * @param frame how long the frame may take once it has begun
     * @return the message, or null if the other end has closed the connection
     */
    public @Nullable Message receiveNext(Deadline silence, Duration frame) throws IOException {
        incomingHeader.clear();
        if (link.readSome(incomingHeader, silence) < 0) {
            return null;
        }
        Deadline deadline = Deadline.after(frame);
        link.read(incomingHeader, deadline);
        return receiveRest(deadline);
    }

    private Message receiveRest(Deadline deadline) throws IOException {
        incomingHeader.flip();
        checkMagic();
        byte version = incomingHeader.get();
        byte type = incomingHeader.get();
        int length = incomingHeader.getInt();
        int expected = incomingHeader.getInt();
        if (version != VERSION) {
            throw new MalformedFrameException(
                    link.peer() + " speaks version " + version + " of the protocol, expected " + VERSION);
        }
        if (length < 0 || length > mostBodyBytes) {
            throw new MalformedFrameException(
                    "a frame announces " + length + " bytes, expected at most " + mostBodyBytes);
        }
        MessageType known = MessageType.of(type);
        int tagBytes = incomingSeal == null ? 0 : FrameSeal.TAG_BYTES;
        if (incoming.capacity() < length + tagBytes) {
            incoming = ByteBuffer.allocate(length + tagBytes);
        }
        incoming.clear().limit(length + tagBytes);
        link.read(incoming, deadline);
        ByteBuffer body = incoming.slice(0, length);
        if (checksum(incomingHeader, body) != expected) {
            throw new MalformedFrameException("a frame is damaged: its checksum does not fit its bytes");
        }
        if (incomingSeal != null) {
            byte[] tag = new byte[tagBytes];
            incoming.get(length, tag);
            if (!SharedSecret.areEqual(tag, incomingSeal.next(incomingHeader.rewind(), body))) {
                throw new MalformedFrameException("a frame was changed on its way: its authentication fails");
            }
        }
        return known.read(new BodyReader(body));
    }

    private void checkMagic() throws MalformedFrameException {
        short magic = incomingHeader.getShort();
        if (magic == MAGIC) {
            return;
        }
        byte first = (byte) (magic >> Byte.SIZE);
        if (first == TLS_ALERT || first == TLS_HANDSHAKE) {
            throw new MalformedFrameException(link.peer()
                    + " speaks TLS, expected the plain exchange protocol: both ends must use TLS, or none of them");
        }
        throw new MalformedFrameException(link.peer() + " does not speak the exchange protocol: its bytes begin with "
                + String.format("%04x", magic) + ", expected " + String.format("%04x", MAGIC));
    }

    @Override
    public void close() {
        link.close();
    }
}
