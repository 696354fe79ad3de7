package org.heapspan.exchange.metadata;

import java.util.List;
import java.util.Set;
import org.heapspan.exchange.wire.GroupDescription;
import org.jspecify.annotations.Nullable;

/** One object graph in the exchange space (ZCOT section 4.1). Guarded by {@link Metadata}. */
final class Group {
    final long address;
    final long reservedBytes;

    /** The session that populates it; null once it is committed. */
    @Nullable
    Session populating;

    /** Whether bytes of it have come through any connection, so that it is not written in place. */
    boolean isUploaded;

    /** The session whose limit it counts for; null once a key leads to it. */
    private @Nullable Session holder;

    /** What it is; null until it is committed. */
    @Nullable
    GroupDescription description;

    /** Whether {@link KeyLog#written} was told of it, and it was not committed afterwards. */
    boolean isWritten;

    int keys;
    int leases;

    /** Keepers that have a copy. Not what keeps it alive. */
    Set<Session> copies = Set.of();

    /** Groups that it needs, which live as long as it does. */
    List<Group> needed = List.of();

    /** How many groups need it. */
    int neededBy;

    /** Whether the log knows of it, and is to be told when it is freed. */
    boolean takenDown;

    /** Whether it is of an earlier leader, and waits for those who lease it again. */
    boolean orphaned;

    /** Until when it waits for the one who takes it, in nanoseconds of the server; 0 if it does not. */
    long handOverUntil;

    Group(long address, long reservedBytes, @Nullable Session populating) {
        this.address = address;
        this.reservedBytes = reservedBytes;
        this.populating = populating;
        holder = populating;
    }

    /** Addresses of the groups that it needs. */
    List<Long> neededAddresses() {
        return needed.stream().map(each -> each.address).toList();
    }

    /** It counts for a session, if it counts for none and no key leads to it: that of an earlier leader is not known. */
    void beginHolding(Session session) {
        if (holder == null && orphaned && keys == 0) {
            holder = session;
            session.heldBytes += Chunks.pages(reservedBytes);
        }
    }

    /** It counts for no session any more. */
    void endHolding() {
        if (holder != null) {
            holder.heldBytes -= Chunks.pages(reservedBytes);
            holder = null;
        }
    }

    boolean isUnused() {
        return populating == null && keys == 0 && !isNeededWithoutKey();
    }

    /** Whether it stays if no key leads to it. */
    boolean isNeededWithoutKey() {
        return leases > 0 || neededBy > 0 || handOverUntil != 0 || orphaned;
    }
}
