package org.heapspan.exchange.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A connection within TLS 1.3. Its first read or write shakes hands, within its deadline.
 *
 * <p>The end of the connection is not authenticated: it ends without the message of TLS for it. The messages above have lengths, so a part of one is
 * never taken for a whole.
 */
final class TlsLink implements Link {
    /** Clients are of this library, so older versions, which need more care, are not spoken. */
    static final String PROTOCOL = "TLSv1.3";

    /** So many records are written and read at once, as far as there are any. */
    private static final int RECORDS = 4;

    private static final int FIRST_RECORD_TYPE = 20;
    private static final int LAST_RECORD_TYPE = 23;
    private static final long ALERT_MILLIS = 100;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Link link;
    private final SSLEngine engine;

    /** Encrypted bytes that have come, to be read. */
    private final ByteBuffer incoming;

    /** Encrypted bytes that are to be sent, to be written. */
    private final ByteBuffer outgoing;

    /** What was decrypted and nobody has read yet, to be read. */
    private final ByteBuffer decrypted;

    private boolean established;

    TlsLink(Link link, SSLEngine engine) {
        this.link = link;
        this.engine = engine;
        engine.setEnabledProtocols(new String[] {PROTOCOL});
        incoming = ByteBuffer.allocate(RECORDS * engine.getSession().getPacketBufferSize())
                .flip();
        outgoing = ByteBuffer.allocate(RECORDS * engine.getSession().getPacketBufferSize());
        decrypted = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .flip();
    }

    @Override
    public String peer() {
        return link.peer();
    }

    @Override
    public boolean isOfThisUser() throws IOException {
        return link.isOfThisUser();
    }

    private void shakeHands(Deadline deadline) throws IOException {
        if (established) {
            return;
        }
        try {
            engine.beginHandshake();
            reply(deadline);
            while (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
                decrypted.compact();
                try {
                    if (!decryptNext(decrypted, deadline)) {
                        throw new EOFException(
                                "it has closed the connection; perhaps it does not speak TLS, or has as many connections as"
                                        + " it allows");
                    }
                } finally {
                    decrypted.flip();
                }
            }
            established = true;
        } catch (SocketTimeoutException | AsynchronousCloseException e) {
            throw e;
        } catch (IOException e) {
            sayWhy();
            throw new SSLException("no TLS with " + peer() + ": " + (e.getMessage() == null ? e : e.getMessage()), e);
        }
    }

    /** Tells the other end that this one does not go on. */
    private void sayWhy() {
        try {
            engine.closeOutbound();
            while (!engine.isOutboundDone() && engine.wrap(NOTHING, outgoing).bytesProduced() > 0) {}
            send(Deadline.afterMillis(ALERT_MILLIS));
        } catch (IOException e) {
            // It meets a closed connection then.
            return;
        }
    }

    /** Does what TLS needs before more can come. */
    private void reply(Deadline deadline) throws IOException {
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                    task.run();
                }
            } else if (status == HandshakeStatus.NEED_WRAP) {
                encrypt(NOTHING, deadline);
                send(deadline);
            } else {
                return;
            }
        }
    }

    // Reading

    /**
     * Decrypts the next record, or waits for more of it.
     *
     * @return false if the other end has closed the connection
     */
    private boolean decryptNext(ByteBuffer target, Deadline deadline) throws IOException {
        SSLEngineResult result = engine.unwrap(incoming, target);
        switch (result.getStatus()) {
            case OK -> {
                if (result.bytesProduced() == 0 && deadline.hasPassed()) {
                    // The other end may send records without content for ever, so that nothing below has to wait.
                    throw deadline.passed("reading from " + peer());
                }
                reply(deadline);
                return true;
            }
            case BUFFER_UNDERFLOW -> {
                return receive(deadline);
            }
            case CLOSED -> {
                return false;
            }
            default -> throw new SSLException("a record of " + peer() + " is longer than TLS allows");
        }
    }

    private boolean receive(Deadline deadline) throws IOException {
        incoming.compact();
        try {
            if (link.readSome(incoming, deadline) < 0) {
                return false;
            }
        } finally {
            incoming.flip();
        }
        int type = incoming.get(incoming.position());
        if (!established && (type < FIRST_RECORD_TYPE || type > LAST_RECORD_TYPE)) {
            throw new SSLException("it does not speak TLS: its bytes begin with " + String.format("%02x", type));
        }
        return true;
    }

    @Override
    public int readSome(ByteBuffer target, Deadline deadline) throws IOException {
        shakeHands(deadline);
        int before = target.position();
        while (target.hasRemaining() && target.position() == before) {
            if (decrypted.hasRemaining()) {
                int length = Math.min(decrypted.remaining(), target.remaining());
                target.put(decrypted.slice(decrypted.position(), length));
                decrypted.position(decrypted.position() + length);
            } else if (target.remaining() >= decrypted.capacity()) {
                if (!decryptNext(target, deadline)) {
                    return -1;
                }
            } else {
                decrypted.clear();
                try {
                    if (!decryptNext(decrypted, deadline)) {
                        return -1;
                    }
                } finally {
                    decrypted.flip();
                }
            }
        }
        return target.position() - before;
    }

    @Override
    public boolean isSilent() {
        return !decrypted.hasRemaining() && !incoming.hasRemaining() && link.isSilent();
    }

    // Writing

    /** Encrypts a record, or what TLS itself has to say. */
    private void encrypt(ByteBuffer source, Deadline deadline) throws IOException {
        SSLEngineResult result = engine.wrap(source, outgoing);
        switch (result.getStatus()) {
            case OK -> {
                if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                    throw new SSLException("TLS with " + peer() + " does not go on: " + result);
                }
            }
            case BUFFER_OVERFLOW -> send(deadline);
            default -> throw new SSLException("TLS with " + peer() + " has ended");
        }
    }

    private void send(Deadline deadline) throws IOException {
        outgoing.flip();
        try {
            link.write(outgoing, deadline);
        } finally {
            outgoing.compact();
        }
    }

    @Override
    public void write(ByteBuffer source, Deadline deadline) throws IOException {
        shakeHands(deadline);
        while (source.hasRemaining()) {
            encrypt(source, deadline);
        }
        send(deadline);
    }

    @Override
    public void close() {
        link.close();
    }
}
