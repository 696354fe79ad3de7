package org.heapspan.exchange.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client, and the session that they belong to. They are opened when they are needed, kept for the next use, and opened again when
 * the server was restarted. Thread-safe.
 */
final class Connections {
    private static final int TOKEN_BYTES = 16;
    private static final long PAUSE_MILLIS = 50;

    private final ClientSettings settings;
    private final LostReplies lostReplies;
    private final Servers servers;
    private final long clientNumber =
            ByteBuffer.wrap(SharedSecret.random(Long.BYTES)).getLong();
    private final AtomicLong changes = new AtomicLong();
    private final Semaphore permits;
    private final Deque<Connection> idle = new ArrayDeque<>();

    /** Whether calls are repeated while another one of several servers begins to lead: the keys are theirs. */
    private volatile boolean repeats;

    private @Nullable ServerSession session;
    private boolean lost;
    private boolean closed;

    /** What is asked of the server. */
    interface Attempt<T> {
        T make() throws IOException, RefusedException;
    }

    /** Hears of replies that have not come. */
    interface LostReplies {
        /** A reply may have given something in a session; over the connection with this nonce, so many had come before. */
        void lost(ServerSession session, byte[] nonce, long replies);
    }

    /** Opens none yet. */
    Connections(ClientSettings settings, LostReplies lostReplies) {
        this.settings = settings;
        this.lostReplies = lostReplies;
        servers = new Servers(settings.servers());
        permits = new Semaphore(settings.mostConnections(), true);
        repeats = servers.areSeveral();
    }

    /** Opens the first one. */
    void connect() throws IOException, RefusedException {
        if (repeats) {
            call(new Request.Ping(), Reply.Done.class, timeout());
        } else {
            repeats =
                    call(new Request.AskOrigin(), Reply.Origin.class, timeout()).several();
        }
    }

    /** How long a call may take. */
    Deadline timeout() {
        return Deadline.after(settings.timeout());
    }

    /** How long a server may be silent. */
    Duration patience() {
        return settings.patience(repeats);
    }

    /** Where the server is, or the servers are, for people. */
    String server() {
        return servers.toString();
    }

    /** Whether calls are repeated: one of several servers is asked, or a keeper that has joined them. */
    boolean repeats() {
        return repeats;
    }

    /** Whether the server has forgotten the only session of this client. */
    boolean isLost() {
        synchronized (idle) {
            return lost;
        }
    }

    /** The session now. */
    ServerSession known() throws RefusedException {
        ServerSession current = session();
        if (current == null) {
            throw anotherSession();
        }
        return current;
    }

    @Nullable
    ServerSession session() {
        synchronized (idle) {
            return session;
        }
    }

    /** What is done with a connection, in the session that it belongs to. */
    interface Use<T> {
        T with(Connection connection, ServerSession session) throws IOException, RefusedException;
    }

    /** Lends a connection. */
    <T> T use(Deadline deadline, Use<T> use) throws IOException, RefusedException {
        acquire(deadline);
        Connection connection = null;
        try {
            connection = take(deadline);
            ServerSession current = sessionOf(connection);
            long sentNanos = System.nanoTime();
            T result = use.with(connection, current);
            current.contacted(sentNanos);
            return result;
        } finally {
            if (connection != null) {
                ServerSession present = session();
                if (connection.hasLostReply() && present != null) {
                    lostReplies.lost(present, connection.nonce(), connection.replies());
                }
                giveBack(connection);
            }
            permits.release();
        }
    }

    private void acquire(Deadline deadline) throws IOException {
        try {
            if (!permits.tryAcquire(deadline.remainingMillis(), TimeUnit.MILLISECONDS)) {
                throw new ConnectionsInUseException(settings.mostConnections(), deadline.allowedMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for a connection was interrupted");
        }
    }

    private Connection take(Deadline deadline) throws IOException, RefusedException {
        while (true) {
            Connection connection;
            ServerSession present;
            synchronized (idle) {
                if (closed) {
                    throw heapClosed();
                }
                if (lost) {
                    throw anotherSession();
                }
                connection = idle.pollFirst();
                present = session;
            }
            if (connection == null) {
                byte[] token = present == null ? new byte[TOKEN_BYTES] : present.token();
                connection = open(token, deadline);
                if (connection.server().equals(servers.current()) && adopt(connection, token)) {
                    return connection;
                }
            } else if (present != null
                    && isOf(present, connection)
                    // The server may be closing one that was silent for longer, and would not get the request.
                    && present.isRecent(connection.sentNanos())
                    && connection.isUsable()
                    && connection.server().equals(servers.current())) {
                return connection;
            }
            connection.close();
        }
    }

    private Connection open(byte[] token, Deadline deadline) throws IOException, RefusedException {
        try {
            return Connection.open(settings, servers.current(), token, deadline);
        } catch (IOException e) {
            ServerSession last = session();
            if (last != null) {
                last.deleteIfServerWasKilled();
            }
            throw e;
        }
    }

    /**
     * Takes over the session of a new connection. A server that was restarted, or has waited too long, begins another session than was asked for.
     *
     * @param asked the token that was asked for
     * @return false if another thread has begun a session meanwhile: one of the two must do
     */
    private boolean adopt(Connection connection, byte[] asked) throws MalformedFrameException, RefusedException {
        synchronized (idle) {
            byte[] given = connection.welcome().session();
            byte[] present = session == null ? new byte[TOKEN_BYTES] : session.token();
            if (Arrays.equals(present, given)) {
                return true;
            }
            if (!Arrays.equals(present, asked)) {
                return false;
            }
            if (session != null && settings.oneSession()) {
                lost = true;
                connection.close();
                throw anotherSession();
            }
            session = new ServerSession(connection.serverId(), connection.welcome(), settings.mapsFiles());
            idle.forEach(Connection::close);
            idle.clear();
            return true;
        }
    }

    private ServerSession sessionOf(Connection connection) throws RefusedException {
        synchronized (idle) {
            if (session == null || !isOf(session, connection)) {
                throw anotherSession();
            }
            return session;
        }
    }

    /** Whether a connection belongs to a session: another one may have begun while it was in use. */
    private static boolean isOf(ServerSession session, Connection connection) {
        return Arrays.equals(session.token(), connection.welcome().session());
    }

    static RefusedException heapClosed() {
        return new RefusedException(RefusalCode.CLOSING, "the heap has been closed");
    }

    static RefusedException anotherSession() {
        return new RefusedException(
                RefusalCode.GROUP_GONE,
                "the server was restarted, or this client was silent for too long: what it had leased is gone");
    }

    private void giveBack(Connection connection) {
        synchronized (idle) {
            if (!closed && !connection.isBroken() && connection.server().equals(servers.current())) {
                idle.addFirst(connection);
                return;
            }
        }
        connection.close();
    }

    /** Asks the server. */
    <R extends Reply> R call(Request request, Class<R> type, Deadline deadline) throws IOException, RefusedException {
        Request whole = request instanceof Request.Remove ? numbered(request, numberOfChange()) : request;
        return repeat(deadline, each -> use(each, (connection, current) -> connection.call(whole, type, each)));
    }

    /** Tells the server something that is true in one session only. */
    void call(ServerSession wanted, Request request, Deadline deadline) throws IOException, RefusedException {
        use(deadline, (connection, current) -> {
            if (current != wanted) {
                throw anotherSession();
            }
            return connection.call(request, Reply.Done.class, deadline);
        });
    }

    /** How long a call may take. */
    long timeoutMillis() {
        return settings.timeout().toMillis();
    }

    /** What is asked again of another server. */
    interface Repeatable<T> {
        T make(Deadline deadline) throws IOException, RefusedException;
    }

    /** Asks one of several servers after the other, or a keeper of them, until one of them leads. Whatever is repeated counts once. */
    <T> T repeat(Deadline deadline, Repeatable<T> attempt) throws IOException, RefusedException {
        if (!repeats) {
            return attempt.make(deadline);
        }
        while (true) {
            Endpoint asked = servers.current();
            ServerSession before = session();
            try {
                // The leader says that it is at work. Who is silent for longer may have lost the lead.
                return attempt.make(
                        Deadline.afterMillis(Math.min(ClientSettings.SILENCE.toMillis(), deadline.remainingMillis())));
            } catch (RefusedException e) {
                boolean other = e.code() == RefusalCode.NOT_LEADER || e.code() == RefusalCode.CLOSING;
                boolean another = e.code() == RefusalCode.GROUP_GONE && session() != before;
                if (isClosed() || isEnding(deadline) || !other && !another) {
                    throw e;
                }
                if (other) {
                    servers.leave(asked, String.valueOf(e.getMessage()));
                }
            } catch (ConnectionsInUseException e) {
                // That says nothing of the server.
                if (isClosed() || isEnding(deadline)) {
                    throw e;
                }
            } catch (IOException e) {
                // An interrupt says nothing of the server either, and other threads go on with it.
                if (Thread.currentThread().isInterrupted() || isClosed() || isEnding(deadline) || isLasting(e)) {
                    throw e;
                }
                servers.leave(asked, "");
            }
            pause(PAUSE_MILLIS);
        }
    }

    /**
     * Whether a transfer was cut or damaged, so that another copy may help. A server that was silent has used up the time. Of several servers, the next
     * one is asked if one cannot be reached.
     */
    boolean isOfTransfer(Exception failure) {
        if (failure instanceof RefusedException refused) {
            return refused.code() == RefusalCode.CHECKSUM;
        }
        return !repeats
                && !(failure instanceof InterruptedIOException)
                && !(failure instanceof ConnectionsInUseException)
                && !Thread.currentThread().isInterrupted()
                && !isClosed();
    }

    /** Another attempt would only tell that it has no time. */
    private static boolean isEnding(Deadline deadline) {
        return deadline.remainingMillis() <= 2 * PAUSE_MILLIS;
    }

    /** Whether another server would not help: one whose certificate is not accepted, or that does not speak the protocol. */
    private static boolean isLasting(IOException failure) {
        return failure instanceof MalformedFrameException
                || failure instanceof SSLException && !(failure.getCause() instanceof EOFException);
    }

    boolean isClosed() {
        synchronized (idle) {
            return closed;
        }
    }

    private static void pause(long millis) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for a server was interrupted");
        }
    }

    /** A number that is greater than those before, for a message that counts once. */
    UUID nextNumber() {
        return new UUID(clientNumber, changes.incrementAndGet());
    }

    /** Only several servers remember numbers of changes of keys, and a client repeats nothing at one: null then. */
    @Nullable
    UUID numberOfChange() {
        return repeats ? nextNumber() : null;
    }

    static Request numbered(Request change, @Nullable UUID number) {
        return number == null ? change : new Request.Numbered(number, change);
    }

    /** Closes all, and ends the session on this side. */
    void disconnect() {
        synchronized (idle) {
            closed = true;
            session = null;
            idle.forEach(Connection::close);
            idle.clear();
        }
    }
}
