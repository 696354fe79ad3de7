package org.heapspan.exchange.peers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.wire.GroupDescription;
import org.jspecify.annotations.Nullable;

/** Which groups a peer has the bytes of, which it lacks, and which of its space is to be given back. Thread-safe. */
final class Holdings {
    /** So many groups that are gone are remembered. A copy that is even later takes space until the next run. */
    private static final int MOST_GONE = 20_000;

    /** Groups whose bytes are here, and were compared since the start. */
    private final NavigableMap<Long, GroupDescription> present = new TreeMap<>();

    /** Space of these, and of others that may be garbage. */
    private final NavigableMap<Long, Long> ranges = new TreeMap<>();

    /** Addresses whose space was taken with the first piece of a copy, until the copy is complete or given up. */
    private final Set<Long> arriving = new HashSet<>();

    /** Addresses of replicated groups whose bytes may not be here. */
    private final Set<Long> missing = new LinkedHashSet<>();

    /** Addresses of groups of this run that nobody needs any more: late copies of them may be on their way. */
    private final Set<Long> gone = new LinkedHashSet<>();

    private final Queue<Doomed> doomed = new ArrayDeque<>();
    private long usedBytes;

    /** When what clients of this server have read may be overwritten: they may read it as long as their session is certain to live. */
    private long quietNanos = System.nanoTime();

    /** Space to be given back later. */
    record Doomed(long address, long sizeBytes, long afterNanos) {}

    synchronized long usedBytes() {
        return usedBytes;
    }

    synchronized int count() {
        return ranges.size();
    }

    /** The group at an address, if its bytes are here, or null. */
    synchronized @Nullable GroupDescription present(long address) {
        return present.get(address);
    }

    /** Whether no space is taken from one address to another. */
    synchronized boolean isUnused(long first, long limit) {
        Map.Entry<Long, Long> before = ranges.lowerEntry(limit);
        return before == null || before.getKey() + Chunks.pages(before.getValue()) <= first;
    }

    /** The bytes of a group are here. */
    synchronized void add(GroupDescription group, long reservedBytes) {
        present.put(group.address(), group);
        arriving.remove(group.address());
        take(group.address(), reservedBytes);
    }

    /** Whether nobody needs a group of this run any more. */
    synchronized boolean isGone(long address) {
        return gone.contains(address);
    }

    /** Whether there is space for a group. */
    enum Room {
        NONE,
        TAKEN_NOW,
        TAKEN_BEFORE
    }

    /**
     * Takes space for a group that is about to be fetched, if none is taken at its address.
     *
     * @param capacityBytes of all groups together
     * @return whether the space was taken by this call; who gives up gives back only such space
     */
    synchronized Room takeRoom(long address, long sizeBytes, long capacityBytes) {
        if (ranges.containsKey(address)) {
            return Room.TAKEN_BEFORE;
        }
        if (sizeBytes > capacityBytes || usedBytes > capacityBytes - Chunks.pages(sizeBytes)) {
            return Room.NONE;
        }
        take(address, sizeBytes);
        return Room.TAKEN_NOW;
    }

    /** A group could not be fetched for which {@link #takeRoom} has taken space. */
    synchronized void refuseCopy(long address) {
        if (!present.containsKey(address)) {
            remove(address);
        }
    }

    /**
     * Takes space with each piece of a copy, if none is taken at its address. Remembers until the last piece whether it was taken for this copy.
     *
     * @param sizeBytes of the whole copy
     * @return false if there is none
     */
    synchronized boolean takeRoomOfPiece(long address, long sizeBytes, long capacityBytes) {
        Room room = takeRoom(address, sizeBytes, capacityBytes);
        if (room == Room.TAKEN_NOW) {
            arriving.add(address);
        }
        return room != Room.NONE;
    }

    /** A copy whose pieces have come is not kept. Space that others have taken before stays taken. */
    synchronized void refusePieces(long address) {
        if (arriving.contains(address)) {
            refuseCopy(address);
        }
    }

    private void take(long address, long sizeBytes) {
        Long former = ranges.put(address, sizeBytes);
        usedBytes += Chunks.pages(sizeBytes) - (former == null ? 0 : Chunks.pages(former));
    }

    /** Space is taken by groups that may be garbage. */
    synchronized void takeAll(Map<Long, Long> sizes) {
        sizes.forEach(this::take);
    }

    /** The space at an address was given back. */
    synchronized void remove(long address) {
        present.remove(address);
        arriving.remove(address);
        Long sizeBytes = ranges.remove(address);
        if (sizeBytes != null) {
            usedBytes -= Chunks.pages(sizeBytes);
        }
    }

    /** A group is replicated, whose bytes may not be here. */
    synchronized void need(long address) {
        if (!present.containsKey(address)) {
            missing.add(address);
        }
    }

    /** Addresses of groups whose bytes may not be here. */
    synchronized List<Long> missing() {
        return List.copyOf(missing);
    }

    /** The bytes of a group are at no other server now: the others are fetched first the next time. */
    synchronized void needLater(long address) {
        if (missing.remove(address)) {
            missing.add(address);
        }
    }

    /** The bytes of a group are here, or nobody needs them. */
    synchronized void found(long address) {
        missing.remove(address);
    }

    // Garbage

    /** Clients may read until then what they have found here. */
    synchronized void quietUntil(long nanos) {
        quietNanos = nanos;
    }

    /** Gives space back when clients do not read it any more. */
    synchronized void doom(long address, long sizeBytes) {
        remove(address);
        doomed.add(new Doomed(address, sizeBytes, quietNanos));
    }

    /** A group was freed. Its bytes may be here, or come later. */
    synchronized void freed(long address, long sizeBytes) {
        expectNoCopy(address);
        doom(address, sizeBytes);
    }

    /** The leader does not need a copy, which may be here, or come later. */
    synchronized void forget(long address) {
        expectNoCopy(address);
        doomTaken(address);
    }

    /** Gives the space at an address back, if it is taken. */
    synchronized void doomTaken(long address) {
        Long sizeBytes = ranges.get(address);
        if (sizeBytes != null) {
            doom(address, sizeBytes);
        }
    }

    private void expectNoCopy(long address) {
        gone.add(address);
        if (gone.size() > MOST_GONE) {
            Iterator<Long> first = gone.iterator();
            first.next();
            first.remove();
        }
    }

    /** Another run has begun, with addresses of its own. Gives all space back that is not used. */
    synchronized void beginRun(NavigableMap<Long, Long> used) {
        gone.clear();
        for (Map.Entry<Long, Long> range : new ArrayList<>(ranges.entrySet())) {
            if (!used.containsKey(range.getKey())) {
                doom(range.getKey(), range.getValue());
            }
        }
    }

    /** All space that is taken, also that to be given back. */
    synchronized NavigableMap<Long, Long> all() {
        NavigableMap<Long, Long> all = new TreeMap<>(ranges);
        doomed.forEach(each -> all.put(each.address(), each.sizeBytes()));
        return all;
    }

    /** The next space that can be given back now, once. Null if there is none. */
    synchronized @Nullable Doomed pollDoomed() {
        Doomed next = doomed.peek();
        return next == null || next.afterNanos() - System.nanoTime() > 0 ? null : doomed.remove();
    }
}
