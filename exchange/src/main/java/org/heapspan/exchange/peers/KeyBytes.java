package org.heapspan.exchange.peers;

import java.io.IOException;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;

/** The bytes of replicated groups: finds them here, after a restart too, and gets them from other peers. Thread-safe. */
final class KeyBytes {
    private static final System.Logger LOGGER = System.getLogger(KeyBytes.class.getName());

    /** So many groups that nobody has are asked for at a time. */
    private static final int MOST_FAILURES = 4;

    private final ReplicatedKeys keys;
    private final Holdings holdings;
    private final Keeper keeper;
    private final KeptBytes kept;
    private final Others others;
    private final long capacityBytes;

    /** Whether it was told that there is no room for groups of others, since there was some. */
    private boolean toldFull;

    /** The other peers. */
    interface Others {
        /**
         * Gets the bytes of a group from any of them.
         *
         * @throws RefusedException if none that can be reached has them, or {@link RefusalCode#UNREACHABLE} if none can be reached
         */
        void fetch(GroupDescription group) throws RefusedException;
    }

    /**
     * Uses what others own.
     *
     * @param capacityBytes of all groups together
     */
    KeyBytes(ReplicatedKeys keys, Holdings holdings, Keeper keeper, KeptBytes kept, long capacityBytes, Others others) {
        this.capacityBytes = capacityBytes;
        this.keys = keys;
        this.holdings = holdings;
        this.keeper = keeper;
        this.kept = kept;
        this.others = others;
    }

    /** A group whose bytes are here, for another peer. */
    GroupDescription use(long address) throws RefusedException {
        GroupDescription known = holdings.present(address);
        if (known != null) {
            return known;
        }
        GroupRecord group = keys.at(address);
        if (group != null && isHere(group.group())) {
            return group.group();
        }
        throw new RefusedException(
                RefusalCode.GROUP_GONE, "this server has no copy of the group at 0x" + Long.toHexString(address));
    }

    /** Whether the bytes are here. After a restart they are compared once. */
    private boolean isHere(GroupDescription group) {
        if (holdings.present(group.address()) != null) {
            return true;
        }
        try {
            if (keeper.hasFiles(group.address(), group.sizeBytes()) && kept.areIntact(group)) {
                return add(group);
            }
        } catch (IOException e) {
            LOGGER.log(System.Logger.Level.WARNING, "a group could not be read, another copy is used", e);
        }
        return false;
    }

    /**
     * The bytes of a replicated group are here.
     *
     * @return false if it was freed while they were read or fetched: their space is given back
     */
    private boolean add(GroupDescription group) {
        GroupRecord known = keys.at(group.address());
        long reservedBytes = known == null ? group.sizeBytes() : known.reservedBytes();
        holdings.add(group, reservedBytes);
        if (keys.at(group.address()) != null) {
            return true;
        }
        holdings.doom(group.address(), reservedBytes);
        return false;
    }

    /** Whether this is a replicated group whose bytes are not here. */
    boolean lacks(GroupDescription group) {
        return keys.at(group.address()) != null && !isHere(group);
    }

    /**
     * Returns when the bytes of a group are here, if it is a replicated one: from another peer if need be.
     *
     * @throws RefusedException if no peer that can be reached has them, or there is no room for them
     */
    void require(GroupDescription group) throws RefusedException {
        if (!lacks(group)) {
            return;
        }
        Holdings.Room room = holdings.takeRoom(group.address(), group.sizeBytes(), capacityBytes);
        if (room == Holdings.Room.NONE) {
            throw new RefusedException(
                    RefusalCode.FULL,
                    "a group of " + group.sizeBytes() + " bytes is on other servers only, and has no room here beside "
                            + holdings.usedBytes() + " of " + capacityBytes
                            + " bytes; remove keys, or give this server more (--memory)");
        }
        boolean fetched = false;
        try {
            others.fetch(group);
            fetched = true;
        } finally {
            if (!fetched && room == Holdings.Room.TAKEN_NOW) {
                holdings.refuseCopy(group.address());
            }
        }
        add(group);
    }

    /** A server that was away when a group was committed gets its bytes later. What nobody has keeps it from no other group. */
    void fetchMissing() {
        int failures = 0;
        for (long address : holdings.missing()) {
            GroupRecord group = keys.at(address);
            try {
                if (group != null) {
                    require(group.group());
                }
            } catch (RefusedException e) {
                if (e.code() == RefusalCode.FULL) {
                    // A shorter one may have room.
                    tellFull(e);
                    continue;
                }
                LOGGER.log(System.Logger.Level.DEBUG, "bytes are missing still: " + e.getMessage());
                if (e.code() == RefusalCode.UNREACHABLE) {
                    return;
                }
                holdings.needLater(address);
                failures++;
                if (failures == MOST_FAILURES) {
                    return;
                }
                continue;
            }
            holdings.found(address);
            toldFull = false;
        }
    }

    private void tellFull(RefusedException e) {
        if (!toldFull) {
            LOGGER.log(System.Logger.Level.WARNING, "this server has not all groups: " + e.getMessage());
            toldFull = true;
        }
    }
}
