package org.heapspan.exchange.server;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Metadata;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.peers.Replica;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.FrameSeal;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/** One connection of a client: the handshake, then a reply to each request. */
final class ServerConnection implements Closeable {
    /** Who is not known yet must not keep the places of others for long. */
    private static final long MOST_GREETING_MILLIS = 10_000;

    private static final int PIECE_BYTES = 1 << 20;
    private static final int MOST_REASON_CHARACTERS = 1_000;

    private static final long WORKING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long TELL_MILLIS = 100;

    private final Server server;
    private final Run run;
    private final Metadata metadata;
    private final Space space;
    private final Keeper keeper;
    private final FrameLink frames;
    private final AtomicBoolean greeting = new AtomicBoolean(true);
    private @Nullable Upload upload;

    /** Whoever sends holds it while a request is answered. */
    private final Object answering = new Object();

    private byte[] nonce = {};
    private long replies;

    /** Whether the last reply gave something, which its client does not know of if it is lost. */
    private boolean gave;

    private volatile boolean ofPeer;
    private boolean isAnswering;
    private long beganNanos;

    ServerConnection(Server server, Run run, FrameLink frames) {
        this.server = server;
        this.run = run;
        this.frames = frames;
        metadata = run.metadata();
        space = run.space();
        keeper = run.keeper();
    }

    /** Serves until the client has closed the connection, is silent for too long, or sends what is no message. */
    void run() {
        Session session = null;
        try {
            session = shakeHands();
            endGreeting();
            serve(session);
        } catch (MalformedFrameException e) {
            refuse(new RefusedException(RefusalCode.PROTOCOL, String.valueOf(e.getMessage())));
        } catch (RefusedException e) {
            refuse(e);
        } catch (IOException e) {
            // The client has gone, or does not read or write any more.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (session != null) {
                metadata.leave(session);
            }
        }
    }

    /** Other connections may begin their handshake instead. */
    void endGreeting() {
        if (greeting.compareAndSet(true, false)) {
            server.greetingEnded();
        }
    }

    private Deadline timeout() {
        return Deadline.after(server.settings().timeout());
    }

    private Session shakeHands() throws IOException, RefusedException {
        Deadline deadline = Deadline.afterMillis(
                Math.min(MOST_GREETING_MILLIS, server.settings().timeout().toMillis()));
        if (!(frames.receive(deadline) instanceof Handshake.Hello hello)) {
            throw new MalformedFrameException("the first message is no greeting");
        }
        if (server.settings().ownUserOnly() && !frames.link().isOfThisUser()) {
            throw new RefusedException(
                    RefusalCode.SECRET,
                    "the server has no secret, so it serves processes of its own user only; start it with a secret"
                            + " (--secret-file), or allow anyone (--allow-anyone)");
        }
        SharedSecret secret = server.settings().secret();
        Handshake.Challenge challenge = new Handshake.Challenge(
                keeper.serverId(), SharedSecret.random(SharedSecret.PROOF_BYTES), secret != null);
        frames.send(challenge, deadline);
        if (!(frames.receive(deadline) instanceof Handshake.Proof proof)) {
            throw new MalformedFrameException("the second message is no proof");
        }
        if (secret != null && !SharedSecret.areEqual(proof.proof(), secret.proofOfClient(hello, challenge))) {
            throw new RefusedException(
                    RefusalCode.SECRET, "the client does not know the secret of this server, or has another one");
        }
        Session session = metadata.join(hello.session());
        if (session == null) {
            session = metadata.open(frames.link().peer());
        }
        try {
            Handshake.Welcome welcome = new Handshake.Welcome(
                    new byte[SharedSecret.PROOF_BYTES],
                    session.token(),
                    keeper.folder().toString(),
                    keeper.chunkBytes(),
                    server.settings().lease().toMillis());
            frames.send(secret == null ? welcome : secret.proved(hello, challenge, welcome), deadline);
        } catch (IOException | RuntimeException | Error e) {
            metadata.leave(session);
            throw e;
        }
        nonce = hello.nonce();
        frames.establish(secret == null ? null : secret.keyOfFrames(hello, challenge), false);
        return session;
    }

    private void serve(Session session) throws IOException, InterruptedException, RefusedException {
        while (true) {
            Message message = frames.receiveNext(
                    Deadline.after(server.settings().lease()), server.settings().timeout());
            if (message == null) {
                return;
            }
            if (!(message instanceof Request request)) {
                throw new MalformedFrameException("a client sent a " + message.type() + ", which only a server sends");
            }
            Traffic traffic = server.traffic();
            if (request instanceof Request.Data data) {
                traffic.carried(data.bytes().remaining());
                receive(session, data);
                continue;
            }
            traffic.request();
            replies++;
            if (gave) {
                run.unconfirmed().confirm(session, nonce);
                gave = false;
            }
            try {
                if (request instanceof Request.Fetch fetch) {
                    send(space.leased(session, fetch.address()));
                } else if (request instanceof Request.FetchCopy fetch) {
                    sendCopy(session, fetch.address());
                } else {
                    Reply reply = reply(session, request);
                    give(session, request, reply);
                    frames.send(reply, timeout());
                }
            } catch (RefusedException e) {
                traffic.refusal();
                frames.send(refusal(e), timeout());
            }
            if (request instanceof Request.Goodbye || session.hasEnded()) {
                // With its next connection the client hears that it has another session.
                return;
            }
        }
    }

    private Reply reply(Session session, Request request) throws RefusedException, InterruptedException {
        Request change = request.change();
        if (change instanceof Request.Commit commit) {
            return commit(session, commit, request);
        } else if (change instanceof Request.Store store) {
            return store(session, store, request);
        } else if (change instanceof Request.Release release) {
            if (!(request instanceof Request.Numbered numbered)
                    || session.isNewRelease(numbered.number().getLeastSignificantBits())) {
                return answer(session, release);
            }
        } else if (request instanceof Request.AskPeer ask) {
            ofPeer = true;
            return new Reply.PeerAnswer(replica().answer(ask.message()));
        } else if (request instanceof Request.AskStatus) {
            return server.status();
        } else if (request instanceof Request.AskOrigin) {
            return new Reply.Origin(server.hasJoinedSeveral());
        } else if (request instanceof Request.Abandon abandon) {
            long address = run.unconfirmed().abandon(session, abandon.nonce(), abandon.replies());
            if (address != 0) {
                takeBack(session, address);
            }
        } else if (request instanceof Request.Goodbye) {
            metadata.end(session);
        } else if (!(request instanceof Request.Ping)) {
            return answer(session, request);
        }
        return new Reply.Done();
    }

    private Replica replica() throws RefusedException {
        Replica replica = server.replica();
        if (replica == null) {
            throw new RefusedException(RefusalCode.PROTOCOL, "this server does not replicate its keys");
        }
        return replica;
    }

    /** Takes down what a reply gives, in case that it is lost. */
    private void give(Session session, Request request, Reply reply) throws RefusedException, InterruptedException {
        long address = given(request, reply);
        if (address != 0) {
            gave = true;
            if (!run.unconfirmed().given(session, nonce, replies, address)) {
                takeBack(session, address);
                throw new RefusedException(RefusalCode.GROUP_GONE, "the client has abandoned this connection");
            }
        }
    }

    /** The address of a lease or of reserved space, or 0. */
    private static long given(Request whole, Reply reply) {
        Request request = whole.change();
        if (reply instanceof Reply.Reserved reserved) {
            return reserved.address();
        } else if (reply instanceof Reply.Located located) {
            return located.group().address();
        } else if (reply instanceof Reply.Stored stored && request instanceof Request.Store store) {
            return store.key().isEmpty() && !store.handOver() ? stored.address() : 0;
        } else if (request instanceof Request.Commit commit) {
            return commit.key().isEmpty() && !commit.handOver() ? commit.address() : 0;
        }
        return 0;
    }

    private void takeBack(Session session, long address) throws RefusedException, InterruptedException {
        space.answer(session, new Request.Release(new long[] {address}));
    }

    /** What may take its time, because another server is asked. */
    private Reply answer(Session session, Request request) throws RefusedException, InterruptedException {
        synchronized (answering) {
            beganNanos = System.nanoTime();
            isAnswering = true;
        }
        try {
            return space.answer(session, request);
        } finally {
            synchronized (answering) {
                isAnswering = false;
            }
        }
    }

    /** Tells a client that waits for a while that its request is being dealt with. Called by another thread, now and then. */
    void tellIfBusy() {
        synchronized (answering) {
            if (isAnswering && System.nanoTime() - beganNanos > WORKING_NANOS) {
                try {
                    frames.send(new Reply.Working(), Deadline.afterMillis(TELL_MILLIS));
                } catch (IOException e) {
                    // The reply would not arrive either.
                    frames.close();
                }
            }
        }
    }

    private Reply store(Session session, Request.Store store, Request request)
            throws RefusedException, InterruptedException {
        int sizeBytes = store.bytes().remaining();
        if (sizeBytes > Request.Store.MOST_BYTES) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    sizeBytes + " bytes came in one message, of which the most is " + Request.Store.MOST_BYTES);
        }
        Reply stored = answer(session, request);
        server.traffic().carried(sizeBytes);
        server.traffic().written(sizeBytes);
        return stored;
    }

    private void receive(Session session, Request.Data data) {
        Upload current = upload;
        if (current == null || !current.isOf(data.address())) {
            current = new Upload(data.address());
            upload = current;
        }
        try {
            // With each piece: the space may have been given back over another connection.
            current.receive(data, space.beginUpload(session, data.address()), keeper);
        } catch (RefusedException e) {
            current.fail(e);
        }
    }

    private Reply commit(Session session, Request.Commit commit, Request request)
            throws RefusedException, InterruptedException {
        Upload finished = upload;
        // Raw bytes can do what code can do: only who may write to the files, and knows the secret, has them stored.
        if (commit.raw() && (!commit.direct() || server.settings().secret() == null)) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    "raw images are taken only from clients on the host of the server, and only with a secret");
        }
        if (!commit.direct()) {
            if (finished == null || !finished.isOf(commit.address())) {
                throw new RefusedException(RefusalCode.PROTOCOL, "no bytes have come of the group");
            }
            finished.check(commit);
            upload = null;
        }
        Reply committed = answer(session, request);
        server.traffic().written(commit.sizeBytes());
        return committed;
    }

    private void sendCopy(Session session, long address) throws IOException, RefusedException {
        GroupDescription group = space.use(session, address);
        try {
            send(group);
        } finally {
            space.endUse(session, address);
        }
    }

    /** A failure ends the connection: the client counts the bytes. */
    private void send(GroupDescription group) throws IOException {
        server.traffic().carried(group.sizeBytes());
        frames.send(new Reply.Payload(group.sizeBytes()), timeout());
        FrameSeal seal = frames.sealOfSent();
        if (seal == null) {
            // From the files to the connection, without a copy in this process.
            keeper.forEachPiece(group.address(), group.sizeBytes(), (file, offset, length) -> {
                for (long sent = 0; sent < length; sent += PIECE_BYTES) {
                    frames.link().writeFile(file, offset + sent, Math.min(PIECE_BYTES, length - sent), timeout());
                }
            });
            return;
        }
        ByteBuffer sealed = ByteBuffer.allocate(FrameSeal.PIECE_BYTES + FrameSeal.TAG_BYTES);
        keeper.forEachPiece(
                group.address(),
                group.sizeBytes(),
                (file, offset, length) -> sendSealed(seal, sealed, file, offset, length));
        if (sealed.position() > 0) {
            sendSealed(seal, sealed);
        }
    }

    /** The files of chunks end anywhere in a piece. */
    private void sendSealed(FrameSeal seal, ByteBuffer piece, FileChannel file, long offset, long length)
            throws IOException {
        long read = 0;
        while (read < length) {
            int begin = piece.position();
            piece.limit((int) Math.min(FrameSeal.PIECE_BYTES, begin + length - read));
            if (file.read(piece, offset + read) <= 0) {
                throw new EOFException("a chunk ends before its group");
            }
            read += piece.position() - begin;
            if (piece.position() == FrameSeal.PIECE_BYTES) {
                sendSealed(seal, piece);
            }
        }
    }

    private void sendSealed(FrameSeal seal, ByteBuffer piece) throws IOException {
        byte[] tag = seal.nextPiece(piece.flip());
        int length = piece.limit();
        frames.link().write(piece.limit(length + tag.length).put(length, tag), timeout());
        piece.clear();
    }

    private static Reply.Refusal refusal(RefusedException e) {
        String reason = String.valueOf(e.getMessage());
        return new Reply.Refusal(
                e.code(),
                reason.length() <= MOST_REASON_CHARACTERS ? reason : reason.substring(0, MOST_REASON_CHARACTERS));
    }

    /** The last message of the connection. */
    private void refuse(RefusedException reason) {
        try {
            frames.send(refusal(reason), timeout());
        } catch (IOException e) {
            // It meets a closed connection then.
            return;
        }
    }

    /** Whether another server asks here, which goes on when this one leads, or does not any more. */
    boolean isOfPeer() {
        return ofPeer;
    }

    /** Whether it belongs to this run. */
    boolean isOf(Run other) {
        return run == other;
    }

    @Override
    public void close() {
        frames.close();
    }
}
