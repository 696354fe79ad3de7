package org.heapspan.exchange.client;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.transport.Transport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.FrameSeal;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/** A connection to a server after its handshake. For one thread at a time. */
final class Connection implements Closeable {
    private final FrameLink frames;
    private final Endpoint server;
    private final byte[] serverId;
    private final Handshake.Welcome welcome;
    private final byte[] nonce;
    private boolean broken;
    private boolean lostReply;
    private long replies;
    private long sentNanos = System.nanoTime();

    private Connection(FrameLink frames, Endpoint server, byte[] nonce, byte[] serverId, Handshake.Welcome welcome) {
        this.frames = frames;
        this.server = server;
        this.nonce = nonce;
        this.serverId = serverId;
        this.welcome = welcome;
    }

    /**
     * Connects.
     *
     * @param session token of the session, or zeros for a new one
     * @throws RefusedException if the server refuses, or one of the two does not know the secret of the other
     */
    static Connection open(ClientSettings settings, Endpoint server, byte[] session, Deadline deadline)
            throws IOException, RefusedException {
        Link socket = Transport.of(server).connect(server, deadline);
        ClientTls tls = settings.tls();
        Link link = tls == null ? socket : tls.over(socket, server);
        try {
            return shakeHands(new FrameLink(link), settings, server, session, deadline);
        } catch (EOFException e) {
            link.close();
            throw new IOException(
                    "the server has closed the connection before its greeting; is it a Heapspan exchange?", e);
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    private static Connection shakeHands(
            FrameLink frames, ClientSettings settings, Endpoint server, byte[] session, Deadline deadline)
            throws IOException, RefusedException {
        SharedSecret secret = settings.secret();
        Handshake.Hello hello = new Handshake.Hello(SharedSecret.random(SharedSecret.PROOF_BYTES), session);
        frames.send(hello, deadline);
        Handshake.Challenge challenge = expect(Handshake.Challenge.class, frames.receive(deadline));
        if (challenge.secretNeeded() != (secret != null)) {
            throw new RefusedException(
                    RefusalCode.SECRET,
                    secret == null
                            ? "the server needs a secret; name the file that has it (heapspan.exchange.secret)"
                            : "the server has no secret, but this client expects one: it may be another server");
        }
        byte[] proof = secret == null ? new byte[SharedSecret.PROOF_BYTES] : secret.proofOfClient(hello, challenge);
        frames.send(new Handshake.Proof(proof), deadline);
        Handshake.Welcome welcome = expect(Handshake.Welcome.class, frames.receive(deadline));
        if (secret != null
                && !SharedSecret.areEqual(
                        welcome.proof(),
                        secret.proved(hello, challenge, welcome).proof())) {
            throw new RefusedException(
                    RefusalCode.SECRET, "the server does not know the secret of this client, or has another one");
        }
        frames.establish(secret == null ? null : secret.keyOfFrames(hello, challenge), true);
        return new Connection(frames, server, hello.nonce(), challenge.serverId(), welcome);
    }

    private static <M extends Message> M expect(Class<M> type, Message message) throws IOException, RefusedException {
        if (message instanceof Reply.Refusal refusal) {
            throw new RefusedException(refusal.code(), refusal.reason());
        }
        if (!type.isInstance(message)) {
            throw new MalformedFrameException(
                    "the server sent a " + message.type() + ", expected a " + type.getSimpleName());
        }
        return type.cast(message);
    }

    /** Where it leads. */
    Endpoint server() {
        return server;
    }

    byte[] serverId() {
        return serverId;
    }

    Handshake.Welcome welcome() {
        return welcome;
    }

    /** Sends what has no reply. */
    void send(Request request, Deadline deadline) throws IOException {
        boolean sent = false;
        try {
            sentNanos = System.nanoTime();
            frames.send(request, deadline);
            sent = true;
        } finally {
            broken |= !sent;
        }
    }

    /** Asks, and waits for the answer: as long as the server says that it is at work, the deadline begins anew. */
    <R extends Reply> R call(Request request, Class<R> type, Deadline deadline) throws IOException, RefusedException {
        boolean answered = false;
        lostReply = gives(request);
        try {
            sentNanos = System.nanoTime();
            frames.send(request, deadline);
            Message message = frames.receive(deadline);
            while (message instanceof Reply.Working) {
                message = frames.receive(Deadline.afterMillis(deadline.allowedMillis()));
            }
            R reply = expect(type, message);
            answered = true;
            return reply;
        } catch (RefusedException e) {
            answered = true;
            throw e;
        } finally {
            broken |= !answered;
            lostReply &= !answered;
            replies += answered ? 1 : 0;
        }
    }

    private static boolean gives(Request whole) {
        Request request = whole.change();
        return request instanceof Request.Reserve
                || request instanceof Request.Commit
                || request instanceof Request.Store
                || request instanceof Request.LocateKey
                || request instanceof Request.ReadKey
                || request instanceof Request.LocateAddress;
    }

    /** Whether the server may have given something, and its reply has not come. */
    boolean hasLostReply() {
        return lostReply;
    }

    /** How many replies have come. */
    long replies() {
        return replies;
    }

    /** When something was sent last. */
    long sentNanos() {
        return sentNanos;
    }

    /** What the server knows the connection by. */
    byte[] nonce() {
        return nonce;
    }

    /** For bytes that follow a reply. Whoever does not read all of them must call {@link #abandon}. */
    Link link() {
        return frames.link();
    }

    /** Authenticates these bytes; null without a secret. */
    @Nullable
    FrameSeal seal() {
        return frames.sealOfReceived();
    }

    /** It cannot be used again. */
    void abandon() {
        broken = true;
    }

    /** Whether it has failed, or was abandoned. */
    boolean isBroken() {
        return broken;
    }

    /** Whether it can be used again, as far as is known. Asks the system. */
    boolean isUsable() {
        return !broken && frames.link().isSilent();
    }

    @Override
    public void close() {
        frames.close();
    }
}
