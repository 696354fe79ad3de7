package org.heapspan.exchange.server;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.client.ByteSource;
import org.heapspan.exchange.client.ByteTarget;
import org.heapspan.exchange.client.CommitTerms;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.Copies;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * The groups of another server, with copies of those that clients of this host use (ZCOT section 4.2). That server decides everything: each look-up
 * asks it, and for each lease of a client here this keeper has one there. Only bytes are here, at the addresses that they have there.
 */
final class JoinedSpace implements Space {
    private static final int BLOCK_BYTES = 256 << 10;
    private static final long RETRY_MILLIS = 50;
    private static final int MOST_PREFETCHES = 1_000;

    private final Origin origin;
    private final Keeper keeper;
    private final Chunks chunks;
    private final Traffic traffic;
    private final Copies copies;

    /** Clients that wait for a key use connections to the server meanwhile. The others of them ask it now and then. */
    private final Semaphore waiting;

    private final ThreadPoolExecutor prefetching;
    private volatile int lastKeyCount;

    /** Chunks that get no more groups. */
    private final Set<Long> endedChunks = new HashSet<>();

    JoinedSpace(Origin origin, Keeper keeper, ServerSettings settings, Traffic traffic) {
        this.origin = origin;
        this.keeper = keeper;
        this.traffic = traffic;
        chunks = new Chunks(keeper.chunkBytes());
        waiting = new Semaphore(origin.connections() / 2);
        copies = new Copies(settings.memoryBytes(), settings.clientBytes(), new Copies.Store() {
            @Override
            public void free(long address, long sizeBytes) {
                keeper.free(address, sizeBytes);
            }

            @Override
            public void evicted(long[] addresses) {
                origin.tell(new Request.DropCopies(addresses), () -> {});
            }
        });
        prefetching = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_PREFETCHES),
                work -> Server.daemon(work, "heapspan-exchange-prefetch"),
                new ThreadPoolExecutor.DiscardPolicy());
        prefetching.allowCoreThreadTimeOut(true);
    }

    /** Does what the server says of groups that it has freed, until it has forgotten this keeper. By one thread. */
    void listen() {
        origin.listen(this::forget);
    }

    private void forget(Reply.Freed freed) {
        copies.freed(freed.groups());
        for (long chunk : freed.chunks()) {
            endedChunks.add(chunk);
        }
        for (long chunk : Set.copyOf(endedChunks)) {
            if (dropUnused(chunk)) {
                endedChunks.remove(chunk);
            }
        }
    }

    /** A client may read a copy still whose group is gone. */
    private boolean dropUnused(long chunk) {
        boolean unused = !copies.isUsed(chunks.address(chunk), chunks.address(chunk + 1));
        if (unused) {
            keeper.drop(chunk);
        }
        return unused;
    }

    @Override
    public Reply answer(Session session, Request request) throws RefusedException, InterruptedException {
        // A number goes on to the server, which remembers it: so a change counts once, whatever is lost on the way.
        Request change = request.change();
        if (request instanceof Request.Reserve reserve) {
            return new Reply.Reserved(reserve(session, reserve.sizeBytes()));
        } else if (change instanceof Request.Commit commit) {
            return commit(session, commit, request instanceof Request.Numbered whole ? whole.number() : null);
        } else if (change instanceof Request.Store store) {
            return store(session, store, request);
        } else if (request instanceof Request.LocateKey locate) {
            return located(session, locate(locate));
        } else if (request instanceof Request.ReadKey read) {
            // The copy serves other clients of this host.
            return located(session, locate(read.forLease()));
        } else if (request instanceof Request.LocateAddress) {
            return located(session, origin.locate(request));
        } else if (request instanceof Request.Release release) {
            for (long address : release.addresses()) {
                long found = copies.release(session, address);
                if (found != 0) {
                    origin.release(found);
                }
            }
            return new Reply.Done();
        } else if (request instanceof Request.FindCopies find) {
            return otherCopies(session, find);
        } else if (request instanceof Request.ListKeys || request instanceof Request.StatKey) {
            return origin.call(request, Reply.Keys.class);
        } else if (request instanceof Request.NumberTypes) {
            return origin.call(request, Reply.Types.class);
        } else if (change instanceof Request.Remove || request instanceof Request.Depend) {
            return origin.call(request, Reply.Done.class);
        }
        throw new RefusedException(
                RefusalCode.PROTOCOL, "this keeper has joined " + origin.server() + "; join that server instead");
    }

    /** What a session had here it has no more. */
    void ended(Session session) {
        copies.end(session).forEach(origin::release);
    }

    // Reading

    private Lease locate(Request.LocateKey request) throws RefusedException, InterruptedException {
        Deadline deadline = Deadline.afterMillis(Math.min(request.waitMillis(), OwnSpace.MOST_WAIT_MILLIS));
        while (true) {
            boolean waits = waiting.tryAcquire();
            try {
                return origin.locate(new Request.LocateKey(request.key(), waits ? deadline.remainingMillis() : 0));
            } catch (RefusedException e) {
                if (e.code() != RefusalCode.KEY_MISSING || deadline.hasPassed()) {
                    throw e;
                }
            } finally {
                if (waits) {
                    waiting.release();
                }
            }
            TimeUnit.MILLISECONDS.sleep(Math.min(RETRY_MILLIS, deadline.remainingMillis()));
        }
    }

    /** A group that the server leases to this keeper, for the session. */
    private Reply located(Session session, Lease lease) throws RefusedException, InterruptedException {
        GroupDescription group = lease.group();
        boolean leased = false;
        try {
            checkCompact(group.raw());
            keep(lease);
            try {
                copies.lease(session, group.address());
                leased = true;
            } finally {
                copies.endUse(group.address());
            }
        } finally {
            if (!leased) {
                origin.release(group.address());
            }
        }
        traffic.read(group.sizeBytes());
        return new Reply.Located(group);
    }

    private void checkCompact(boolean raw) throws RefusedException {
        if (raw) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    "the image is raw, and raw images do not leave the host of " + origin.server()
                            + "; let its writer use Encoding.COMPACT");
        }
    }

    /** Sees to it that there is a copy, and begins its use. */
    private void keep(Lease lease) throws RefusedException, InterruptedException {
        GroupDescription group = lease.group();
        if (copies.beginUse(group)) {
            boolean fetched = false;
            try {
                fetch(lease);
                copies.fetched(group);
                fetched = true;
            } finally {
                if (!fetched) {
                    copies.endUse(group.address());
                }
            }
        }
    }

    private void fetch(Lease lease) throws RefusedException, InterruptedException {
        GroupDescription group = lease.group();
        prepare(group.address(), group.sizeBytes());
        Reply.Copies found = origin.call(new Request.FindCopies(group.address()), Reply.Copies.class);
        origin.fetch(lease, found.places(), () -> target(group.address()));
        traffic.carried(group.sizeBytes());
        origin.call(new Request.AddCopy(group.address()), Reply.Done.class);
        for (long needed : found.needed()) {
            prefetching.execute(() -> prefetch(needed));
        }
    }

    /** For a client to which the copy of this keeper does not come. The server has the bytes too. */
    private Reply otherCopies(Session session, Request.FindCopies request) throws RefusedException {
        copies.leased(session, request.address());
        List<String> places = new ArrayList<>();
        places.add(origin.server().toString());
        places.addAll(origin.call(request, Reply.Copies.class).places());
        return new Reply.Copies(places, new long[0]);
    }

    /** Copies that nobody uses make room on the device, as they do within the memory of this keeper. */
    private void prepare(long address, long sizeBytes) throws RefusedException, InterruptedException {
        while (true) {
            try {
                keeper.prepare(address, sizeBytes);
                return;
            } catch (IOException e) {
                boolean helps = e instanceof FullException && keeper.givesRoomBack();
                if (!helps || !copies.dropUnused(keeper.missingBytes(address, sizeBytes))) {
                    throw new RefusedException(RefusalCode.FULL, "no space could be reserved: " + e.getMessage());
                }
            }
        }
    }

    private ByteTarget target(long address) {
        long[] at = {address};
        return piece -> {
            int length = piece.remaining();
            keeper.write(at[0], piece);
            at[0] += length;
        };
    }

    /** Whoever reads a group reads those that it needs soon. Of no use if that fails: they are fetched when somebody asks. */
    private void prefetch(long address) {
        try {
            Lease lease = origin.locate(new Request.LocateAddress(address, false));
            try {
                GroupDescription group = lease.group();
                boolean hasRoom = copies.usedBytes() + group.sizeBytes() <= copies.capacityBytes()
                        && keeper.hasRoom(address, group.sizeBytes());
                if (!group.raw() && hasRoom) {
                    keep(lease);
                    copies.endUse(address);
                }
            } finally {
                origin.release(address);
            }
        } catch (RefusedException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public GroupDescription leased(Session session, long address) throws RefusedException {
        return copies.leased(session, address);
    }

    @Override
    public GroupDescription use(Session session, long address) throws RefusedException {
        return copies.use(address);
    }

    @Override
    public void endUse(Session session, long address) {
        copies.endUse(address);
    }

    // Writing

    private long reserve(Session session, long sizeBytes) throws RefusedException, InterruptedException {
        long address = origin.reserve(sizeBytes);
        boolean reserved = false;
        try {
            copies.reserve(session, address, sizeBytes);
            prepare(address, sizeBytes);
            reserved = true;
            return address;
        } finally {
            if (!reserved) {
                copies.release(session, Request.Release.ofReserved(address));
                origin.release(Request.Release.ofReserved(address));
            }
        }
    }

    @Override
    public long beginUpload(Session session, long address) throws RefusedException {
        return copies.reservedBytes(session, address);
    }

    /** The server gets the bytes too: what is committed does not depend on this host. */
    private Reply commit(Session session, Request.Commit commit, @Nullable UUID number) throws RefusedException {
        checkCompact(commit.raw());
        long reservedBytes = copies.reservedBytes(session, commit.address());
        if (commit.sizeBytes() <= 0 || commit.sizeBytes() > reservedBytes) {
            throw new RefusedException(
                    RefusalCode.LIMIT,
                    "a group of " + commit.sizeBytes() + " bytes, but " + reservedBytes + " are reserved");
        }
        CommitTerms terms =
                new CommitTerms(false, commit.handOver(), commit.key(), commit.replacedVersion(), commit.typeName());
        long version = origin.commit(commit.address(), reservedBytes, new Populated(commit), terms, number);
        keepOwn(session, commit, version);
        return new Reply.Committed(version);
    }

    /** What a client of this host has committed is a copy at once. */
    private void keepOwn(Session session, Request.Commit commit, long version) throws RefusedException {
        GroupDescription group = new GroupDescription(
                commit.address(), commit.sizeBytes(), commit.checksum(), false, commit.typeName(), version);
        boolean leases = commit.key().isEmpty() && !commit.handOver();
        boolean leased = false;
        try {
            copies.commit(session, group);
            try {
                if (leases) {
                    copies.lease(session, group.address());
                    leased = true;
                }
                origin.tell(new Request.AddCopy(group.address()), () -> copies.freed(group.address()));
            } finally {
                copies.endUse(group.address());
            }
        } finally {
            if (leases && !leased) {
                origin.release(group.address());
            }
        }
    }

    /** A short group goes to the server in one message. Without a key its client will read it here. */
    private Reply store(Session session, Request.Store store, Request whole)
            throws RefusedException, InterruptedException {
        Reply.Stored stored = origin.call(whole, Reply.Stored.class);
        if (store.key().isEmpty() && !store.handOver()) {
            boolean written = false;
            boolean kept = false;
            try {
                Request.Commit commit = store.commit(stored.address());
                copies.reserve(session, stored.address(), commit.sizeBytes());
                prepare(stored.address(), commit.sizeBytes());
                write(stored.address(), store.bytes());
                written = true;
                // Ends the lease itself if it fails.
                keepOwn(session, commit, 0);
                kept = true;
            } finally {
                if (!kept) {
                    copies.release(session, Request.Release.ofReserved(stored.address()));
                }
                if (!written) {
                    origin.release(stored.address());
                }
            }
        }
        return stored;
    }

    private void write(long address, ByteBuffer bytes) throws RefusedException {
        try {
            keeper.write(address, bytes.duplicate());
        } catch (IOException e) {
            throw Upload.notStored(e);
        }
    }

    /** The bytes that a client has written here. */
    private final class Populated implements ByteSource {
        private final Request.Commit commit;

        Populated(Request.Commit commit) {
            this.commit = commit;
        }

        @Override
        public long sizeBytes() {
            return commit.sizeBytes();
        }

        @Override
        public int checksum() {
            return commit.checksum();
        }

        @Override
        public void forEachBlock(ByteTarget target) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BLOCK_BYTES, sizeBytes()));
            keeper.forEachPiece(commit.address(), sizeBytes(), (file, offset, length) -> {
                for (long read = 0; read < length; read += buffer.limit()) {
                    buffer.clear().limit((int) Math.min(buffer.capacity(), length - read));
                    while (buffer.hasRemaining()) {
                        if (file.read(buffer, offset + read + buffer.position()) < 0) {
                            throw new EOFException("a chunk ends before its group");
                        }
                    }
                    target.write(buffer.flip());
                }
            });
            traffic.carried(sizeBytes());
        }
    }

    // The whole

    /** Those of the whole space, as far as the server can be asked. */
    @Override
    public int keyCount() {
        try {
            lastKeyCount = origin.status().keys();
        } catch (RefusedException e) {
            return lastKeyCount;
        }
        return lastKeyCount;
    }

    @Override
    public long usedBytes() {
        return copies.usedBytes();
    }

    @Override
    public long capacityBytes() {
        return copies.capacityBytes();
    }

    @Override
    public int groupCount() {
        return copies.count();
    }

    @Override
    public void close() {
        prefetching.shutdownNow();
        origin.close();
    }
}
