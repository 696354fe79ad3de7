package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.GroupStore;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.heapspan.vm.Upkeep;
import org.jspecify.annotations.Nullable;

/** One of several servers that replicate their keys: what it knows, which bytes it has, and the others. Thread-safe. */
public final class Replica implements Consensus.State, Consensus.Calls, GroupStore, Closeable {
    private static final System.Logger LOGGER = System.getLogger(Replica.class.getName());

    private static final long MAINTAIN_MILLIS = 500;

    /** A follower hears of a begun run within a few messages, or there has been another election. */
    private static final int ELECTIONS_UNTIL_BEGUN = 3;

    private final PeerSettings settings;
    private final Keeper keeper;
    private final KeptBytes kept;
    private final long capacityBytes;
    private final Duration timeout;
    private final Duration lease;
    private final ReplicatedKeys keys = new ReplicatedKeys();
    private final Holdings holdings = new Holdings();
    private final OtherPeers others;
    private final KeyBytes keyBytes;
    private final Upkeep maintenance;
    private volatile @Nullable Consensus consensus;
    private volatile boolean closed;

    // The following are guarded by this.

    private boolean leads;
    private @Nullable Leadership leadership;

    /** The first term of which this server knows all copies that it has confirmed. */
    private long termOfStart = Long.MAX_VALUE;

    private boolean cleaned;

    /**
     * Starts.
     *
     * @param lease how long clients may read what they have leased after they were last heard of
     * @throws IOException if the folder cannot be used, or there is no consensus on the class path
     */
    public Replica(PeerSettings settings, Keeper keeper, long capacityBytes, Duration timeout, Duration lease)
            throws IOException {
        this.settings = settings;
        this.keeper = keeper;
        kept = new KeptBytes(keeper, settings.forced());
        this.capacityBytes = capacityBytes;
        this.timeout = timeout;
        this.lease = lease;
        others = new OtherPeers(settings, kept, timeout);
        keyBytes = new KeyBytes(keys, holdings, keeper, kept, capacityBytes, others::fetch);
        maintenance = new Upkeep(
                "heapspan-exchange-peers",
                MAINTAIN_MILLIS,
                this::maintain,
                Upkeep.log(LOGGER, System.Logger.Level.ERROR, "bytes of groups could not be freed or fetched"));
    }

    /** Takes part from now on: others can reach this server. */
    public void start() throws IOException {
        start(ServiceLoader.load(Consensus.Factory.class, Replica.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IOException(
                        "servers that replicate their keys need heapspan-replication.jar on the class path")));
    }

    void start(Consensus.Factory factory) throws IOException {
        Path folder = keeper.folder().resolve("consensus");
        Consensus started = factory.start(
                new Consensus.Settings(
                        settings.places().stream().map(Object::toString).toList(),
                        settings.self(),
                        folder,
                        settings.election(),
                        settings.changesOfSnapshot()),
                this,
                this);
        consensus = started;
        synchronized (this) {
            termOfStart = started.lastTerm();
            notifyAll();
        }
        maintenance.start();
    }

    Consensus consensus() throws NotLeaderException {
        Consensus current = consensus;
        if (current == null) {
            throw new NotLeaderException("this server is being started");
        }
        return current;
    }

    long run() {
        return keys.run();
    }

    @Nullable
    Long outcome(UUID number) {
        return keys.outcome(number);
    }

    /** Says who leads, at its end, as clients understand it. */
    public String leaderText() {
        Consensus current = consensus;
        int leader = current == null ? Consensus.NOBODY : current.leader();
        return leader == Consensus.NOBODY || leader == settings.self()
                ? "this server does not lead, and no leader is known; try again"
                : "this server does not lead, the leader is "
                        + settings.places().get(leader);
    }

    /** All servers, in the order of their list, as this one sees them. */
    public List<PeerView> peers() {
        Consensus current = consensus;
        int leader = current == null ? Consensus.NOBODY : current.leader();
        // Others would elect another leader if it were silent for longer.
        long expected = 2 * settings.election().toMillis();
        List<PeerView> peers = new ArrayList<>();
        for (int i = 0; i < settings.places().size(); i++) {
            boolean isSelf = i == settings.self();
            long silent = isSelf ? 0 : current == null ? Consensus.UNKNOWN : current.silentMillis(i);
            peers.add(new PeerView(
                    settings.places().get(i).toString(),
                    isSelf,
                    i == leader,
                    silent,
                    silent != Consensus.UNKNOWN && silent <= expected));
        }
        return peers;
    }

    // What the consensus asks and tells

    @Override
    public byte[] call(int peer, byte[] message) throws IOException {
        return others.ask(peer, message);
    }

    /** Answers another peer. */
    public ByteBuffer answer(ByteBuffer message) throws RefusedException {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        try {
            return ByteBuffer.wrap(consensus().answer(bytes));
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.UNREACHABLE, "the message was not answered: " + e.getMessage());
        }
    }

    @Override
    public boolean apply(long term, ByteBuffer bytes) {
        LogEntry entry;
        try {
            entry = LogEntry.read(bytes);
        } catch (MalformedFrameException e) {
            throw new IllegalStateException("a change that was agreed on cannot be read: " + e.getMessage(), e);
        }
        return apply(term, entry);
    }

    /** Whoever has this lock sees the keys and the space as one change has left both. */
    private synchronized boolean apply(long term, LogEntry entry) {
        ReplicatedKeys.Effect effect = keys.apply(entry);
        if (effect.counts()) {
            if (entry.change() == null) {
                begun(term);
            } else {
                changed(entry.change(), effect.freed());
            }
            notifyAll();
        }
        return effect.counts();
    }

    private void changed(Change change, @Nullable GroupRecord freed) {
        if (change instanceof Change.OfKey key && key.record().group() != null) {
            holdings.need(key.record().group().address());
        } else if (change instanceof Change.GroupAdded added) {
            holdings.need(added.group().address());
        }
        // A leader frees groups when no client leases them any more.
        if (leadership == null && freed != null) {
            holdings.freed(freed.address(), freed.reservedBytes());
        }
    }

    /** Copies of former runs that are not of replicated groups are garbage now: nothing of these runs can be made any more. */
    private void begun(long term) {
        NavigableMap<Long, Long> used = keys.ranges();
        endOthers(used);
        if (!cleaned && leadership == null && term > termOfStart) {
            cleaned = true;
            used.putAll(holdings.all());
            keeper.retain(used);
        }
    }

    private void endOthers(NavigableMap<Long, Long> used) {
        if (leadership != null) {
            holdings.quietUntil(System.nanoTime() + lease.toNanos());
        }
        holdings.beginRun(used);
    }

    @Override
    public void save(Path file) throws IOException {
        keys.save(file);
    }

    @Override
    public synchronized void load(Path file) throws IOException {
        long formerRun = keys.run();
        Map<Long, Long> former = keys.ranges();
        keys.load(file);
        NavigableMap<Long, Long> used = keys.ranges();
        // Begins of runs and ends of groups may have been missed.
        if (keys.run() != formerRun) {
            endOthers(used);
        } else if (leadership == null) {
            former.keySet().removeAll(used.keySet());
            former.forEach(holdings::freed);
        }
        used.keySet().forEach(holdings::need);
        notifyAll();
    }

    @Override
    public synchronized void leads(boolean now) {
        leads = now;
        if (!now && leadership != null) {
            leadership.lose("another server leads");
        }
        notifyAll();
    }

    // Leading

    /**
     * Waits until this server leads, and begins a run.
     *
     * @return null if it is being closed
     */
    public @Nullable Leadership awaitLeadership() throws InterruptedException {
        while (true) {
            synchronized (this) {
                while (!leads && !closed) {
                    wait();
                }
                if (closed) {
                    return null;
                }
            }
            Leadership begun = begin();
            if (begun != null) {
                return begun;
            }
            TimeUnit.MILLISECONDS.sleep(MAINTAIN_MILLIS / 10);
        }
    }

    private @Nullable Leadership begin() throws InterruptedException {
        long run = ByteBuffer.wrap(SharedSecret.random(Long.BYTES)).getLong();
        try {
            boolean counts =
                    consensus().propose(LogEntry.begin(run).write()).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            synchronized (this) {
                if (!counts || !leads || keys.run() != run) {
                    return null;
                }
                Leadership begun = new Leadership(this, run, timeout, keys.begin());
                leadership = begun;
                return begun;
            }
        } catch (ExecutionException | TimeoutException | IOException e) {
            LOGGER.log(System.Logger.Level.INFO, "this server does not lead yet: " + e);
            return null;
        }
    }

    /**
     * This server serves no clients any more.
     *
     * @param left addresses and lengths of all groups that it had as the leader
     */
    public synchronized void ended(Leadership former, Map<Long, Long> left) {
        if (leadership == former) {
            leadership = null;
        }
        holdings.quietUntil(System.nanoTime() + lease.toNanos());
        holdings.takeAll(left);
        // Those that are not replicated are garbage when another run has begun; this one may have missed it.
        if (keys.run() != former.run()) {
            Map<Long, Long> used = keys.ranges();
            left.forEach((address, sizeBytes) -> {
                if (!used.containsKey(address)) {
                    holdings.doom(address, sizeBytes);
                }
            });
        }
    }

    /**
     * Gives the lead to another server, because this one cannot serve.
     *
     * @throws IOException if no other one takes it
     */
    public void giveUp(Leadership former) throws IOException {
        former.lose("this server cannot serve");
        ended(former, Map.of());
        consensus().resign();
    }

    @Override
    public void free(long address, long sizeBytes) {
        holdings.remove(address);
        keeper.free(address, sizeBytes);
    }

    @Override
    public void drop(long chunk) {
        if (isUnused(chunk)) {
            keeper.drop(chunk);
        }
    }

    private boolean isUnused(long chunk) {
        Chunks chunks = new Chunks(keeper.chunkBytes());
        long first = chunks.address(chunk);
        GroupRecord group = keys.below(chunks.address(chunk + 1));
        return holdings.isUnused(first, chunks.address(chunk + 1))
                && (group == null || group.address() + Chunks.pages(group.reservedBytes()) <= first);
    }

    // Bytes

    /** Bytes that groups take here. */
    public long usedBytes() {
        return holdings.usedBytes();
    }

    public int keyCount() {
        return keys.count();
    }

    public int groupCount() {
        return holdings.count();
    }

    /** Returns when a majority of the servers, with this one, has the bytes of a group. */
    void replicate(long run, long address, long sizeBytes, int checksum) throws IOException {
        GroupDescription group = new GroupDescription(address, sizeBytes, checksum, false, "", 0);
        kept.force(address, sizeBytes);
        holdings.add(group, sizeBytes);
        others.copy(run, group);
    }

    /** Nobody needs a group that was {@linkplain #replicate replicated}. */
    void abandon(long run, long address) {
        others.forget(run, address);
    }

    /** Stores bytes for the leader. Those that it confirms are here at least until the next leader has begun. */
    public void storeCopy(Request.StoreCopy copy) throws RefusedException, InterruptedException {
        int length = copy.bytes().remaining();
        if (copy.sizeBytes() <= 0
                || copy.offset() < 0
                || copy.address() <= 0
                || copy.offset() > copy.sizeBytes() - length
                || copy.address() > Long.MAX_VALUE - copy.sizeBytes() - keeper.chunkBytes()) {
            throw new RefusedException(RefusalCode.PROTOCOL, "a copy is not within its group");
        }
        awaitRun(copy.run());
        synchronized (this) {
            if (leadership != null) {
                throw new RefusedException(RefusalCode.PROTOCOL, "this server leads, and stores no copies for others");
            }
            GroupDescription known = holdings.present(copy.address());
            if (known != null) {
                if (known.checksum() == copy.checksum() && known.sizeBytes() == copy.sizeBytes()) {
                    return;
                }
                throw new RefusedException(RefusalCode.PROTOCOL, "another group is at the address of a copy");
            }
            takeSpace(copy);
        }
        try {
            // Earlier pieces have taken their room.
            keeper.prepare(copy.address() + copy.offset(), copy.sizeBytes() - copy.offset());
            keeper.write(copy.address() + copy.offset(), copy.bytes());
            if (copy.offset() + length == copy.sizeBytes()) {
                keep(copy.run(), new GroupDescription(copy.address(), copy.sizeBytes(), copy.checksum(), false, "", 0));
            }
        } catch (IOException e) {
            throw new RefusedException(
                    e instanceof FullException ? RefusalCode.FULL : RefusalCode.STORAGE,
                    "a copy could not be stored: " + e.getMessage());
        }
    }

    /** Takes the space of a copy with its first piece, so that its chunk is not dropped before the last one. */
    private void takeSpace(Request.StoreCopy copy) throws RefusedException {
        if (holdings.isGone(copy.address())) {
            throw gone();
        }
        if (!holdings.takeRoomOfPiece(copy.address(), copy.sizeBytes(), capacityBytes)) {
            throw new RefusedException(
                    RefusalCode.FULL,
                    "a copy of " + copy.sizeBytes() + " bytes has no room beside " + holdings.usedBytes() + " of "
                            + capacityBytes);
        }
    }

    private static RefusedException gone() {
        return new RefusedException(RefusalCode.GROUP_GONE, "nobody needs the group of a copy any more");
    }

    private void keep(long run, GroupDescription group) throws IOException, RefusedException {
        boolean isIntact = false;
        try {
            if (!kept.areIntact(group)) {
                throw new RefusedException(RefusalCode.CHECKSUM, "a copy has other bytes than its group");
            }
            kept.force(group.address(), group.sizeBytes());
            isIntact = true;
        } finally {
            if (!isIntact) {
                holdings.refusePieces(group.address());
            }
        }
        confirm(run, group);
    }

    /** A copy is here, if it is still needed: its group may have gone, or another run have begun, while its bytes were read. */
    private synchronized void confirm(long run, GroupDescription group) throws RefusedException {
        boolean isNeeded = keys.at(group.address()) != null || keys.run() == run && !holdings.isGone(group.address());
        if (!isNeeded) {
            holdings.doomTaken(group.address());
            throw gone();
        }
        holdings.add(group, group.sizeBytes());
    }

    /** The leader does not need a copy. */
    public synchronized void forgetCopy(Request.ForgetCopy copy) {
        if (leadership == null && keys.run() == copy.run() && keys.at(copy.address()) == null) {
            holdings.forget(copy.address());
        }
    }

    private synchronized void awaitRun(long run) throws RefusedException, InterruptedException {
        Deadline deadline = Deadline.after(settings.election().multipliedBy(ELECTIONS_UNTIL_BEGUN));
        while (keys.run() != run) {
            if (closed || deadline.hasPassed()) {
                throw new RefusedException(
                        RefusalCode.NOT_LEADER, "the sender of a copy does not lead, as far as this server knows");
            }
            wait(Math.max(1, deadline.remainingMillis()));
        }
    }

    /** A group whose bytes are here, for another peer. */
    public GroupDescription use(long address) throws RefusedException {
        return keyBytes.use(address);
    }

    /**
     * Returns when the bytes of a group are here, if it is a replicated one: from another peer if need be.
     *
     * @throws RefusedException if no peer that can be reached has them
     */
    public void require(GroupDescription group) throws RefusedException {
        keyBytes.require(group);
    }

    /** Whether this is a replicated group whose bytes are not here. */
    public boolean lacks(GroupDescription group) {
        return keyBytes.lacks(group);
    }

    // Now and then

    private void maintain() {
        freeDoomed();
        keyBytes.fetchMissing();
    }

    private void freeDoomed() {
        Chunks chunks = new Chunks(keeper.chunkBytes());
        for (Holdings.Doomed next = holdings.pollDoomed(); next != null; next = holdings.pollDoomed()) {
            keeper.free(next.address(), next.sizeBytes());
            long last = chunks.number(next.address() + Chunks.pages(next.sizeBytes()) - 1);
            for (long chunk = chunks.number(next.address()); chunk <= last; chunk++) {
                dropDoomed(chunk);
            }
        }
    }

    /** A leader has groups that are not in the ranges, and drops its chunks itself. Before the first cleaning there may be copies nobody knows of. */
    private synchronized void dropDoomed(long chunk) {
        if (leadership == null && cleaned && isUnused(chunk)) {
            keeper.drop(chunk);
        }
    }

    /** Ends; files stay. */
    @Override
    public void close() throws IOException {
        closed = true;
        synchronized (this) {
            if (leadership != null) {
                leadership.lose("the server is being closed");
            }
            notifyAll();
        }
        maintenance.close();
        others.endCopies();
        Consensus current = consensus;
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            others.close();
        }
    }
}
