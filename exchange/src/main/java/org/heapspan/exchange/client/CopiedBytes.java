package org.heapspan.exchange.client;

import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;

/**
 * How many bytes of a group were handed on. If the rest comes from another copy, its first bytes must be the same. All copies are read in blocks of the
 * same lengths. For one thread.
 */
final class CopiedBytes {
    private long count;
    private int checksum;

    /** Whether all bytes before an offset were handed on. */
    boolean has(long end) {
        return end <= count;
    }

    /** Handed on are now all bytes before an offset, which have this checksum together. */
    void add(long end, int sum) {
        count = end;
        checksum = sum;
    }

    /** Compares with another copy, whose bytes before an offset have this checksum. */
    void check(GroupDescription group, long end, int sum) throws RefusedException {
        if (end == count && sum != checksum) {
            throw new RefusedException(
                    RefusalCode.CHECKSUM,
                    "the group at 0x" + Long.toHexString(group.address()) + " is damaged: of its first " + count
                            + " bytes, which were passed on already, copies differ");
        }
    }
}
