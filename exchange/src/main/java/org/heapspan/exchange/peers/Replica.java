package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.GroupStore;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyChange;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/** One of several servers that replicate their keys: what it knows, which bytes it has, and the others. Thread-safe. */
public final class Replica implements Consensus.State, Consensus.Calls, GroupStore, Closeable {
    private static final System.Logger LOGGER = System.getLogger(Replica.class.getName());

    private static final long MAINTAIN_MILLIS = 500;
    private static final long BEGUN_MILLIS = 2_000;
    private static final int COPYING_THREADS = 4;
    private static final int MOST_WAITING_COPIES = 10_000;

    private final PeerSettings settings;
    private final Keeper keeper;
    private final KeptBytes kept;
    private final long capacityBytes;
    private final Duration timeout;
    private final Duration lease;
    private final ReplicatedKeys keys = new ReplicatedKeys();
    private final List<PeerLink> links = new ArrayList<>();
    private final List<ThreadPoolExecutor> copying = new ArrayList<>();
    private final Thread maintenance;
    private volatile @Nullable Consensus consensus;
    private volatile boolean closed;

    // The following are guarded by this.

    /** Groups whose bytes are here, and were compared since the start. */
    private final NavigableMap<Long, GroupDescription> present = new TreeMap<>();

    /** Space of these, and of others that may be garbage. */
    private final NavigableMap<Long, Long> ranges = new TreeMap<>();

    /** Addresses of groups of keys whose bytes may not be here. */
    private final Set<Long> missing = new LinkedHashSet<>();

    private final Queue<Doomed> doomed = new ArrayDeque<>();
    private long usedBytes;
    private boolean leads;
    private @Nullable Leadership leadership;

    /** When what clients of this server have read may be overwritten: they may read it as long as their session is certain to live. */
    private long quietNanos = System.nanoTime();

    /** The first term of which this server knows all copies that it has confirmed. */
    private long termOfStart = Long.MAX_VALUE;

    private boolean cleaned;

    /** Space to be given back later. */
    private record Doomed(long address, long sizeBytes, long afterNanos) {}

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
        for (int i = 0; i < settings.places().size(); i++) {
            links.add(new PeerLink(PeerLink.settings(settings, i)));
            copying.add(executor());
        }
        maintenance = new Thread(this::maintain, "heapspan-exchange-peers");
        maintenance.setDaemon(true);
    }

    private static ThreadPoolExecutor executor() {
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                COPYING_THREADS,
                COPYING_THREADS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING_COPIES),
                work -> {
                    Thread thread = new Thread(work, "heapspan-exchange-copies");
                    thread.setDaemon(true);
                    return thread;
                });
        made.allowCoreThreadTimeOut(true);
        return made;
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
                        settings.places().stream().map(Object::toString).toList(), settings.self(), folder),
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

    // What the consensus asks and tells

    @Override
    public byte[] call(int peer, byte[] message) throws IOException {
        return links.get(peer).ask(message);
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
        KeyChange change;
        try {
            change = KeyChange.read(bytes);
        } catch (MalformedFrameException e) {
            throw new IllegalStateException("a change that was agreed on cannot be read", e);
        }
        ReplicatedKeys.Effect effect = keys.apply(change);
        if (effect.counts()) {
            synchronized (this) {
                if (change.record() == null) {
                    begun(term);
                } else {
                    changed(change.record(), effect.former());
                }
                notifyAll();
            }
        }
        return effect.counts();
    }

    private void changed(KeyRecord record, @Nullable KeyRecord former) {
        GroupDescription group = record.group();
        if (group != null && !present.containsKey(group.address())) {
            missing.add(group.address());
        }
        // A leader frees groups when no client leases them any more.
        if (leadership == null && former != null && former.group() != null) {
            doom(former.group().address(), former.reservedBytes());
        }
    }

    /** Copies of former runs that no key leads to are garbage now: nothing of these runs can be made any more. */
    private void begun(long term) {
        if (leadership != null) {
            quietNanos = System.nanoTime() + lease.toNanos();
        }
        NavigableMap<Long, Long> used = keys.ranges();
        for (Map.Entry<Long, Long> range : new ArrayList<>(ranges.entrySet())) {
            if (!used.containsKey(range.getKey())) {
                doom(range.getKey(), range.getValue());
            }
        }
        if (!cleaned && leadership == null && term > termOfStart) {
            cleaned = true;
            used.putAll(ranges);
            doomed.forEach(each -> used.put(each.address, each.sizeBytes));
            keeper.retain(used);
        }
    }

    private void doom(long address, long sizeBytes) {
        forget(address);
        doomed.add(new Doomed(address, sizeBytes, quietNanos));
    }

    private synchronized void forget(long address) {
        present.remove(address);
        Long sizeBytes = ranges.remove(address);
        if (sizeBytes != null) {
            usedBytes -= Chunks.pages(sizeBytes);
        }
    }

    private synchronized void remember(GroupDescription group, long reservedBytes) {
        present.put(group.address(), group);
        if (ranges.put(group.address(), reservedBytes) == null) {
            usedBytes += Chunks.pages(reservedBytes);
        }
        notifyAll();
    }

    @Override
    public void save(Path file) throws IOException {
        keys.save(file);
    }

    @Override
    public void load(Path file) throws IOException {
        keys.load(file);
        synchronized (this) {
            missing.addAll(keys.ranges().keySet());
            missing.removeAll(present.keySet());
        }
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
                    consensus().propose(KeyChange.begin(run).write()).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            synchronized (this) {
                if (!counts || !leads || keys.run() != run) {
                    return null;
                }
                Leadership begun = new Leadership(this, run, timeout, keys.keys());
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
        quietNanos = System.nanoTime() + lease.toNanos();
        left.forEach((address, sizeBytes) -> {
            if (ranges.put(address, sizeBytes) == null) {
                usedBytes += Chunks.pages(sizeBytes);
            }
        });
        // Those that no key leads to are garbage when another run has begun; this one may have missed it.
        Map<Long, Long> used = keys.ranges();
        if (keys.run() != former.run()) {
            left.forEach((address, sizeBytes) -> {
                if (!used.containsKey(address)) {
                    doom(address, sizeBytes);
                }
            });
        }
    }

    @Override
    public void free(long address, long sizeBytes) {
        forget(address);
        keeper.free(address, sizeBytes);
    }

    @Override
    public void drop(long chunk) {
        if (isUnused(chunk)) {
            keeper.drop(chunk);
        }
    }

    private synchronized boolean isUnused(long chunk) {
        Chunks chunks = new Chunks(keeper.chunkBytes());
        Map.Entry<Long, Long> before = ranges.lowerEntry(chunks.address(chunk + 1));
        KeyRecord key = keys.below(chunks.address(chunk + 1));
        return ends(before) <= chunks.address(chunk)
                && (key == null
                        || key.group() == null
                        || key.group().address() + Chunks.pages(key.reservedBytes()) <= chunks.address(chunk));
    }

    private static long ends(Map.@Nullable Entry<Long, Long> range) {
        return range == null ? 0 : range.getKey() + Chunks.pages(range.getValue());
    }

    // Bytes

    /** Bytes that groups of keys take here. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    public int keyCount() {
        return keys.count();
    }

    public synchronized int groupCount() {
        return ranges.size();
    }

    /** Returns when a majority of the servers, with this one, has the bytes of a group. */
    void replicate(long run, long address, long sizeBytes, int checksum) throws IOException {
        GroupDescription group = new GroupDescription(address, sizeBytes, checksum, false, "", 0);
        kept.force(address, sizeBytes);
        remember(group, sizeBytes);
        int needed = settings.places().size() / 2;
        Copying copies = new Copying(needed, settings.places().size() - 1);
        boolean enough = links.stream().filter(each -> !each.isPausing()).count() > needed;
        for (int i = 0; i < links.size(); i++) {
            if (i != settings.self()) {
                copy(links.get(i), copying.get(i), run, group, copies, !enough);
            }
        }
        copies.await(timeout);
    }

    private void copy(
            PeerLink link, Executor executor, long run, GroupDescription group, Copying copies, boolean always) {
        Runnable work = () -> {
            try {
                link.copy(client -> kept.send(client, link, run, group));
                copies.succeeded();
            } catch (RefusedException e) {
                copies.failed(String.valueOf(e.getMessage()), e.code() == RefusalCode.FULL);
            } catch (IOException | RuntimeException e) {
                copies.failed(String.valueOf(e.getMessage()), false);
            }
        };
        if (!always && link.isPausing()) {
            copies.failed("it did not answer a moment ago", false);
            return;
        }
        try {
            executor.execute(work);
        } catch (RejectedExecutionException e) {
            copies.failed("too many copies wait for it", false);
        }
    }

    /** No key leads to a group that was {@linkplain #replicate replicated}. Others hear of it soon; who does not frees it when another run begins. */
    void abandon(long run, long address) {
        for (int i = 0; i < links.size(); i++) {
            PeerLink link = links.get(i);
            if (i != settings.self() && !link.isPausing()) {
                try {
                    copying.get(i).execute(() -> {
                        try {
                            link.copy(client -> client.call(
                                    new Request.ForgetCopy(run, address), Reply.Done.class, link.timeout()));
                        } catch (IOException | RefusedException e) {
                            LOGGER.log(System.Logger.Level.DEBUG, "a copy is not needed, but was not deleted", e);
                        }
                    });
                } catch (RejectedExecutionException e) {
                    LOGGER.log(System.Logger.Level.DEBUG, "a copy is not needed, but was not deleted", e);
                }
            }
        }
    }

    /** Stores bytes for the leader. Those that it confirms are here at least until the next leader has begun. */
    public void storeCopy(Request.StoreCopy copy) throws RefusedException, InterruptedException {
        awaitRun(copy.run());
        int length = copy.bytes().remaining();
        if (copy.sizeBytes() <= 0
                || copy.offset() < 0
                || copy.address() <= 0
                || copy.offset() > copy.sizeBytes() - length
                || copy.address() > Long.MAX_VALUE - copy.sizeBytes() - keeper.chunkBytes()) {
            throw new RefusedException(RefusalCode.PROTOCOL, "a copy is not within its group");
        }
        synchronized (this) {
            if (leadership != null) {
                throw new RefusedException(RefusalCode.PROTOCOL, "this server leads, and stores no copies for others");
            }
            GroupDescription known = present.get(copy.address());
            if (known != null) {
                if (known.checksum() == copy.checksum() && known.sizeBytes() == copy.sizeBytes()) {
                    return;
                }
                throw new RefusedException(RefusalCode.PROTOCOL, "another group is at the address of a copy");
            }
            if (copy.sizeBytes() > capacityBytes - usedBytes) {
                throw new RefusedException(
                        RefusalCode.FULL,
                        "a copy of " + copy.sizeBytes() + " bytes has no room beside " + usedBytes + " of "
                                + capacityBytes);
            }
        }
        try {
            keeper.prepare(copy.address(), copy.sizeBytes());
            keeper.write(copy.address() + copy.offset(), copy.bytes());
            if (copy.offset() + length == copy.sizeBytes()) {
                keep(new GroupDescription(copy.address(), copy.sizeBytes(), copy.checksum(), false, "", 0));
            }
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.STORAGE, "a copy could not be stored: " + e.getMessage());
        }
    }

    private void keep(GroupDescription group) throws IOException, RefusedException {
        if (!kept.areIntact(group)) {
            throw new RefusedException(RefusalCode.CHECKSUM, "a copy has other bytes than its group");
        }
        kept.force(group.address(), group.sizeBytes());
        remember(group, group.sizeBytes());
    }

    /** The leader does not need a copy. */
    public synchronized void forgetCopy(Request.ForgetCopy copy) {
        Long sizeBytes = ranges.get(copy.address());
        if (leadership == null && keys.run() == copy.run() && sizeBytes != null && keys.at(copy.address()) == null) {
            doom(copy.address(), sizeBytes);
        }
    }

    private synchronized void awaitRun(long run) throws RefusedException, InterruptedException {
        Deadline deadline = Deadline.afterMillis(BEGUN_MILLIS);
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
        synchronized (this) {
            GroupDescription known = present.get(address);
            if (known != null) {
                return known;
            }
        }
        KeyRecord key = keys.at(address);
        GroupDescription group = key == null ? null : key.group();
        if (group != null && isHere(group)) {
            return group;
        }
        throw new RefusedException(
                RefusalCode.GROUP_GONE, "this server has no copy of the group at 0x" + Long.toHexString(address));
    }

    /** Whether the bytes are here. After a restart they are compared once. */
    private boolean isHere(GroupDescription group) {
        synchronized (this) {
            if (present.containsKey(group.address())) {
                return true;
            }
        }
        try {
            if (keeper.hasFiles(group.address(), group.sizeBytes()) && kept.areIntact(group)) {
                remember(group, reservedBytes(group));
                return true;
            }
        } catch (IOException e) {
            LOGGER.log(System.Logger.Level.WARNING, "a group could not be read, another copy is used", e);
        }
        return false;
    }

    /**
     * Returns when the bytes of a group are here, if a key leads to it: from another peer if need be.
     *
     * @throws RefusedException if no peer that can be reached has them
     */
    public void require(GroupDescription group) throws RefusedException {
        synchronized (this) {
            if (present.containsKey(group.address())) {
                return;
            }
        }
        if (keys.at(group.address()) == null || isHere(group)) {
            return;
        }
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < links.size(); i++) {
            if (i != settings.self()) {
                try {
                    kept.fetch(links.get(i), group);
                    remember(group, reservedBytes(group));
                    return;
                } catch (IOException | RefusedException e) {
                    failures.add(settings.places().get(i) + ": " + e.getMessage());
                }
            }
        }
        throw new RefusedException(
                RefusalCode.STORAGE,
                "the bytes at 0x" + Long.toHexString(group.address())
                        + " are not on this server, and no other one that has them can be reached: " + failures);
    }

    private long reservedBytes(GroupDescription group) {
        KeyRecord key = keys.at(group.address());
        return key == null ? group.sizeBytes() : key.reservedBytes();
    }

    /** Whether a key leads to a group whose bytes are not here. */
    public boolean lacks(GroupDescription group) {
        return keys.at(group.address()) != null && !isHere(group);
    }

    // Now and then

    private void maintain() {
        try {
            while (!closed) {
                TimeUnit.MILLISECONDS.sleep(MAINTAIN_MILLIS);
                freeDoomed();
                fetchMissing();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void freeDoomed() {
        while (true) {
            Doomed next;
            synchronized (this) {
                next = doomed.peek();
                if (next == null || next.afterNanos - System.nanoTime() > 0) {
                    return;
                }
                doomed.remove();
            }
            keeper.free(next.address, next.sizeBytes);
            Chunks chunks = new Chunks(keeper.chunkBytes());
            long last = chunks.number(next.address + Chunks.pages(next.sizeBytes) - 1);
            for (long chunk = chunks.number(next.address); chunk <= last; chunk++) {
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

    /** A server that was away when a key was committed gets its bytes later. */
    private void fetchMissing() {
        List<Long> all;
        synchronized (this) {
            all = List.copyOf(missing);
        }
        for (long address : all) {
            KeyRecord key = keys.at(address);
            GroupDescription group = key == null ? null : key.group();
            try {
                if (group != null) {
                    require(group);
                }
            } catch (RefusedException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "bytes are missing still: " + e.getMessage());
                return;
            }
            synchronized (this) {
                missing.remove(address);
            }
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
        maintenance.interrupt();
        copying.forEach(ThreadPoolExecutor::shutdownNow);
        Consensus current = consensus;
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            links.forEach(PeerLink::close);
        }
    }
}
