package org.heapspan.exchange.client;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * A client of one server, or of several of which one leads. What it reads is in {@link Leases} and {@link LeasedBytes}, what it does not use any more
 * in {@link Releases}; all of them ask the server through {@link Connections}. Thread-safe.
 */
public final class ExchangeClient implements Closeable {
    private static final long GOODBYE_MILLIS = 1_000;

    private final ClientSettings settings;
    private final Connections connections;
    private final Releases releases;
    private final Leases leases;
    private final LeasedBytes bytes;

    /**
     * Connects.
     *
     * @throws RefusedException if the server refuses
     */
    public ExchangeClient(ClientSettings settings) throws IOException, RefusedException {
        this.settings = settings;
        connections = new Connections(settings, this::abandon);
        releases = new Releases(connections, this::renewLeases);
        leases = new Leases(connections, releases);
        bytes = new LeasedBytes(settings, connections, leases);
        connections.connect();
        releases.start();
    }

    private void abandon(ServerSession session, byte[] nonce, long replies) {
        releases.abandon(session, nonce, replies);
    }

    private void renewLeases() {
        leases.renewAll();
    }

    Connections connections() {
        return connections;
    }

    /** Where the server is, or the servers are, for people. */
    public String server() {
        return connections.server();
    }

    /** Whether calls are repeated: one of several servers is asked, or a keeper that has joined them. */
    public boolean repeats() {
        return connections.repeats();
    }

    /** Whether a secret was proved. */
    public boolean hasSecret() {
        return settings.secret() != null;
    }

    /** Whether the files of the server are within reach. */
    public boolean mapsFiles() {
        ServerSession current = connections.session();
        return current != null && current.mappings() != null;
    }

    /** Whether the server has forgotten the only session of this client. */
    public boolean isLost() {
        return connections.isLost();
    }

    /** How long a chunk of the server is. */
    public int chunkBytes() throws RefusedException {
        return connections.known().chunkBytes();
    }

    /** Asks the server. */
    public <R extends Reply> R call(Request request, Class<R> type, Deadline deadline)
            throws IOException, RefusedException {
        return connections.call(request, type, deadline);
    }

    // Writing

    /**
     * Stores a group in all three stages: with one message if it is short, and needs no others.
     *
     * @param needed addresses of groups that live as long as this one
     */
    public Stored store(ImageBytes image, CommitTerms terms, long[] needed, Deadline deadline)
            throws IOException, RefusedException {
        @Nullable UUID number = connections.numberOfChange();
        return connections.repeat(deadline, each -> store(image, terms, needed, number, each));
    }

    private Stored store(ImageBytes image, CommitTerms terms, long[] needed, @Nullable UUID number, Deadline deadline)
            throws IOException, RefusedException {
        if (!terms.raw() && needed.length == 0 && image.sizeBytes() <= Request.Store.MOST_BYTES) {
            return releases.twiceIfFull(() -> tryToStore(image, terms, number, deadline));
        }
        Reservation reservation = tryToReserve(image.sizeBytes(), deadline);
        try {
            return fill(reservation, image, terms, needed, number);
        } catch (RefusedException e) {
            if (e.code() != RefusalCode.FULL) {
                throw e;
            }
        }
        // Others have filled the device meanwhile. The server finds that out when it is asked again, and may have a
        // second folder.
        releases.flush();
        return fill(tryToReserve(image.sizeBytes(), deadline), image, terms, needed, number);
    }

    private Stored fill(
            Reservation reservation, ImageBytes image, CommitTerms terms, long[] needed, @Nullable UUID number)
            throws IOException, RefusedException {
        if (needed.length > 0) {
            depend(reservation, needed);
        }
        long version = commit(reservation, image, terms, number);
        return new Stored(reservation.session(), reservation.address(), version);
    }

    /** Stores a group whose bytes are not in memory. */
    public Stored store(ByteSource bytes, CommitTerms terms, Deadline deadline) throws IOException, RefusedException {
        Reservation reservation = reserve(bytes.sizeBytes(), deadline);
        long version = commit(reservation, bytes, terms, connections.timeout());
        return new Stored(reservation.session(), reservation.address(), version);
    }

    private void depend(Reservation reservation, long[] needed) throws IOException, RefusedException {
        boolean done = false;
        try {
            call(new Request.Depend(reservation.address(), needed), Reply.Done.class, connections.timeout());
            done = true;
        } finally {
            if (!done) {
                release(reservation);
            }
        }
    }

    private Stored tryToStore(ImageBytes image, CommitTerms terms, @Nullable UUID number, Deadline deadline)
            throws IOException, RefusedException {
        Request request = Connections.numbered(
                new Request.Store(
                        image.checksum(),
                        terms.handOver(),
                        terms.key(),
                        terms.replacedVersion(),
                        terms.typeName(),
                        image.whole()),
                number);
        return connections.use(deadline, (connection, current) -> {
            Reply.Stored stored = connection.call(request, Reply.Stored.class, deadline);
            return new Stored(current, stored.address(), stored.version());
        });
    }

    /** The first stage of a group. */
    public Reservation reserve(long sizeBytes, Deadline deadline) throws IOException, RefusedException {
        return connections.repeat(deadline, each -> tryToReserve(sizeBytes, each));
    }

    private Reservation tryToReserve(long sizeBytes, Deadline deadline) throws IOException, RefusedException {
        return releases.twiceIfFull(() -> connections.use(
                deadline,
                (connection, current) -> new Reservation(
                        current,
                        connection
                                .call(new Request.Reserve(sizeBytes), Reply.Reserved.class, deadline)
                                .address(),
                        sizeBytes)));
    }

    /**
     * The second and third stage of a group: writes its bytes and commits it. If that fails, the space is released.
     *
     * @param commit what to commit; address, length, checksum and place are those of the image
     * @return the version of the key, or 0
     */
    public long commit(Reservation reservation, ByteSource image, CommitTerms commit, Deadline deadline)
            throws IOException, RefusedException {
        return commit(reservation, image, commit, deadline, connections.numberOfChange());
    }

    private long commit(Reservation reservation, ByteSource image, CommitTerms commit, @Nullable UUID number)
            throws IOException, RefusedException {
        return commit(reservation, image, commit, connections.timeout(), number);
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
        ChunkMappings mappings = reservation.session().mappings();
        if (mappings == null) {
            return connections.use(deadline, (connection, current) -> {
                checkSession(reservation, current);
                upload(connection, reservation.address(), image);
                return commit(connection, current, reservation, image, commit, number);
            });
        }
        connections.use(deadline, (connection, current) -> checkSession(reservation, current));
        // Without a connection, because that may take long: by the connections the server hears meanwhile that this
        // client is there.
        write(mappings, reservation, image);
        return connections.use(connections.timeout(), (connection, current) -> {
            checkSession(reservation, current);
            return commit(connection, current, reservation, image, commit, number);
        });
    }

    private static ServerSession checkSession(Reservation reservation, ServerSession current) throws RefusedException {
        if (current != reservation.session()) {
            throw Connections.anotherSession();
        }
        return current;
    }

    private long commit(
            Connection connection,
            ServerSession current,
            Reservation reservation,
            ByteSource image,
            CommitTerms commit,
            @Nullable UUID number)
            throws IOException, RefusedException {
        Request.Commit request = new Request.Commit(
                reservation.address(),
                image.sizeBytes(),
                image.checksum(),
                commit.raw(),
                current.mappings() != null,
                commit.handOver(),
                commit.key(),
                commit.replacedVersion(),
                commit.typeName());
        return connection
                .call(
                        Connections.numbered(request, number),
                        Reply.Committed.class,
                        Deadline.after(connections.patience()))
                .version();
    }

    private static void write(ChunkMappings mappings, Reservation reservation, ByteSource image)
            throws RefusedException {
        try {
            mappings.write(reservation.address(), image);
        } catch (FullException e) {
            throw new RefusedException(RefusalCode.FULL, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new RefusedException(
                    RefusalCode.STORAGE, "the files of the server could not be written to: " + ChunkMappings.reason(e));
        }
    }

    private void upload(Connection connection, long address, ByteSource image) throws IOException {
        long[] offset = {0};
        image.forEachBlock(block -> {
            if (block.hasRemaining()) {
                int length = block.remaining();
                connection.send(new Request.Data(address, offset[0], block), connections.timeout());
                offset[0] += length;
            }
        });
    }

    /** A group that was committed without a key, which this client leases. */
    public Lease leaseOf(Stored stored, ImageBytes image, CommitTerms commit) {
        return leases.held(new Lease(
                stored.session(),
                new GroupDescription(
                        stored.address(), image.sizeBytes(), image.checksum(), commit.raw(), commit.typeName(), 0)));
    }

    // Reading

    /**
     * Finds a group and leases it.
     *
     * @param request one that is answered by a place
     */
    public Lease locate(Request request, Deadline deadline) throws IOException, RefusedException {
        return leases.locate(request, deadline);
    }

    /** Leases the group at an address: without the server, if it does not know yet that the last lease has ended. */
    public Lease locate(long address, Deadline deadline) throws IOException, RefusedException {
        return leases.locate(address, deadline);
    }

    /** Takes the group at an address that is handed over, and leases it. */
    public Lease take(long address, Deadline deadline) throws IOException, RefusedException {
        return leases.take(address, deadline);
    }

    /** Waits until a key is committed, and leases its group. The server waits a part of the time only, so it is asked several times. */
    public Lease locate(String key, Deadline deadline) throws IOException, RefusedException {
        return leases.locate(key, deadline);
    }

    /** As {@link #locate(String, Deadline)}, but a short group comes at once, with its checksum compared. */
    public Found find(String key, Deadline deadline) throws IOException, RefusedException {
        return leases.find(key, deadline);
    }

    /** Makes something of the bytes of a leased group, whose checksum is compared first; empty for null. */
    public <T> Optional<T> read(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        return bytes.read(lease, use);
    }

    /**
     * Copies the bytes of a leased group. If they do not all come, the rest comes from another copy. Who takes them must forget them if this fails: they
     * may be damaged.
     *
     * @param target whose failures are unchecked
     */
    public void copy(Lease lease, ByteTarget target) throws IOException, RefusedException {
        bytes.copy(lease, target);
    }

    /** Copies the bytes of a leased group from the server, and from nowhere else. */
    public void copyOfServer(Lease lease, ByteTarget target) throws IOException, RefusedException {
        bytes.copyOfServer(lease, target);
    }

    /** Copies the bytes of a group from a keeper that has a copy, as {@link #copyOfServer}, but without a lease. */
    public void copyOfKeeper(GroupDescription group, ByteTarget target) throws IOException, RefusedException {
        bytes.fetchOfKeeper(group, fetched -> fetched.copy(target, new CopiedBytes()));
    }

    LeasedBytes bytes() {
        return bytes;
    }

    // Releasing

    /** Ends a lease, soon after the last of those who read the group now. Never waits, and never fails. */
    public void release(Lease lease) {
        leases.release(lease);
    }

    /** Abandons a reservation, soon. If it was committed, and this client has not heard of that, nothing is given back: others may use the group. */
    public void release(Reservation reservation) {
        releases.add(reservation.session(), Request.Release.ofReserved(reservation.address()));
    }

    /** Ends a lease, or abandons a reservation, of the session of this client at an address, which is as in {@link Request.Release}. */
    public void release(long address) {
        ServerSession current = connections.session();
        if (current != null) {
            releases.add(current, address);
        }
    }

    /** What the session of this client has reserved at an address. */
    public Reservation reservation(long address, long sizeBytes) throws RefusedException {
        return new Reservation(connections.known(), address, sizeBytes);
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
        if (connections.isClosed()) {
            return;
        }
        if (bytes.awaitReaders()) {
            try {
                sayGoodbye();
                connections.disconnect();
            } finally {
                bytes.admitReaders();
            }
        } else {
            connections.disconnect();
        }
    }

    private void sayGoodbye() {
        try {
            call(new Request.Goodbye(), Reply.Done.class, Deadline.afterMillis(GOODBYE_MILLIS));
        } catch (IOException | RefusedException e) {
            // The server ends the session when its lease has passed.
        }
    }
}
