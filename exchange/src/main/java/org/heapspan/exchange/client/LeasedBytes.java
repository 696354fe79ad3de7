package org.heapspan.exchange.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** The bytes of groups that a client leases: read in the files of the server on its host, and fetched elsewhere. Thread-safe. */
final class LeasedBytes {
    /** Shorter groups have come before a thread has begun. */
    private static final int LEAST_ARRIVING_BYTES = 1 << 20;

    private final ClientSettings settings;
    private final Connections connections;
    private final Leases leases;

    /** Uses of mapped files hold it for reading; closing waits for them. */
    private final ReadWriteLock uses = new ReentrantReadWriteLock();

    LeasedBytes(ClientSettings settings, Connections connections, Leases leases) {
        this.settings = settings;
        this.connections = connections;
        this.leases = leases;
    }

    /** Makes something of the bytes of a leased group, whose checksum is compared first; empty for null. */
    <T> Optional<T> read(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        return leases.whileLeased(
                lease,
                () -> connections.repeat(connections.timeout(), each -> {
                    leases.renew(lease, each);
                    return tryToRead(lease, use);
                }));
    }

    private <T> Optional<T> tryToRead(Lease lease, GroupBytes<T> use) throws IOException, RefusedException {
        ServerSession current = lease.session();
        ChunkMappings mappings = current.mappings();
        if (mappings != null) {
            return orOfKeeper(
                    lease,
                    () -> useMapped(lease.group(), current, mappings, pieces -> Optional.ofNullable(use.from(pieces))),
                    transfer -> {
                        checkFits(lease.group());
                        return Optional.ofNullable(use.from(gather(transfer)));
                    });
        }
        checkFits(lease.group());
        return lease.group().sizeBytes() < LEAST_ARRIVING_BYTES
                ? fromAnyCopy(lease, transfer -> Optional.ofNullable(use.from(gather(transfer))))
                : fromAnyCopy(lease, transfer -> Optional.ofNullable(readArriving(transfer, use)));
    }

    /** Reads all bytes, and compares their checksum before anybody sees them. */
    private static ByteBuffer[] gather(Transfer transfer) throws IOException, RefusedException {
        List<ByteBuffer> blocks = new ArrayList<>();
        transfer.to(bytes -> bytes.forEachBlock(blocks::add));
        return blocks.toArray(ByteBuffer[]::new);
    }

    /** Begins with the first bytes. Another thread receives, so that a transfer does not wait for what is made of it. */
    private static <T> @Nullable T readArriving(Transfer transfer, GroupBytes<T> use)
            throws IOException, RefusedException {
        ArrivingBytes arriving = new ArrivingBytes();
        Thread receiver = new Thread(() -> receive(transfer, arriving), "heapspan-exchange-fetch");
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

    private static void receive(Transfer transfer, ArrivingBytes arriving) {
        try {
            transfer.to(bytes -> bytes.forEachBlock(arriving::add));
            arriving.end(null);
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            arriving.end(e);
        }
    }

    /** Copies the bytes of a leased group. If they do not all come, the rest comes from another copy, or from the next one of several servers. */
    void copy(Lease lease, ByteTarget target) throws IOException, RefusedException {
        CopiedBytes copied = new CopiedBytes();
        Making<Boolean> copying = transfer -> {
            transfer.to(bytes -> bytes.copy(target, copied));
            return true;
        };
        copy(
                lease,
                // What is damaged in the files of the server is not in the target yet.
                mappings -> orOfKeeper(lease, () -> copyMapped(lease, mappings, target), copying),
                () -> connections.repeat(connections.timeout(), each -> {
                    leases.renew(lease, each);
                    return fromAnyCopy(lease, copying);
                }));
    }

    /** Copies the bytes of a leased group from the server, and from nowhere else. */
    void copyOfServer(Lease lease, ByteTarget target) throws IOException, RefusedException {
        copy(lease, mappings -> copyMapped(lease, mappings, target), () -> {
            fetch(lease, bytes -> bytes.copy(target, new CopiedBytes()));
            return true;
        });
    }

    /** Copies from files of the server. */
    private interface MappedCopy {
        boolean from(ChunkMappings mappings) throws IOException, RefusedException;
    }

    private void copy(Lease lease, MappedCopy mapped, Connections.Attempt<Boolean> notMapped)
            throws IOException, RefusedException {
        leases.whileLeased(lease, () -> {
            leases.renew(lease, connections.timeout());
            ChunkMappings mappings = lease.session().mappings();
            return mappings == null ? notMapped.make() : mapped.from(mappings);
        });
    }

    private boolean copyMapped(Lease lease, ChunkMappings mappings, ByteTarget target)
            throws IOException, RefusedException {
        return useMapped(lease.group(), lease.session(), mappings, pieces -> {
            for (ByteBuffer piece : pieces) {
                target.write(piece);
            }
            return true;
        });
    }

    private interface PieceUse<T> {
        T of(ByteBuffer[] pieces) throws IOException;
    }

    private <T> T useMapped(GroupDescription group, ServerSession leased, ChunkMappings mappings, PieceUse<T> use)
            throws IOException, RefusedException {
        uses.readLock().lock();
        try {
            if (connections.session() != leased) {
                throw connections.isClosed() ? Connections.heapClosed() : Connections.anotherSession();
            }
            ByteBuffer[] pieces = pieces(mappings, group);
            // Raw bytes are trusted like memory, so they are checked each time.
            if (group.raw() || !mappings.isChecked(group) || !leased.isCertain()) {
                group.check(checksum(pieces));
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
        boolean certain = connections.session() == leased && leased.isCertain();
        if (!certain && checksum(pieces) != group.checksum()) {
            throw Connections.anotherSession();
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
            throw new RefusedException(
                    RefusalCode.STORAGE, "the files of the server could not be read: " + ChunkMappings.reason(e));
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

    /** Takes the bytes of a group as they come. */
    interface FetchedUse {
        void of(FetchedBytes bytes) throws IOException, RefusedException;
    }

    /** A way of the bytes of a group: from its server, or from a keeper that has a copy. */
    private interface Transfer {
        void to(FetchedUse use) throws IOException, RefusedException;
    }

    /** Makes something of bytes that come on any way. */
    private interface Making<T> {
        T of(Transfer transfer) throws IOException, RefusedException;
    }

    /** Makes it of the bytes that the server sends, or else of those of a keeper. */
    private <T> T fromAnyCopy(Lease lease, Making<T> making) throws IOException, RefusedException {
        return orOfKeeper(lease, () -> making.of(use -> fetch(lease, use)), making);
    }

    /** Makes it of the bytes of the server, or, if they are damaged or have not come, of those of a keeper. */
    private <T> T orOfKeeper(Lease lease, Connections.Attempt<T> ofServer, Making<T> ofKeeper)
            throws IOException, RefusedException {
        try {
            return ofServer.make();
        } catch (IOException | RefusedException e) {
            // Raw bytes are trusted, so they come from the files of the server only.
            if (lease.group().raw() || !connections.isOfTransfer(e)) {
                throw e;
            }
            Deadline deadline = connections.timeout();
            List<String> places = places(lease, deadline, e);
            if (places == null) {
                throw e;
            }
            KeeperCopies copies = new KeeperCopies(settings, lease.group());
            Optional<T> made = copies.from(
                    places,
                    deadline,
                    keeper -> ofKeeper.of(use -> keeper.bytes().fetchOfKeeper(lease.group(), use)));
            if (made.isEmpty()) {
                throw TransferFailure.with(e, copies.failures());
            }
            return made.get();
        }
    }

    /**
     * Where keepers have copies.
     *
     * @param failure of a transfer, which is what the caller hears of then
     * @return null if the server cannot tell
     */
    private @Nullable List<String> places(Lease lease, Deadline deadline, Exception failure) {
        try {
            return connections
                    .use(deadline, (connection, current) -> {
                        if (current != lease.session()) {
                            throw Connections.anotherSession();
                        }
                        return connection.call(
                                new Request.FindCopies(lease.group().address()), Reply.Copies.class, deadline);
                    })
                    .places();
        } catch (IOException | RefusedException e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    private void fetch(Lease lease, FetchedUse use) throws IOException, RefusedException {
        connections.use(Deadline.after(connections.patience()), (connection, current) -> {
            if (current != lease.session()) {
                throw Connections.anotherSession();
            }
            return fetch(connection, new Request.Fetch(lease.group().address()), lease.group(), use);
        });
    }

    /** Takes the bytes of a group from a keeper that has a copy, without a lease. */
    void fetchOfKeeper(GroupDescription group, FetchedUse use) throws IOException, RefusedException {
        connections.use(
                connections.timeout(),
                (connection, current) -> fetch(connection, new Request.FetchCopy(group.address()), group, use));
    }

    private boolean fetch(Connection connection, Request request, GroupDescription group, FetchedUse use)
            throws IOException, RefusedException {
        Reply.Payload payload = connection.call(request, Reply.Payload.class, Deadline.after(connections.patience()));
        FetchedBytes bytes = new FetchedBytes(connection.link(), connection.seal(), group, connections.patience());
        try {
            if (payload.sizeBytes() != group.sizeBytes()) {
                throw new MalformedFrameException(
                        "the server sends " + payload.sizeBytes() + " bytes of a group of " + group.sizeBytes());
            }
            use.of(bytes);
            return true;
        } finally {
            if (!bytes.areComplete()) {
                connection.abandon();
            }
        }
    }

    /**
     * Waits until nobody reads files of the server, but not longer than a call may take. Nobody begins to read before {@link #admitReaders} then.
     *
     * @return false if somebody reads still
     */
    boolean awaitReaders() {
        try {
            return uses.writeLock().tryLock(connections.timeoutMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends what {@link #awaitReaders} has begun. */
    void admitReaders() {
        uses.writeLock().unlock();
    }
}
