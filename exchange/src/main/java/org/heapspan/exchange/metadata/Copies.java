package org.heapspan.exchange.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * What a keeper that has joined a server has of its groups, at the same addresses: copies, and groups that clients of this host populate. A copy
 * stays until the server frees its group, or its memory is needed and no client uses it. Thread-safe.
 */
public final class Copies {
    private static final long PIECE_OF_WAIT_MILLIS = 500;

    private final long capacityBytes;
    private final long clientBytes;
    private final Store store;
    private final Map<Long, Copy> copies = new HashMap<>();
    private final Map<Session, Held> held = new HashMap<>();

    /** Copies that nobody uses, those first that were used last the longest time ago. */
    private final Set<Copy> idle = new LinkedHashSet<>();

    private long usedBytes;
    private int dropping;

    /** What has the bytes. Called without locks. */
    public interface Store {
        /** The bytes of a copy are not needed any more. */
        void free(long address, long sizeBytes);

        /** These copies had to make room. Called after {@link #free}, and before they can be fetched again. */
        void evicted(long[] addresses);
    }

    private enum State {
        POPULATING,
        FETCHING,
        READY,
        DROPPING
    }

    private static final class Copy {
        final long address;
        final long sizeBytes;
        State state;
        int leases;
        int pins;
        boolean freed;

        @Nullable
        GroupDescription description;

        Copy(long address, long sizeBytes, State state) {
            this.address = address;
            this.sizeBytes = sizeBytes;
            this.state = state;
        }

        long pages() {
            return Chunks.pages(sizeBytes);
        }

        boolean isIdle() {
            return state == State.READY && leases == 0 && pins == 0;
        }
    }

    /** What a session has. */
    private static final class Held {
        final Map<Copy, Integer> leases = new HashMap<>();
        final Set<Copy> reservations = new HashSet<>();
        long reservedBytes;
    }

    /**
     * Begins without copies.
     *
     * @param capacityBytes of all copies together
     * @param clientBytes that one client may have reserved
     */
    public Copies(long capacityBytes, long clientBytes, Store store) {
        this.capacityBytes = capacityBytes;
        this.clientBytes = clientBytes;
        this.store = store;
    }

    // Room

    /** Takes room, and drops copies that nobody uses if there is not enough. */
    private void takeRoom(long pages) throws RefusedException, InterruptedException {
        while (true) {
            List<Copy> victims;
            synchronized (this) {
                if (usedBytes <= capacityBytes - pages) {
                    usedBytes += pages;
                    return;
                }
                victims = victims(usedBytes + pages - capacityBytes);
                if (victims.isEmpty()) {
                    if (dropping == 0 || pages > capacityBytes) {
                        throw full(pages);
                    }
                    wait(PIECE_OF_WAIT_MILLIS);
                }
            }
            drop(victims, true);
        }
    }

    /**
     * Drops copies that nobody uses, those first that were used last the longest time ago, because the device has no room. Drops none if all of them
     * together would not help.
     *
     * @param missingBytes how much room is missing
     * @return false if there is too little to drop, and no other thread has dropped some meanwhile
     */
    public boolean dropUnused(long missingBytes) throws InterruptedException {
        long missingPages = Chunks.pages(missingBytes);
        List<Copy> victims;
        synchronized (this) {
            boolean waited = false;
            while (idle.stream().mapToLong(Copy::pages).sum() < missingPages) {
                if (dropping == 0) {
                    return waited;
                }
                // Another thread gives room back.
                wait(PIECE_OF_WAIT_MILLIS);
                waited = true;
            }
            victims = victims(missingPages);
        }
        drop(victims, true);
        return true;
    }

    private RefusedException full(long pages) {
        return new RefusedException(
                RefusalCode.FULL,
                pages + " bytes were asked for, but clients of this host use " + usedBytes + " of " + capacityBytes
                        + " bytes of their keeper; close handles, or give the keeper more (--memory)");
    }

    private List<Copy> victims(long bytes) {
        List<Copy> victims = new ArrayList<>();
        long found = 0;
        for (Iterator<Copy> next = idle.iterator(); found < bytes && next.hasNext(); ) {
            Copy victim = next.next();
            next.remove();
            beginDropping(victim);
            victims.add(victim);
            found += victim.pages();
        }
        return victims;
    }

    private void beginDropping(Copy copy) {
        idle.remove(copy);
        copy.state = State.DROPPING;
        dropping++;
    }

    private void drop(List<Copy> victims, boolean evicted) {
        if (victims.isEmpty()) {
            return;
        }
        victims.forEach(each -> store.free(each.address, each.sizeBytes));
        if (evicted) {
            store.evicted(victims.stream().mapToLong(each -> each.address).toArray());
        }
        synchronized (this) {
            for (Copy victim : victims) {
                copies.remove(victim.address);
                usedBytes -= victim.pages();
                dropping--;
            }
            notifyAll();
        }
    }

    // Reading

    /**
     * Begins the use of a group that its server has committed, and keeps meanwhile. Waits while others fetch it, or finish its commit here. Each call is followed by one of {@link #endUse}.
     *
     * @return whether the caller must fetch its bytes, and then call {@link #fetched} or {@link #endUse}
     */
    public boolean beginUse(GroupDescription group) throws RefusedException, InterruptedException {
        while (true) {
            synchronized (this) {
                Copy copy = copies.get(group.address());
                if (copy == null) {
                    break;
                }
                if (copy.state == State.READY) {
                    pin(copy);
                    return false;
                }
                wait(PIECE_OF_WAIT_MILLIS);
            }
        }
        takeRoom(Chunks.pages(group.sizeBytes()));
        synchronized (this) {
            if (!copies.containsKey(group.address())) {
                Copy copy = new Copy(group.address(), group.sizeBytes(), State.FETCHING);
                copies.put(copy.address, copy);
                pin(copy);
                return true;
            }
            usedBytes -= Chunks.pages(group.sizeBytes());
            notifyAll();
        }
        // Another thread was faster.
        return beginUse(group);
    }

    private void pin(Copy copy) {
        copy.pins++;
        idle.remove(copy);
    }

    /** The bytes are there. */
    public synchronized void fetched(GroupDescription group) {
        Copy copy = copies.get(group.address());
        if (copy != null && copy.state == State.FETCHING) {
            copy.description = group;
            copy.state = State.READY;
            notifyAll();
        }
    }

    /** Ends a use. If the bytes had to be fetched and have not come, there is no copy. */
    public void endUse(long address) {
        List<Copy> failed = new ArrayList<>();
        synchronized (this) {
            Copy copy = copies.get(address);
            if (copy != null && copy.pins > 0) {
                copy.pins--;
                if (copy.state == State.FETCHING) {
                    beginDropping(copy);
                    failed.add(copy);
                } else {
                    settle(copy, failed);
                }
            }
        }
        drop(failed, false);
    }

    /** Nobody may use a copy any more: it waits for its next use, or goes. */
    private void settle(Copy copy, List<Copy> unneeded) {
        if (copy.isIdle()) {
            if (copy.freed) {
                beginDropping(copy);
                unneeded.add(copy);
            } else {
                idle.add(copy);
            }
        }
    }

    /** Uses a copy that is there, without asking the server; ended by {@link #endUse}. */
    public synchronized GroupDescription use(long address) throws RefusedException {
        Copy copy = copies.get(address);
        if (copy == null || copy.state != State.READY || copy.description == null) {
            throw gone(address);
        }
        pin(copy);
        return copy.description;
    }

    private static RefusedException gone(long address) {
        return new RefusedException(
                RefusalCode.GROUP_GONE,
                "this keeper has no copy of the group at address 0x" + Long.toHexString(address));
    }

    // Leases

    /** A client leases a copy that is in use. */
    public synchronized void lease(Session session, long address) throws RefusedException {
        Copy copy = copies.get(address);
        if (copy == null || copy.state != State.READY) {
            throw gone(address);
        }
        held(session).leases.merge(copy, 1, Integer::sum);
        copy.leases++;
    }

    /** Of a session that has not ended; {@link #end} comes after that is known. */
    private Held held(Session session) throws RefusedException {
        if (session.ended) {
            throw new RefusedException(RefusalCode.GROUP_GONE, "the session has ended");
        }
        return held.computeIfAbsent(session, each -> new Held());
    }

    /** The group at an address, which this session leases. */
    public synchronized GroupDescription leased(Session session, long address) throws RefusedException {
        Held of = held.get(session);
        Copy copy = copies.get(address);
        if (of == null || copy == null || copy.description == null || !of.leases.containsKey(copy)) {
            throw gone(address);
        }
        return copy.description;
    }

    /**
     * Ends a lease, or abandons a reservation.
     *
     * @param address as in {@link Request.Release}
     * @return what the server is to be told in the same way, or 0 if there was none
     */
    public long release(Session session, long address) {
        List<Copy> unneeded = new ArrayList<>();
        long found = 0;
        synchronized (this) {
            Held of = held.get(session);
            Copy copy = copies.get(Math.abs(address));
            if (of != null && copy != null && (address > 0 || of.reservations.contains(copy))) {
                found = release(of, copy, unneeded);
            }
        }
        drop(unneeded, false);
        return found;
    }

    private long release(Held of, Copy copy, List<Copy> unneeded) {
        if (of.reservations.remove(copy)) {
            of.reservedBytes -= copy.pages();
            beginDropping(copy);
            unneeded.add(copy);
            return Request.Release.ofReserved(copy.address);
        }
        if (of.leases.computeIfPresent(copy, (same, count) -> count - 1) == null) {
            return 0;
        }
        of.leases.remove(copy, 0);
        copy.leases--;
        settle(copy, unneeded);
        return copy.address;
    }

    /**
     * A session has ended.
     *
     * @return what the server is to be told, as in {@link Request.Release}: all that it had reserved or leased, once for each lease
     */
    public List<Long> end(Session session) {
        List<Long> released = new ArrayList<>();
        List<Copy> unneeded = new ArrayList<>();
        synchronized (this) {
            Held of = held.remove(session);
            if (of != null) {
                for (Copy copy : List.copyOf(of.reservations)) {
                    released.add(release(of, copy, unneeded));
                }
                for (Map.Entry<Copy, Integer> lease : Map.copyOf(of.leases).entrySet()) {
                    for (int i = 0; i < lease.getValue(); i++) {
                        released.add(release(of, lease.getKey(), unneeded));
                    }
                }
            }
        }
        drop(unneeded, false);
        return released;
    }

    // Writing

    /** A client populates a group here, whose space the server has reserved. */
    public void reserve(Session session, long address, long sizeBytes) throws RefusedException, InterruptedException {
        long pages = Chunks.pages(sizeBytes);
        Held of;
        synchronized (this) {
            of = held(session);
            if (of.reservedBytes > clientBytes - pages) {
                throw new RefusedException(
                        RefusalCode.LIMIT,
                        sizeBytes + " bytes were asked for, but one client may reserve " + clientBytes
                                + " bytes of this keeper (--client-memory)");
            }
            // Before the lock is given up: others of this session are compared with the same limit.
            of.reservedBytes += pages;
        }
        boolean reserved = false;
        try {
            takeRoom(pages);
            reserved = add(session, of, new Copy(address, sizeBytes, State.POPULATING));
        } finally {
            if (!reserved) {
                synchronized (this) {
                    of.reservedBytes -= pages;
                }
            }
        }
        if (!reserved) {
            throw gone(address);
        }
    }

    /**
     * A reservation has room now.
     *
     * @return false if its session has ended meanwhile, or something is at its address: its room is given back
     */
    private synchronized boolean add(Session session, Held of, Copy copy) {
        if (held.get(session) != of || copies.containsKey(copy.address)) {
            usedBytes -= copy.pages();
            notifyAll();
            return false;
        }
        copies.put(copy.address, copy);
        of.reservations.add(copy);
        return true;
    }

    /** How long the space is that a session has reserved at an address. */
    public synchronized long reservedBytes(Session session, long address) throws RefusedException {
        return reserved(session, address).sizeBytes;
    }

    private Copy reserved(Session session, long address) throws RefusedException {
        Held of = held.get(session);
        Copy copy = copies.get(address);
        if (of == null || copy == null || !of.reservations.contains(copy)) {
            throw new RefusedException(
                    RefusalCode.GROUP_GONE,
                    "this session has reserved nothing at address 0x" + Long.toHexString(address));
        }
        return copy;
    }

    /** What a client has populated is a copy from now on, which is in use until {@link #endUse}. */
    public synchronized void commit(Session session, GroupDescription group) throws RefusedException {
        Copy copy = reserved(session, group.address());
        Held of = held(session);
        of.reservations.remove(copy);
        of.reservedBytes -= copy.pages();
        copy.description = group;
        copy.state = State.READY;
        copy.pins++;
        notifyAll();
    }

    // The server's word

    /** The server has no such groups any more. */
    public void freed(long... addresses) {
        List<Copy> unneeded = new ArrayList<>();
        synchronized (this) {
            for (long address : addresses) {
                Copy copy = copies.get(address);
                if (copy != null && copy.state != State.DROPPING) {
                    copy.freed = true;
                    settle(copy, unneeded);
                }
            }
        }
        drop(unneeded, false);
    }

    /** Whether anything is in a range of addresses. */
    public synchronized boolean isUsed(long begin, long end) {
        return copies.values().stream().anyMatch(copy -> copy.address < end && copy.address + copy.sizeBytes > begin);
    }

    /** Bytes that copies take. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** Bytes that copies may take. */
    public long capacityBytes() {
        return capacityBytes;
    }

    public synchronized int count() {
        return copies.size();
    }
}
