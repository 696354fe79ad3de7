package org.heapspan.exchange.metadata;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * The metadata server of ZCOT section 4.2 with the keys of the global heap (HotCloud'16): addresses, groups, keys, sessions. Knows of no bytes and
 * no connections. Thread-safe.
 */
public final class Metadata {
    /** The longest key, in bytes of UTF-8. */
    public static final int MOST_KEY_BYTES = 1024;

    private static final int MOST_LISTED_BYTES = 200 << 10;
    private static final int BYTES_OF_LISTED = 64;
    private static final int MOST_SESSIONS = 10_000;
    private static final int MOST_GROUPS = 10_000_000;
    private static final int MOST_NEEDED = 1_000;
    private static final int MOST_ENDED_AT_ONCE = 1_000;
    private static final int TOKEN_BYTES = 16;

    private final Chunks chunks;
    private final AddressSpace space;
    private final AddressSpace overflow;
    private final GroupStore store;
    private final Limits limits;
    private final KeyLog log;
    private final LongSupplier nanoClock;
    private final long leaseNanos;
    private final long handOverNanos;

    private final NavigableMap<Long, Group> groups = new TreeMap<>();
    private final NavigableMap<String, Key> keys = new TreeMap<>();
    private final Map<ByteBuffer, Session> sessions = new HashMap<>();
    private final Set<Group> handedOver = new HashSet<>();

    /** Groups of an earlier leader, until those who lease them must have leased them again. */
    private final Set<Group> orphans = new HashSet<>();

    private long orphansUntil;
    private final CopySets copySets = new CopySets();

    /** Space that nobody uses any more, to be given back when the change that was the last one then is safe. Guarded by itself. */
    private final Queue<Freed> freed = new ArrayDeque<>();

    private @Nullable Consumer<Session> whenEnded;
    private long memoryUsedBytes;
    private long overflowUsedBytes;
    private boolean closed;

    private record Freed(long change, Runnable giveBack) {}

    /**
     * What clients may take.
     *
     * @param memoryBytes all groups in memory together
     * @param overflowBytes all groups together for which the memory has no room
     * @param clientBytes groups that one client has reserved or published, and that no key leads to
     * @param clientConnections connections of one client
     */
    public record Limits(long memoryBytes, long overflowBytes, long clientBytes, int clientConnections) {}

    /**
     * Begins without groups.
     *
     * @param firstChunk where addresses begin
     * @param store gives space back
     * @param limits of all clients and of each
     * @param lease how long a session lives without a connection
     * @param handOver how long a group waits for the one who takes it
     * @param log takes down changes of keys
     * @param nanoClock the time, as {@link System#nanoTime} tells it
     */
    public Metadata(
            Chunks chunks,
            long firstChunk,
            GroupStore store,
            Limits limits,
            Duration lease,
            Duration handOver,
            KeyLog log,
            LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.chunks = chunks;
        this.space = new AddressSpace(chunks, firstChunk);
        this.overflow = new AddressSpace(chunks, chunks.firstOverflow() + firstChunk);
        this.store = store;
        this.limits = limits;
        this.leaseNanos = lease.toNanos();
        this.handOverNanos = handOver.toNanos();
    }

    /** Takes over a key of an earlier server. */
    public synchronized void adopt(KeyRecord record) {
        GroupDescription description = record.group();
        if (description == null) {
            throw new IllegalArgumentException("key '" + record.name() + "' was removed");
        }
        // A group that was taken down is there already.
        Group present = groups.get(description.address());
        Group group = present == null ? adopt(description, record.reservedBytes()) : present;
        group.keys = 1;
        keys.put(record.name(), new Key(record.name(), description.version(), group, record.committedMillis()));
    }

    private Group adopt(GroupDescription description, long reservedBytes) {
        Group group = new Group(description.address(), reservedBytes, null);
        group.description = description;
        groups.put(group.address, group);
        spaceOf(group).adopt(group.address, reservedBytes);
        countUsed(group, Chunks.pages(reservedBytes));
        return group;
    }

    /**
     * Takes over everything of an earlier leader. All groups stay for the time of a lease, also if their keys go, because only those who lease them
     * know of that.
     */
    public synchronized void adopt(Collection<GroupRecord> adopted, Collection<KeyRecord> adoptedKeys) {
        adopted.forEach(each -> adopt(each.group(), each.reservedBytes()).takenDown = true);
        adoptedKeys.forEach(this::adopt);
        for (GroupRecord each : adopted) {
            Group group = Objects.requireNonNull(groups.get(each.address()));
            List<Group> needed = new ArrayList<>();
            for (long address : each.needed()) {
                Group other = groups.get(address);
                if (other != null) {
                    other.neededBy++;
                    needed.add(other);
                }
            }
            group.needed = List.copyOf(needed);
            group.orphaned = true;
            orphans.add(group);
        }
        orphansUntil = nanoClock.getAsLong() + leaseNanos;
    }

    private static KeyRecord record(Key key) {
        return new KeyRecord(key.name(), committed(key.group()), key.committedMillis(), key.group().reservedBytes);
    }

    /** All keys and what they lead to, for a server that keeps them. */
    public synchronized Collection<KeyRecord> keys() {
        return keys.values().stream().map(Metadata::record).toList();
    }

    private interface Step {
        long run() throws IOException;
    }

    private static long logged(String what, Step step) throws RefusedException {
        try {
            return step.run();
        } catch (NotLeaderException e) {
            throw new RefusedException(RefusalCode.NOT_LEADER, String.valueOf(e.getMessage()));
        } catch (FullException e) {
            throw new RefusedException(RefusalCode.FULL, "there is no room for " + what + ": " + e.getMessage());
        } catch (IOException e) {
            throw new RefusedException(
                    RefusalCode.STORAGE, "the change of " + what + " could not be stored: " + e.getMessage());
        }
    }

    private static String key(String name) {
        return "key '" + name + "'";
    }

    /** For people. */
    private static String target(Request.Commit request) {
        return request.key().isEmpty() ? "the group at " + hexadecimal(request.address()) : key(request.key());
    }

    /** A key is about to lead to a group, or to none. Its former group is freed with that, unless somebody else needs it. */
    private long takeDown(KeyRecord record, @Nullable Group group, @Nullable UUID number) throws RefusedException {
        Key former = keys.get(record.name());
        boolean keepsFormer =
                former != null && log.takesGroups() && former.group().isNeededWithoutKey();
        Change change = new Change.OfKey(record, keepsFormer, group == null ? List.of() : group.neededAddresses());
        long made = logged(key(record.name()), () -> log.add(change, former == null ? null : record(former), number));
        if (former != null && !keepsFormer) {
            former.group().takenDown = false;
        }
        return made;
    }

    /** A group is about to be there that no key leads to. */
    private long takeDown(Group group, GroupDescription description) throws RefusedException {
        GroupRecord record = new GroupRecord(description, group.reservedBytes, group.neededAddresses());
        return logged(
                "the group at " + hexadecimal(group.address), () -> log.add(new Change.GroupAdded(record), null, null));
    }

    /** False if nobody could be told: another server leads, which frees the group when nobody has leased it again, and needs its bytes. */
    private boolean takeDownEnd(Group group) {
        if (group.takenDown) {
            group.takenDown = false;
            try {
                log.add(new Change.GroupFreed(group.address), null, null);
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }

    /** Whether a group is taken down when it is committed: with its key, or by itself. */
    private boolean isTakenDown(Request.Commit request) {
        return !request.key().isEmpty() || log.takesGroups() && !request.raw() && !request.handOver();
    }

    /** Without the lock: devices take their time. */
    private void await(String what, long change) throws RefusedException {
        logged(what, () -> {
            log.await(change);
            return change;
        });
    }

    // Sessions

    /** Tells of each session that has ended, without locks. */
    public synchronized void whenEnded(Consumer<Session> use) {
        whenEnded = use;
    }

    /**
     * Begins a session with one connection.
     *
     * @param address where that comes from, for people
     */
    public synchronized Session open(String address) throws RefusedException {
        checkOpen();
        if (sessions.size() >= MOST_SESSIONS) {
            throw new RefusedException(
                    RefusalCode.BUSY, "the server has " + sessions.size() + " sessions, which is the most it allows");
        }
        Session session = new Session(SharedSecret.random(TOKEN_BYTES), address, nanoClock.getAsLong());
        session.connections = 1;
        sessions.put(ByteBuffer.wrap(session.token()), session);
        return session;
    }

    /**
     * Adds a connection to a session.
     *
     * @return null if the session has ended, or never was
     * @throws RefusedException if it has as many as a client may have
     */
    public synchronized @Nullable Session join(byte[] token) throws RefusedException {
        Session session = sessions.get(ByteBuffer.wrap(token));
        if (session != null) {
            if (session.connections >= limits.clientConnections()) {
                throw new RefusedException(
                        RefusalCode.BUSY,
                        "this client has " + session.connections
                                + " connections, which is the most that the server allows one client");
            }
            session.connections++;
        }
        return session;
    }

    /** A connection has ended. Its session lives on for the time of a lease if that was the last. */
    public synchronized void leave(Session session) {
        session.connections--;
        session.expires = nanoClock.getAsLong() + leaseNanos;
    }

    /** Ends a session: what it leases and populates is given back. */
    public void end(Session session) {
        synchronized (this) {
            remove(session);
        }
        giveBack();
    }

    private void remove(Session session) {
        if (session.ended) {
            return;
        }
        session.ended = true;
        sessions.remove(ByteBuffer.wrap(session.token()));
        for (Group group : List.copyOf(session.reservations)) {
            group.populating = null;
            freeIfUnused(group);
        }
        session.leases.forEach((group, count) -> {
            group.leases -= count;
            freeIfUnused(group);
        });
        session.reservations.clear();
        session.leases.clear();
        copySets.leave(session);
        // It may wait for news.
        notifyAll();
        Consumer<Session> use = whenEnded;
        if (use != null) {
            whenSafe(() -> use.accept(session));
        }
    }

    /** Ends sessions without connections and hand-overs whose time has passed. To be called now and then. */
    public void expire() {
        synchronized (this) {
            long now = nanoClock.getAsLong();
            for (Session session : List.copyOf(sessions.values())) {
                if (session.connections == 0 && session.expires - now < 0) {
                    remove(session);
                }
            }
            copySets.deaf().forEach(this::remove);
            for (Group group : List.copyOf(handedOver)) {
                if (group.handOverUntil - now < 0) {
                    endHandOver(group);
                    freeIfUnused(group);
                }
            }
            if (!orphans.isEmpty() && orphansUntil - now < 0) {
                endOrphans();
            }
        }
        giveBack();
    }

    /** Some of them: each that is freed is a change. The next ones have their turn with the next call. */
    private void endOrphans() {
        Iterator<Group> next = orphans.iterator();
        for (int ended = 0; ended < MOST_ENDED_AT_ONCE && next.hasNext(); ) {
            Group group = next.next();
            next.remove();
            group.orphaned = false;
            if (group.isUnused()) {
                ended++;
                freeIfUnused(group);
            }
        }
    }

    private void endHandOver(Group group) {
        group.handOverUntil = 0;
        handedOver.remove(group);
    }

    // Groups

    /** The first stage: space that only this session can write to. */
    public synchronized long reserve(Session session, long sizeBytes) throws RefusedException {
        return reserve(session, sizeBytes, false);
    }

    /** As {@link #reserve(Session, long)}, in the overflow: memory that should be free is not, because others use the same device. */
    public synchronized long reserveInOverflow(Session session, long sizeBytes) throws RefusedException {
        return reserve(session, sizeBytes, true);
    }

    /** Whether groups for which the memory has no room have another place. */
    public boolean hasOverflow() {
        return limits.overflowBytes() > 0;
    }

    private long reserve(Session session, long sizeBytes, boolean overflowOnly) throws RefusedException {
        checkOpen();
        checkNotEnded(session);
        if (sizeBytes <= 0) {
            throw new RefusedException(
                    RefusalCode.LIMIT, "a group of " + sizeBytes + " bytes, expected a positive number");
        }
        if (sizeBytes > Math.max(limits.memoryBytes(), limits.overflowBytes())) {
            throw new RefusedException(RefusalCode.FULL, full(sizeBytes));
        }
        long pages = Chunks.pages(sizeBytes);
        boolean isInOverflow = overflowOnly || memoryUsedBytes > limits.memoryBytes() - pages;
        if (isInOverflow && overflowUsedBytes > limits.overflowBytes() - pages) {
            throw new RefusedException(RefusalCode.FULL, full(sizeBytes));
        }
        if (session.heldBytes > limits.clientBytes() - pages) {
            throw new RefusedException(
                    RefusalCode.LIMIT,
                    sizeBytes + " bytes were asked for, but this client has " + session.heldBytes + " of "
                            + limits.clientBytes()
                            + " bytes that one client may take without a key; close handles, or give clients more"
                            + " (--client-memory)");
        }
        if (groups.size() >= MOST_GROUPS) {
            throw new RefusedException(
                    RefusalCode.FULL, "the server has " + groups.size() + " groups, which is the most");
        }
        long address = (isInOverflow ? overflow : space).allocate(sizeBytes);
        Group group = new Group(address, sizeBytes, session);
        groups.put(address, group);
        session.reservations.add(group);
        session.heldBytes += pages;
        countUsed(group, pages);
        return address;
    }

    private String full(long sizeBytes) {
        String second = limits.overflowBytes() == 0
                ? ""
                : ", and " + overflowUsedBytes + " of " + limits.overflowBytes() + " bytes of the overflow folder";
        return sizeBytes + " bytes were asked for, but " + memoryUsedBytes + " of " + limits.memoryBytes()
                + " bytes are in use" + second + "; remove keys, close handles, or give the server more ("
                + (second.isEmpty() ? "" : "--overflow, ") + "--memory)";
    }

    /** Whether an address is of a group for which the memory had no room. */
    public boolean isInOverflow(long address) {
        return chunks.isOverflow(chunks.number(address));
    }

    private AddressSpace spaceOf(Group group) {
        return isInOverflow(group.address) ? overflow : space;
    }

    private void countUsed(Group group, long addedBytes) {
        if (spaceOf(group) == overflow) {
            overflowUsedBytes += addedBytes;
        } else {
            memoryUsedBytes += addedBytes;
        }
    }

    /**
     * Bytes come through a connection for what a session has reserved at an address, which is not committed as written in place any more.
     *
     * @return how long the space is
     */
    public synchronized long beginUpload(Session session, long address) throws RefusedException {
        Group group = reserved(session, address);
        group.isUploaded = true;
        return group.reservedBytes;
    }

    private Group reserved(Session session, long address) throws RefusedException {
        checkNotEnded(session);
        Group group = groups.get(address);
        if (group == null || group.populating != session) {
            throw gone(address, "this session has reserved nothing there");
        }
        return group;
    }

    /** Refuses to commit what a session has not reserved, or in another way than its bytes have come. */
    public synchronized void checkReserved(Session session, Request.Commit request) throws RefusedException {
        reservedFor(session, request);
    }

    /** The last stage: makes a group visible, as {@link #commit(Session, Request.Commit, UUID)}. */
    public long commit(Session session, Request.Commit request) throws RefusedException {
        return commit(session, request, null);
    }

    /**
     * The last stage: makes a group visible. Its bytes must be there.
     *
     * @param number of the change, which counts once; null if its client does not repeat it
     * @return the version of the key, or 0 without a key
     */
    public long commit(Session session, Request.Commit request, @Nullable UUID number) throws RefusedException {
        boolean withKey = !request.key().isEmpty();
        boolean takenDown = isTakenDown(request);
        if (takenDown) {
            written(session, request, withKey ? number : null);
        }
        Made change = make(session, request, withKey ? number : null);
        if (takenDown) {
            await(target(request), change.number);
        }
        if (change.repeated) {
            release(session, new long[] {request.address()});
        }
        giveBack();
        return change.version;
    }

    /** The bytes are where the key will need them, unless the change was made before or cannot be made. */
    private void written(Session session, Request.Commit request, @Nullable UUID number) throws RefusedException {
        Group group;
        synchronized (this) {
            group = reservedFor(session, request);
            if (outcome(number) != null) {
                return;
            }
            if (!request.key().isEmpty()) {
                nextVersion(request.key(), request.replacedVersion());
            }
            group.isWritten = true;
        }
        try {
            logged(target(request), () -> {
                log.written(request.address(), request.sizeBytes(), request.checksum());
                return 0;
            });
        } finally {
            if (isGone(group)) {
                // The session has ended meanwhile, and those who were told then may have got the bytes afterwards.
                log.abandoned(group.address);
            }
        }
    }

    private synchronized boolean isGone(Group group) {
        return groups.get(group.address) != group;
    }

    /** A change: its version, its number in the log, and whether it was made before. */
    private record Made(long version, long number, boolean repeated) {}

    /**
     * The version of a key after a change that was made already with this number, 0 if it was removed. Null if there is no such change.
     *
     * @throws RefusedException if the change may not be answered
     */
    public @Nullable Long outcome(String name, UUID number) throws RefusedException {
        Long outcome;
        long last;
        synchronized (this) {
            checkOpen();
            outcome = outcome(number);
            last = log.last();
        }
        if (outcome != null) {
            await(key(name), last);
        }
        return outcome;
    }

    private @Nullable Long outcome(@Nullable UUID number) {
        return number == null ? null : log.outcome(number);
    }

    private synchronized Made make(Session session, Request.Commit request, @Nullable UUID number)
            throws RefusedException {
        Group group = reservedFor(session, request);
        Long outcome = outcome(number);
        if (outcome != null) {
            return new Made(outcome, log.last(), true);
        }
        long version = request.key().isEmpty() ? 0 : nextVersion(request.key(), request.replacedVersion());
        GroupDescription description = new GroupDescription(
                request.address(), request.sizeBytes(), request.checksum(), request.raw(), request.typeName(), version);
        long millis = System.currentTimeMillis();
        long change = 0;
        if (version > 0) {
            change = takeDown(new KeyRecord(request.key(), description, millis, group.reservedBytes), group, number);
        } else if (isTakenDown(request)) {
            change = takeDown(group, description);
        }
        group.takenDown = log.takesGroups() && isTakenDown(request);
        group.isWritten = false;
        session.writesInPlace |= request.direct();
        group.populating = null;
        session.reservations.remove(group);
        group.description = description;
        if (version > 0) {
            group.endHolding();
            group.keys = 1;
            Key before = keys.put(request.key(), new Key(request.key(), version, group, millis));
            if (before != null) {
                before.group().keys--;
                freeIfUnused(before.group());
            }
            notifyAll();
        } else if (request.handOver()) {
            group.handOverUntil = notZero(nanoClock.getAsLong() + handOverNanos);
            handedOver.add(group);
        } else {
            lease(session, group);
        }
        return new Made(version, change, false);
    }

    private Group reservedFor(Session session, Request.Commit request) throws RefusedException {
        checkOpen();
        Group group = reserved(session, request.address());
        if (request.sizeBytes() <= 0 || request.sizeBytes() > group.reservedBytes) {
            throw new RefusedException(
                    RefusalCode.LIMIT,
                    "a group of " + request.sizeBytes() + " bytes, but " + group.reservedBytes + " are reserved");
        }
        if (request.direct() && group.isUploaded) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    "bytes of the group have come through a connection, and it is said to be written in place");
        }
        if (isTakenDown(request) && log != KeyLog.NONE) {
            checkNeeded(group);
        }
        return group;
    }

    private void checkNeeded(Group group) throws RefusedException {
        if (!group.needed.isEmpty() && !log.takesGroups()) {
            throw new RefusedException(
                    RefusalCode.LIMIT,
                    "the server keeps its keys, but not groups without a key, which the group of this key needs");
        }
        for (Group needed : group.needed) {
            if (!needed.takenDown) {
                throw new RefusedException(
                        RefusalCode.LIMIT,
                        "the group needs the one at " + hexadecimal(needed.address)
                                + ", which is not replicated: its image is raw, or it is handed over");
            }
        }
    }

    private static long notZero(long nanos) {
        return nanos == 0 ? 1 : nanos;
    }

    private long nextVersion(String name, long replacedVersion) throws RefusedException {
        checkKey(name);
        Key key = keys.get(name);
        long present = key == null ? 0 : key.version();
        if (present == replacedVersion) {
            return present + 1;
        }
        if (replacedVersion == 0) {
            throw new RefusedException(
                    RefusalCode.KEY_EXISTS,
                    "key '" + name + "' has been committed as version " + present
                            + "; replace it (GlobalHeap.replace), or remove it first");
        }
        throw new RefusedException(
                RefusalCode.OTHER_VERSION,
                "key '" + name + "' has "
                        + (present == 0 ? "not been committed or has been removed" : "version " + present)
                        + ", the version to replace was " + replacedVersion);
    }

    private static void checkKey(String name) throws RefusedException {
        int length = name.getBytes(StandardCharsets.UTF_8).length;
        if (length > MOST_KEY_BYTES) {
            throw new RefusedException(
                    RefusalCode.LIMIT, "a key of " + length + " bytes, expected at most " + MOST_KEY_BYTES);
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw new RefusedException(RefusalCode.LIMIT, "the key '" + name + "' has control characters");
        }
    }

    private void lease(Session session, Group group) {
        group.leases++;
        session.leases.merge(group, 1, Integer::sum);
        group.beginHolding(session);
    }

    /** Waits for a key, and leases its group. */
    public synchronized GroupDescription locate(Session session, String name, Deadline deadline)
            throws RefusedException, InterruptedException {
        while (!closed && !keys.containsKey(name)) {
            long millis = deadline.remainingMillis();
            if (millis == 0) {
                break;
            }
            wait(millis);
        }
        checkOpen();
        checkNotEnded(session);
        Key key = keys.get(name);
        if (key == null) {
            throw new RefusedException(RefusalCode.KEY_MISSING, "key '" + name + "' has not been committed");
        }
        Group group = key.group();
        lease(session, group);
        return committed(group);
    }

    /** Leases the group at an address. The one who takes it ends its hand-over. */
    public synchronized GroupDescription locate(Session session, long address, boolean take) throws RefusedException {
        checkOpen();
        checkNotEnded(session);
        Group group = groups.get(address);
        if (group == null || group.description == null) {
            throw gone(address, insideOf(address));
        }
        if (take) {
            if (group.handOverUntil == 0) {
                throw gone(address, "the group there was taken already, or is not handed over");
            }
            endHandOver(group);
        }
        lease(session, group);
        return committed(group);
    }

    private String insideOf(long address) {
        Map.Entry<Long, Group> below = groups.floorEntry(address);
        if (below != null && address > below.getKey() && address < below.getKey() + below.getValue().reservedBytes) {
            return "the address is inside of the group at " + hexadecimal(below.getKey())
                    + ", expected the address of a group";
        }
        return "it was freed, or was never committed, or belongs to a server that has ended";
    }

    private static RefusedException gone(long address, String why) {
        return new RefusedException(RefusalCode.GROUP_GONE, "no group at address " + hexadecimal(address) + ": " + why);
    }

    private static String hexadecimal(long address) {
        return "0x" + Long.toHexString(address);
    }

    private static GroupDescription committed(Group group) {
        GroupDescription description = group.description;
        if (description == null) {
            throw new IllegalStateException("a key leads to a group that is not committed");
        }
        return description;
    }

    /** The group at an address, which this session leases. */
    public synchronized GroupDescription leased(Session session, long address) throws RefusedException {
        Group group = groups.get(address);
        if (group == null || !session.leases.containsKey(group)) {
            throw gone(address, "this session does not lease it");
        }
        return committed(group);
    }

    /**
     * Ends leases, or abandons reservations; addresses without either are passed over, because the session may have expired meanwhile.
     *
     * @param addresses as in {@link Request.Release}
     */
    public void release(Session session, long[] addresses) {
        synchronized (this) {
            for (long address : addresses) {
                Group group = groups.get(Math.abs(address));
                if (group != null && (address > 0 || group.populating == session)) {
                    release(session, group);
                }
            }
        }
        giveBack();
    }

    private void release(Session session, Group group) {
        if (group.populating == session) {
            group.populating = null;
            session.reservations.remove(group);
        } else if (session.leases.containsKey(group)) {
            session.leases.computeIfPresent(group, (same, count) -> count == 1 ? null : count - 1);
            group.leases--;
        }
        freeIfUnused(group);
    }

    private void freeIfUnused(Group group) {
        Deque<Group> next = new ArrayDeque<>(List.of(group));
        while (!next.isEmpty()) {
            Group unused = next.remove();
            if (unused.isUnused() && groups.remove(unused.address) != null) {
                free(unused);
                for (Group needed : unused.needed) {
                    needed.neededBy--;
                    next.add(needed);
                }
            }
        }
    }

    private void free(Group group) {
        group.endHolding();
        boolean ended = takeDownEnd(group);
        countUsed(group, -Chunks.pages(group.reservedBytes));
        AddressSpace place = spaceOf(group);
        place.free(group.address, group.reservedBytes);
        boolean told = copySets.freed(group);
        if (group.isWritten) {
            whenSafe(() -> log.abandoned(group.address));
        }
        if (ended) {
            whenSafe(() -> store.free(group.address, group.reservedBytes));
        }
        long last = chunks.number(group.address + Chunks.pages(group.reservedBytes) - 1);
        for (long chunk = chunks.number(group.address); chunk <= last; chunk++) {
            if (!place.isUsed(chunk)) {
                long dropped = chunk;
                told |= copySets.dropped(chunk);
                whenSafe(() -> store.drop(dropped));
            }
        }
        if (told) {
            notifyAll();
        }
    }

    private void whenSafe(Runnable giveBack) {
        synchronized (freed) {
            freed.add(new Freed(log.last(), giveBack));
        }
    }

    /** Without the lock: files take their time. After a crash of the host, a change that was lost is undone: its key leads to what it had before. */
    private void giveBack() {
        for (Runnable next = nextSafe(); next != null; next = nextSafe()) {
            next.run();
        }
    }

    private @Nullable Runnable nextSafe() {
        synchronized (freed) {
            Freed next = freed.peek();
            if (next == null || !log.isSafe(next.change)) {
                return null;
            }
            freed.remove();
            return next.giveBack;
        }
    }

    // Copies and dependencies

    /** A session is that of a keeper, which has copies for its host. Other keepers find it at this port, or not at all if that is 0. */
    public synchronized void join(Session session, int port) throws RefusedException {
        checkOpen();
        checkNotEnded(session);
        copySets.join(session, port);
    }

    private Node node(Session session) throws RefusedException {
        checkOpen();
        checkNotEnded(session);
        Node node = session.node;
        if (node == null) {
            throw new RefusedException(RefusalCode.PROTOCOL, "only a keeper that has joined has copies");
        }
        return node;
    }

    /** A keeper has a copy of a group, and is told when the group is freed. */
    public synchronized void addCopy(Session session, long address) throws RefusedException {
        Node node = node(session);
        Group group = groups.get(address);
        if (group == null || group.description == null) {
            throw gone(address, insideOf(address));
        }
        copySets.add(session, node, group);
    }

    /** A keeper has these copies no more. */
    public synchronized void dropCopies(Session session, long[] addresses) throws RefusedException {
        Node node = node(session);
        for (long address : addresses) {
            Group group = groups.get(address);
            if (group != null) {
                copySets.drop(session, node, group);
            }
        }
    }

    /** Waits for what a keeper must be told. It hears the same again until it confirms it. */
    public synchronized Reply.Freed awaitFreed(Session session, long confirmed, Deadline deadline)
            throws RefusedException, InterruptedException {
        Node node = node(session);
        node.confirm(confirmed);
        while (!closed && !session.ended && !node.hasNews()) {
            long millis = deadline.remainingMillis();
            if (millis == 0) {
                break;
            }
            wait(millis);
        }
        node(session);
        return node.news();
    }

    /** Where else the group is that a session leases, and what it needs that this session has no copy of. */
    public synchronized Reply.Copies findCopies(Session session, long address) throws RefusedException {
        leased(session, address);
        return copySets.find(Objects.requireNonNull(groups.get(address)), session);
    }

    /** The group that a session populates needs others, which live as long as it does. */
    public synchronized void depend(Session session, long address, long[] needed) throws RefusedException {
        Group group = reserved(session, address);
        if (needed.length > MOST_NEEDED - group.needed.size()) {
            throw new RefusedException(
                    RefusalCode.LIMIT, "a group needs " + needed.length + " others, at most " + MOST_NEEDED);
        }
        List<Group> all = new ArrayList<>(group.needed);
        for (long each : needed) {
            Group other = groups.get(each);
            if (other == null || other.description == null) {
                throw gone(each, insideOf(each));
            }
            all.add(other);
        }
        all.subList(group.needed.size(), all.size()).forEach(other -> other.neededBy++);
        group.needed = List.copyOf(all);
    }

    // Keys

    /** Removes a key, as {@link #remove(String, long, UUID)}. */
    public void remove(String name, long version) throws RefusedException {
        remove(name, version, null);
    }

    /**
     * Removes a key; those who use its group keep it.
     *
     * @param number of the change, which counts once; null if its client does not repeat it
     */
    public void remove(String name, long version, @Nullable UUID number) throws RefusedException {
        await(key(name), makeRemoval(name, version, number));
        giveBack();
    }

    private synchronized long makeRemoval(String name, long version, @Nullable UUID number) throws RefusedException {
        if (outcome(number) != null) {
            return log.last();
        }
        Key key = keys.get(name);
        if (key == null) {
            throw new RefusedException(RefusalCode.KEY_MISSING, "key '" + name + "' has not been committed");
        }
        if (version != 0 && version != key.version()) {
            throw new RefusedException(
                    RefusalCode.OTHER_VERSION,
                    "key '" + name + "' has version " + key.version() + ", the version to remove was " + version);
        }
        long change = takeDown(new KeyRecord(name, null, 0, 0), null, number);
        keys.remove(name);
        key.group().keys--;
        freeIfUnused(key.group());
        return change;
    }

    /** What is known of a key; empty if there is none. */
    public synchronized List<KeyDescription> stat(String name) {
        Key key = keys.get(name);
        return key == null ? List.of() : List.of(description(key));
    }

    private static KeyDescription description(Key key) {
        return new KeyDescription(key.name(), committed(key.group()), key.committedMillis(), key.group().leases);
    }

    /** The keys with a prefix that come after another one, as many as fit into a message. */
    public synchronized List<KeyDescription> list(String prefix, String after) {
        List<KeyDescription> found = new ArrayList<>();
        int bytes = 0;
        Collection<Key> rest = after.compareTo(prefix) >= 0 && !after.isEmpty()
                ? keys.tailMap(after, false).values()
                : keys.tailMap(prefix, true).values();
        for (Key key : rest) {
            KeyDescription next = description(key);
            bytes += BYTES_OF_LISTED
                    + 3 * (key.name().length() + next.group().typeName().length());
            if (!key.name().startsWith(prefix) || bytes > MOST_LISTED_BYTES) {
                break;
            }
            found.add(next);
        }
        return found;
    }

    // The whole

    /** What people want to see, with so many rows of each list. */
    public synchronized Overview overview(int mostRows) {
        long now = nanoClock.getAsLong();
        List<Overview.Client> clients = sessions.values().stream()
                .limit(mostRows)
                .map(session -> new Overview.Client(
                        session.address,
                        session.connections,
                        session.leases.values().stream()
                                .mapToInt(Integer::intValue)
                                .sum(),
                        session.heldBytes,
                        session.writesInPlace,
                        TimeUnit.NANOSECONDS.toMillis(now - session.began)))
                .toList();
        return new Overview(
                sessions.values().stream()
                        .mapToInt(session -> session.reservations.size())
                        .sum(),
                handedOver.size(),
                chunks.chunkBytes(),
                space.chunkCount() + overflow.chunkCount(),
                clients,
                Stream.concat(space.chunks(mostRows).stream(), overflow.chunks(mostRows).stream())
                        .limit(mostRows)
                        .toList(),
                keys.values().stream()
                        .limit(mostRows)
                        .map(Metadata::description)
                        .toList(),
                copySets.overview(mostRows));
    }

    private void checkOpen() throws RefusedException {
        if (closed) {
            throw new RefusedException(RefusalCode.CLOSING, "the server is being closed");
        }
    }

    private static void checkNotEnded(Session session) throws RefusedException {
        if (session.ended) {
            throw new RefusedException(
                    RefusalCode.GROUP_GONE,
                    "the session has ended, because the client was silent for too long; open the heap again");
        }
    }

    /** All groups that are there or reserved: their addresses, and how much is reserved for each. */
    public synchronized Map<Long, Long> ranges() {
        Map<Long, Long> ranges = new HashMap<>();
        groups.values().forEach(group -> ranges.put(group.address, group.reservedBytes));
        return ranges;
    }

    /** Refuses everything from now on, and wakes who waits. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Bytes that groups take. */
    public synchronized long usedBytes() {
        return memoryUsedBytes + overflowUsedBytes;
    }

    /** Bytes that groups may take. */
    public long capacityBytes() {
        return limits.memoryBytes() + limits.overflowBytes();
    }

    public synchronized int groupCount() {
        return groups.size();
    }

    public synchronized int keyCount() {
        return keys.size();
    }

    public synchronized int sessionCount() {
        return sessions.size();
    }
}
