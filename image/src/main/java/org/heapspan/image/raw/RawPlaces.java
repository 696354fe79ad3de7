package org.heapspan.image.raw;

import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Restart;
import org.heapspan.vm.RawMemory;

/**
 * The positions of the objects of one record in the current chunk, by the bits of the reference slots from which they were read. These bits
 * are unique between two collection pauses ({@code docs/decisions/0001}). The owner checks for pauses. Not thread-safe.
 */
final class RawPlaces {
    private static final RawMemory RAW = Access.raw();
    private static final long BASE = RAW.arrayBaseOffset(long[].class);

    private static final int HASH_FACTOR = 0x9E3779B9;
    private static final int LEAST_ENTRIES = 1 << 10;
    private static final int MOST_ENTRIES = 1 << 16;
    private static final int KEPT_ENTRIES = 1 << 14;

    /** With so many neighbours taken the table is too small for the record. */
    private static final int MOST_PROBES = 16;

    /** Values begin anew beyond this. */
    private static final int MANY = 1 << 30;

    /** Looks taken in every record: the place of bits 0, which stand for a slot that changed while it was read. */
    private static final long BARRED_ENTRY = Integer.MAX_VALUE;

    /** Entries are bits:u32 value:u32, empty if the value is less than the record's first; values are places and an offset. */
    private long[] entries;

    private int shift;
    private int firstValue = 1;
    private int offset;

    RawPlaces() {
        entries = newTable(LEAST_ENTRIES);
    }

    private long[] newTable(int length) {
        long[] table = new long[length];
        table[0] = BARRED_ENTRY;
        shift = Integer.numberOfLeadingZeros(length) + 1;
        return table;
    }

    /** Begins a record whose first object will lie at a place. */
    void begin(int firstPlace) {
        if (firstValue > MANY) {
            entries = newTable(entries.length);
            firstValue = 1;
        }
        offset = firstValue - firstPlace;
    }

    /** Forgets the record, whose objects lie before a place. */
    void end(int endPlace) {
        // The last object may have been given the place behind it when writing it failed.
        firstValue = endPlace + offset + 1;
    }

    /** Lets go of a table that is larger than most records need. */
    void release() {
        if (entries.length > KEPT_ENTRIES) {
            entries = newTable(LEAST_ENTRIES);
            firstValue = 1;
        }
    }

    /**
     * Finds an object, or gives it its place.
     *
     * @param bits the slot it was read from, read before and after with the same result, else 0
     * @return its place if it has one, else -1
     * @throws Restart if its slot changed, or the table is too small and has been enlarged
     */
    int find(int bits, int place) {
        long[] table = entries;
        // The hash lies within the table by its shift: no check of bounds.
        long at = BASE + ((long) (bits * HASH_FACTOR >>> shift) << 3);
        if ((int) RAW.getLong(table, at) < firstValue) {
            RAW.putLong(table, at, (long) bits << 32 | place + offset & 0xFFFFFFFFL);
            return -1;
        }
        return findFurther(bits, place);
    }

    private int findFurther(int bits, int place) {
        if (bits == 0) {
            throw Restart.INSTANCE;
        }
        long[] table = entries;
        int slot = bits * HASH_FACTOR >>> shift;
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            long entry = table[slot];
            if ((int) entry < firstValue) {
                table[slot] = (long) bits << 32 | place + offset & 0xFFFFFFFFL;
                return -1;
            }
            if ((int) (entry >>> 32) == bits) {
                return (int) entry - offset;
            }
            slot = slot + 1 & table.length - 1;
        }
        if (table.length < MOST_ENTRIES) {
            entries = newTable(table.length * 4);
            firstValue = 1;
        }
        throw Restart.INSTANCE;
    }
}
