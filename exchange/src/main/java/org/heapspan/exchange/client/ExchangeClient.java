package org.heapspan.exchange.client;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32C;
import javax.net.ssl.SSLException;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * A client of one server. Connections are opened when they are needed, kept for the next use, and opened again when the server was restarted.
 * Thread-safe.
 */
public final class ExchangeClient implements Closeable {
    private static final int TOKEN_BYTES = 16;
    private static final long GOODBYE_MILLIS = 1_000;
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

    /** Longer groups are read in the files of the server, which costs less than their way through a connection. */
    private static final int MOST_NOT_MAPPED_BYTES = 4 << 10;

    /** Shorter groups have come before a thread has begun. */
    private static final int LEAST_ARRIVING_BYTES = 1 << 20;

    private static final long PAUSE_MILLIS = 50;

    private final ClientSettings settings;
    private final Servers servers;
    private final long clientNumber =
            ByteBuffer.wrap(SharedSecret.random(Long.BYTES)).getLong();
    private final AtomicLong changes = new AtomicLong();
    private final Semaphore permits;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final Releases releases;
    private final HeldLeases held = new HeldLeases();

    /** Uses of mapped files hold it for reading; closing waits for them. */
    private final ReadWriteLock uses = new ReentrantReadWriteLock();

    /** Whether calls are repeated while another one of several servers begins to lead: the keys are theirs. */
    private volatile boolean repeats;

    private @Nullable ServerSession session;
    private boolean lost;
    private boolean closed;

    /**
     * Connects.
     *
     * @throws RefusedException if the server refuses
     */
    public ExchangeClient(ClientSettings settings) throws IOException, RefusedException {
        this.settings = settings;
        servers = new Servers(settings.servers());
        permits = new Semaphore(settings.mostConnections(), true);
        releases = new Releases(this);
        repeats = servers.areSeveral();
        if (repeats) {
            call(new Request.Ping(), Reply.Done.class, timeout());
        } else {
            repeats =
                    call(new Request.AskOrigin(), Reply.Origin.class, timeout()).several();
        }
        releases.start();
    }

    private Deadline timeout() {
        return Deadline.after(settings.timeout());
    }

    /** Where the server is, or the servers are, for people. */
    public String server() {
        return servers.toString();
    }

    /** Whether calls are repeated: one of several servers is asked, or a keeper that has joined them. */
    public boolean repeats() {
        return repeats;
    }

    /** Whether a secret was proved. */
    public boolean hasSecret() {
        return settings.secret() != null;
    }

    /** Whether the files of the server are within reach. */
    public boolean mapsFiles() {
        ServerSession current = session();
        return current != null && current.mappings() != null;
    }

    /** Whether the server has forgotten the only session of this client. */
    public boolean isLost() {
        synchronized (idle) {
            return lost;
        }
    }

    /** How long a chunk of the server is. */
    public int chunkBytes() throws RefusedException {
        return known().chunkBytes();
    }

    private ServerSession known() throws RefusedException {
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

    // Connections

    private interface Use<T> {
        T with(Connection connection, ServerSession session) throws IOException, RefusedException;
    }

    private <T> T use(Deadline deadline, Use<T> use) throws IOException, RefusedException {
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
                    releases.abandon(present, connection.nonce(), connection.replies());
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
            byte[] token;
            synchronized (idle) {
                if (closed) {
                    throw heapClosed();
                }
                if (lost) {
                    throw anotherSession();
                }
                connection = idle.pollFirst();
                token = session == null ? new byte[TOKEN_BYTES] : session.token();
            }
            if (connection == null) {
                connection = open(token, deadline);
                if (connection.server().equals(servers.current()) && adopt(connection, token)) {
                    return connection;
                }
            } else if (connection.isUsable() && connection.server().equals(servers.current())) {
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
            if (session == null
                    || !Arrays.equals(session.token(), connection.welcome().session())) {
                throw anotherSession();
            }
            return session;
        }
    }

    private static RefusedException heapClosed() {
        return new RefusedException(RefusalCode.CLOSING, "the heap has been closed");
    }

    private static RefusedException anotherSession() {
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
    public <R extends Reply> R call(Request request, Class<R> type, Deadline deadline)
            throws IOException, RefusedException {
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

    private interface Repeatable<T> {
        T make(Deadline deadline) throws IOException, RefusedException;
    }

    /** Asks one of several servers after the other, or a keeper of them, until one of them leads. Whatever is repeated counts once. */
    private <T> T repeat(Deadline deadline, Repeatable<T> attempt) throws IOException, RefusedException {
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

    /** Another attempt would only tell that it has no time. */
    private static boolean isEnding(Deadline deadline) {
        return deadline.remainingMillis() <= 2 * PAUSE_MILLIS;
    }

    /** Whether another server would not help: one whose certificate is not accepted, or that does not speak the protocol. */
    private static boolean isLasting(IOException failure) {
        return failure instanceof MalformedFrameException
                || failure instanceof SSLException && !(failure.getCause() instanceof EOFException);
    }

    private boolean isClosed() {
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
    private @Nullable UUID numberOfChange() {
        return repeats ? nextNumber() : null;
    }

    private static Request numbered(Request change, @Nullable UUID number) {
        return number == null ? change : new Request.Numbered(number, change);
    }

    // Writing

    /**
     * Stores a group in all three stages: with one message if it is short, and needs no others.
     *
     * @param needed addresses of groups that live as long as this one
     */
    public Stored store(ImageBytes image, CommitTerms terms, long[] needed, Deadline deadline)
            throws IOException, RefusedException {
        @Nullable UUID number = numberOfChange();
        return repeat(deadline, each -> store(image, terms, needed, number, each));
    }

    private Stored store(ImageBytes image, CommitTerms terms, long[] needed, @Nullable UUID number, Deadline deadline)
            throws IOException, RefusedException {
        if (!terms.raw() && needed.length == 0 && image.sizeBytes() <= Request.Store.MOST_BYTES) {
            return twiceIfFull(() -> tryToStore(image, terms, number, deadline));
        }
        Reservation reservation = tryToReserve(image.sizeBytes(), deadline);
        if (needed.length > 0) {
            depend(reservation, needed);
        }
        long version = commit(reservation, image, terms, number);
        return new Stored(reservation.session(), reservation.address(), version);
    }

    /** Stores a group whose bytes are not in memory. */
    public Stored store(ByteSource bytes, CommitTerms terms, Deadline deadline) throws IOException, RefusedException {
        Reservation reservation = reserve(bytes.sizeBytes(), deadline);
        long version = commit(reservation, bytes, terms, timeout());
        return new Stored(reservation.session(), reservation.address(), version);
    }

    private void depend(Reservation reservation, long[] needed) throws IOException, RefusedException {
        boolean done = false;
        try {
            call(new Request.Depend(reservation.address(), needed), Reply.Done.class, timeout());
            done = true;
        } finally {
            if (!done) {
                release(reservation);
            }
        }
    }

    private Stored tryToStore(ImageBytes image, CommitTerms terms, @Nullable UUID number, Deadline deadline)
            throws IOException, RefusedException {
        Request request = numbered(
                new Request.Store(
                        image.checksum(),
                        terms.handOver(),
                        terms.key(),
                        terms.replacedVersion(),
                        terms.typeName(),
                        image.whole()),
                number);
        return use(deadline, (connection, current) -> {
            Reply.Stored stored = connection.call(request, Reply.Stored.class, deadline);
            return new Stored(current, stored.address(), stored.version());
        });
    }

    /** The first stage of a group. */
    public Reservation reserve(long sizeBytes, Deadline deadline) throws IOException, RefusedException {
        return repeat(deadline, each -> tryToReserve(sizeBytes, each));
    }

    private Reservation tryToReserve(long sizeBytes, Deadline deadline) throws IOException, RefusedException {
        return twiceIfFull(() -> use(
                deadline,
                (connection, current) -> new Reservation(
                        current,
                        connection
                                .call(new Request.Reserve(sizeBytes), Reply.Reserved.class, deadline)
                                .address(),
                        sizeBytes)));
    }

    private interface Attempt<T> {
        T make() throws IOException, RefusedException;
    }

    /** What this client does not use any more may be enough. */
    private <T> T twiceIfFull(Attempt<T> attempt) throws IOException, RefusedException {
        try {
            return attempt.make();
        } catch (RefusedException e) {
            if (e.code() != RefusalCode.FULL && e.code() != RefusalCode.LIMIT) {
                throw e;
            }
            releases.flush();
            return attempt.make();
        }
    }

    /**
     * The second and third stage of a group: writes its bytes and commits it. If that fails, the space is released.
     *
     * @param commit what to commit; address, length, checksum and place are those of the image
     * @return the version of the key, or 0
     */
    public long commit(Reservation reservation, ByteSource image, CommitTerms commit, Deadline deadline)
            throws IOException, RefusedException {
        return commit(reservation, image, commit, deadline, numberOfChange());
    }

    private long commit(Reservation reservation, ByteSource image, CommitTerms commit, @Nullable UUID number)
            throws IOException, RefusedException {
        return commit(reservation, image, commit, timeout(), number);
    }

    /**
     * As {@link #commit(Reservation, ByteSource, CommitTerms, Deadline)}, for a client of a keeper.
     *
     * @param number that the client has given to the change, or null
     */
    public long commit(
            Reservation reservation, ByteSource image, CommitTerms commit, Deadline deadline, @Nullable UUID number)
            throws IOException, RefusedException {
        boolean committed = false;
        try {
            long version = tryToCommit(reservation, image, commit, deadline, number);
            committed = true;
            return version;
        } finally {
            if (!committed) {
                release(reservation);
            }
        }
    }

    private long tryToCommit(
            Reservation reservation, ByteSource image, CommitTerms commit, Deadline deadline, @Nullable UUID number)
            throws IOException, RefusedException {
        return use(deadline, (connection, current) -> {
            if (current != reservation.session()) {
                throw anotherSession();
            }
            ChunkMappings mappings = current.mappings();
            if (mappings != null) {
                write(mappings, reservation, image);
            } else {
                upload(connection, reservation.address(), image);
            }
            Request.Commit request = new Request.Commit(
                    reservation.address(),
                    image.sizeBytes(),
                    image.checksum(),
                    commit.raw(),
                    mappings != null,
                    commit.handOver(),
                    commit.key(),
                    commit.replacedVersion(),
                    commit.typeName());
            return connection
                    .call(numbered(request, number), Reply.Committed.class, Deadline.after(settings.patience(repeats)))
                    .version();
        });
    }

    private static void write(ChunkMappings mappings, Reservation reservation, ByteSource image)
            throws RefusedException {
        try {
            mappings.write(reservation.address(), image);
        } catch (IOException e) {
            throw new RefusedException(
                    RefusalCode.STORAGE, "the files of the server could not be written to: " + reason(e));
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ", " + e.getMessage());
    }

    private void upload(Connection connection, long address, ByteSource image) throws IOException {
        long[] offset = {0};
        image.forEachBlock(block -> {
            if (block.hasRemaining()) {
                int length = block.remaining();
                connection.send(new Request.Data(address, offset[0], block), timeout());
                offset[0] += length;
            }
        });
    }

    /** A group that was committed without a key, which this client leases. */
    public Lease leaseOf(Stored stored, ImageBytes image, CommitTerms commit) {
        return held(new Lease(
                stored.session(),
                new GroupDescription(
                        stored.address(), image.sizeBytes(), image.checksum(), commit.raw(), commit.typeName(), 0)));
    }

    private Lease held(Lease lease) {
        if (repeats) {
            held.add(lease);
        }
        return lease;
    }

    // Reading

    /**
     * Finds a group and leases it.
     *
     * @param request one that is answered by a place
     */
    public Lease locate(Request request, Deadline deadline) throws IOException, RefusedException {
        // What is taken is gone then, so that is not repeated.
        return held(
                request instanceof Request.LocateAddress address && address.take()
                        ? tryToLocate(request, deadline)
                        : repeat(deadline, each -> tryToLocate(request, each)));
    }

    private Lease tryToLocate(Request request, Deadline deadline) throws IOException, RefusedException {
        Deadline reply = repeats ? deadline : timeout();
        // A keeper needs room for its copy.
        return twiceIfFull(() -> use(
                deadline,
                (connection, current) -> new Lease(
                        current,
                        connection.call(request, Reply.Located.class, reply).group())));
    }

    /** Leases the group at an address: without the server, if it does not know yet that the last lease has ended. */
    public Lease locate(long address, Deadline deadline) throws IOException, RefusedException {
        ServerSession current = session();
        Lease last = current == null ? null : releases.takeBack(current, address);
        return last == null ? locate(new Request.LocateAddress(address, false), deadline) : held(last);
    }

    /** Takes the group at an address that is handed over, and leases it. */
    public Lease take(long address, Deadline deadline) throws IOException, RefusedException {
        return locate(new Request.LocateAddress(address, true), deadline);
    }

    /** Waits until a key is committed, and leases its group. The server waits a part of the time only, so it is asked several times. */
    public Lease locate(String key, Deadline deadline) throws IOException, RefusedException {
        return whenCommitted(deadline, () -> locate(new Request.LocateKey(key, deadline.remainingMillis()), timeout()));
    }

    /** As {@link #locate(String, Deadline)}, but a short group comes at once, with its checksum compared. */
    public Found find(String key, Deadline deadline) throws IOException, RefusedException {
        return whenCommitted(deadline, () -> repeat(timeout(), each -> tryToFind(key, deadline, each)));
    }

    private Found tryToFind(String key, Deadline wait, Deadline deadline) throws IOException, RefusedException {
        Deadline reply = repeats ? deadline : timeout();
        return twiceIfFull(() -> use(deadline, (connection, current) -> {
            int mostBytes = current.mappings() == null ? Request.ReadKey.MOST_BYTES : MOST_NOT_MAPPED_BYTES;
            Request request = new Request.ReadKey(key, wait.remainingMillis(), mostBytes);
            return found(current, connection.call(request, Reply.Found.class, reply));
        }));
    }

    private Found found(ServerSession session, Reply.Found reply) throws IOException, RefusedException {
        if (reply instanceof Reply.Content content) {
            // The buffer is the connection's.
            ByteBuffer bytes = ByteBuffer.allocate(content.bytes().remaining())
                    .put(content.bytes())
                    .flip();
            GroupDescription group = content.group();
            if (group.raw() || bytes.remaining() != group.sizeBytes()) {
                throw new MalformedFrameException("the server sent " + bytes.remaining() + " bytes of a group of "
                        + group.sizeBytes() + (group.raw() ? ", which is raw" : ""));
            }
            CRC32C checksum = new CRC32C();
            checksum.update(bytes.duplicate());
            check(group, (int) checksum.getValue());
            return new Found(null, bytes);
        }
        return new Found(held(new Lease(session, ((Reply.Located) reply).group())), NO_BYTES);
    }

    private <T> T whenCommitted(Deadline deadline, Attempt<T> attempt) throws IOException, RefusedException {
        while (true) {
            try {
                return attempt.make();
            } catch (RefusedException e) {
                if (e.code() != RefusalCode.KEY_MISSING || deadline.hasPassed()) {
                    throw e;
                }
            }
        }
    }

    /** Leases a group again if another one of several servers leads by now. That server may have it no more. */
    private void renew(Lease lease, Deadline deadline) throws IOException, RefusedException {
        ServerSession former = lease.session();
        if (!repeats || session() == former) {
            return;
        }
        long address = lease.group().address();
        Lease again = repeat(deadline, each -> tryToLocate(new Request.LocateAddress(address, false), each));
        if (!lease.renew(former, again.session())) {
            releases.add(again);
        }
    }

    /** Leases all groups again if another one of several servers leads by now. */
    void renewLeases() {
        ServerSession present = session();
        if (!repeats || present == null) {
            return;
        }
        for (Lease lease : held.others(present)) {
            try {
                renew(lease, timeout());
            } catch (RefusedException e) {
                // Whoever reads it hears why.
                if (e.code() == RefusalCode.GROUP_GONE && session() == present) {
                    held.remove(lease);
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Makes something of the bytes of a leased group, whose checksum is compared first; empty for null. */
    public <T> Optional<T> read(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        return whileLeased(
                lease,
                () -> repeat(timeout(), each -> {
                    renew(lease, each);
                    return tryToRead(lease, use);
                }));
    }

    private <T> T whileLeased(Lease lease, Attempt<T> reading) throws IOException, RefusedException {
        if (!lease.beginRead()) {
            throw new RefusedException(RefusalCode.CLOSING, "what leased the group has been closed");
        }
        try {
            return reading.make();
        } finally {
            if (lease.endRead()) {
                end(lease);
            }
        }
    }

    private <T> Optional<T> tryToRead(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        ServerSession current = lease.session();
        ChunkMappings mappings = current.mappings();
        if (mappings != null) {
            return useMapped(lease.group(), current, mappings, pieces -> Optional.ofNullable(use.from(pieces)));
        }
        checkFits(lease.group());
        return Optional.ofNullable(
                lease.group().sizeBytes() < LEAST_ARRIVING_BYTES
                        ? use.from(fetch(lease, FetchedBytes::gather))
                        : readArriving(lease, use));
    }

    /** Begins with the first bytes. Another thread receives, so that a transfer does not wait for what is made of it. */
    private <T> @Nullable T readArriving(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        ArrivingBytes arriving = new ArrivingBytes();
        Thread receiver = new Thread(() -> receive(lease, arriving), "heapspan-exchange-fetch");
        receiver.setDaemon(true);
        receiver.start();
        try {
            T made = use.needsAll(arriving.first()) ? use.from(arriving.all()) : use.from(arriving);
            arriving.awaitEnd();
            return made;
        } catch (HeapspanException e) {
            // Damage is the reason if there is any.
            arriving.discard();
            arriving.awaitEnd();
            throw e;
        } catch (IOException e) {
            arriving.throwFailure();
            throw e;
        } finally {
            arriving.abandon();
            // It may wait for bytes that nobody wants any more, with a connection that others could use.
            receiver.interrupt();
        }
    }

    private void receive(Lease lease, ArrivingBytes arriving) {
        try {
            fetch(lease, bytes -> {
                bytes.forEachBlock(arriving::add);
                return true;
            });
            arriving.end(null);
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            arriving.end(e);
        }
    }

    /** Copies the bytes of a leased group. Who takes them must forget them if this fails: they may be damaged. */
    public void copy(Lease lease, ByteTarget target) throws IOException, RefusedException {
        whileLeased(lease, () -> tryToCopy(lease, target));
    }

    private boolean tryToCopy(Lease lease, ByteTarget target) throws IOException, RefusedException {
        renew(lease, timeout());
        ServerSession current = lease.session();
        ChunkMappings mappings = current.mappings();
        if (mappings == null) {
            return fetch(lease, bytes -> {
                bytes.copy(target);
                return true;
            });
        }
        return useMapped(lease.group(), current, mappings, pieces -> {
            for (ByteBuffer piece : pieces) {
                target.write(piece);
            }
            return true;
        });
    }

    /** Copies the bytes of a group from a keeper that has a copy, as {@link #copy}, but without a lease. */
    public void copyOfKeeper(GroupDescription group, ByteTarget target) throws IOException, RefusedException {
        use(
                timeout(),
                (connection, current) -> fetch(connection, new Request.FetchCopy(group.address()), group, bytes -> {
                    bytes.copy(target);
                    return true;
                }));
    }

    private interface PieceUse<T> {
        T of(ByteBuffer[] pieces) throws IOException;
    }

    private <T> T useMapped(GroupDescription group, ServerSession leased, ChunkMappings mappings, PieceUse<T> use)
            throws IOException, RefusedException {
        uses.readLock().lock();
        try {
            if (session() != leased) {
                throw isClosed() ? heapClosed() : anotherSession();
            }
            ByteBuffer[] pieces = pieces(mappings, group);
            // Raw bytes are trusted like memory, so they are checked each time.
            if (group.raw() || !mappings.isChecked(group) || !leased.isCertain()) {
                check(group, checksum(pieces));
                mappings.setChecked(group);
            }
            T made;
            try {
                made = use.of(pieces);
            } catch (RuntimeException e) {
                checkStillThere(group, leased, pieces);
                throw e;
            }
            checkStillThere(group, leased, pieces);
            return made;
        } finally {
            uses.readLock().unlock();
        }
    }

    /** If the server has ended the session while bytes were read, they may have been zeros. */
    private void checkStillThere(GroupDescription group, ServerSession leased, ByteBuffer[] pieces)
            throws RefusedException {
        boolean certain = session() == leased && leased.isCertain();
        if (!certain && checksum(pieces) != group.checksum()) {
            throw anotherSession();
        }
    }

    /** Of whole pieces, also of those that were read. */
    private static int checksum(ByteBuffer[] pieces) {
        CRC32C checksum = new CRC32C();
        for (ByteBuffer piece : pieces) {
            checksum.update(piece.duplicate().clear());
        }
        return (int) checksum.getValue();
    }

    private static ByteBuffer[] pieces(ChunkMappings mappings, GroupDescription group) throws RefusedException {
        try {
            return mappings.read(group.address(), group.sizeBytes());
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.STORAGE, "the files of the server could not be read: " + reason(e));
        }
    }

    static void check(GroupDescription group, int found) throws RefusedException {
        if (found != group.checksum()) {
            throw new RefusedException(
                    RefusalCode.CHECKSUM,
                    "the group at 0x" + Long.toHexString(group.address()) + " is damaged: its bytes have checksum "
                            + Integer.toHexString(found) + ", expected " + Integer.toHexString(group.checksum()));
        }
    }

    /** A server that sends without end is a refusal, before memory is used up. */
    private static void checkFits(GroupDescription group) throws RefusedException {
        long mostBytes = Runtime.getRuntime().maxMemory() / 2;
        if (group.sizeBytes() > mostBytes) {
            throw new RefusedException(
                    RefusalCode.LIMIT,
                    "the group has " + group.sizeBytes() + " bytes; from another host come at most " + mostBytes
                            + ", half of the heap of this JVM (-Xmx)");
        }
    }

    private interface FetchedUse<T> {
        T of(FetchedBytes bytes) throws IOException, RefusedException;
    }

    private <T> T fetch(Lease lease, FetchedUse<T> use) throws IOException, RefusedException {
        return use(Deadline.after(settings.patience(repeats)), (connection, current) -> {
            if (current != lease.session()) {
                throw anotherSession();
            }
            return fetch(connection, new Request.Fetch(lease.group().address()), lease.group(), use);
        });
    }

    private <T> T fetch(Connection connection, Request request, GroupDescription group, FetchedUse<T> use)
            throws IOException, RefusedException {
        Reply.Payload payload =
                connection.call(request, Reply.Payload.class, Deadline.after(settings.patience(repeats)));
        FetchedBytes bytes = new FetchedBytes(connection.link(), connection.seal(), group, settings.patience(repeats));
        try {
            if (payload.sizeBytes() != group.sizeBytes()) {
                throw new MalformedFrameException(
                        "the server sends " + payload.sizeBytes() + " bytes of a group of " + group.sizeBytes());
            }
            return use.of(bytes);
        } finally {
            if (!bytes.areComplete()) {
                connection.abandon();
            }
        }
    }

    // Releasing

    /** Ends a lease, soon after the last of those who read the group now. Never waits, and never fails. */
    public void release(Lease lease) {
        if (lease.release()) {
            end(lease);
        }
    }

    private void end(Lease lease) {
        held.remove(lease);
        releases.add(lease);
    }

    /** Abandons a reservation, soon. */
    public void release(Reservation reservation) {
        releases.add(reservation.session(), reservation.address());
    }

    /** Ends a lease, or abandons a reservation, of the session of this client at an address. */
    public void release(long address) {
        ServerSession current = session();
        if (current != null) {
            releases.add(current, address);
        }
    }

    /** What the session of this client has reserved at an address. */
    public Reservation reservation(long address, long sizeBytes) throws RefusedException {
        return new Reservation(known(), address, sizeBytes);
    }

    /** Tells the server now what was released. */
    public void flush() {
        releases.flush();
    }

    /**
     * Ends the session: all its leases are given back. If somebody reads files of the server for longer than the time limit, the server ends the
     * session itself, after the time of a lease.
     */
    @Override
    public void close() {
        releases.close();
        if (isClosed()) {
            return;
        }
        if (awaitUses()) {
            try {
                sayGoodbye();
                disconnect();
            } finally {
                uses.writeLock().unlock();
            }
        } else {
            disconnect();
        }
    }

    /** Whether nobody reads mapped files any more: who has waited too long does not wait longer. */
    private boolean awaitUses() {
        try {
            return uses.writeLock().tryLock(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void sayGoodbye() {
        try {
            call(new Request.Goodbye(), Reply.Done.class, Deadline.afterMillis(GOODBYE_MILLIS));
        } catch (IOException | RefusedException e) {
            // The server ends the session when its lease has passed.
        }
    }

    private void disconnect() {
        synchronized (idle) {
            closed = true;
            session = null;
            idle.forEach(Connection::close);
            idle.clear();
        }
    }
}
