package org.heapspan.image.memory;

import java.util.Arrays;

/**
 * The objects of a record, by the bits of the slots that lead to them ({@code docs/decisions/0001}). Objects get numbers in the order in which
 * they are first seen. In a tree, whose objects are all different, they are only marked as seen. A large tree goes on
 * with {@link PlaceMarks}.
 *
 * <p>It is a hash table in which objects of one block of 32 places have entries in the same four cache lines. Objects that were allocated
 * together are mostly written together. If each object had a cache line of its own, large tables would miss the cache for each object. Not
 * thread-safe.
 */
public final class PlaceNumbers {
    /** The object has not been seen before. */
    public static final int NEW = -1;

    /** There is no room for the object. */
    public static final int FULL = -2;

    /** A table that is small enough for the caches has no room for an object of a tree. */
    public static final int OUTGROWN = -3;

    /** From one entry to the next that an object may have: into another block, and in the end to all entries. */
    private static final int STRIDE = Places.BLOCK_MASK + 2;

    /** With so many entries taken a larger table is better for a tree, whose objects are not counted. */
    private static final int MOST_PROBES = 12;

    /** 4 MB. Records with more objects take so long that a collection is likely to interrupt them. */
    private static final int MOST_ENTRIES = 1 << 19;

    /** A table in which all objects seem to have been seen. */
    private static final long[] BARRED = new long[Places.BLOCK_MASK + 1];

    static {
        Arrays.fill(BARRED, KeptTables.BARRED);
    }

    private static final int LEAST_ENTRIES = 1 << 10;
    private static final int SMALL_ENTRIES = 1 << 14;

    /** 512 KB, which fits into the caches of a core. */
    private static final int MOST_ENTRIES_OF_TREE = 1 << 16;

    private final KeptTables tables = new KeptTables(LEAST_ENTRIES, SMALL_ENTRIES, MOST_ENTRIES);

    /** Entries are number:u32 and bits:u32. Those with numbers of earlier records are empty. All objects of a tree have the same number. */
    private long[] table = KeptTables.NONE;

    private int shift;
    private int firstNumber = 1;
    private int nextNumber = 1;

    /** Creates numbers without a table. */
    public PlaceNumbers() {}

    /** A table in which each object seems to have been seen. It has 32 entries. */
    public static long[] barredTable() {
        return BARRED;
    }

    /** Begins a record whose objects get numbers. The next one has number 0. */
    public void beginRecord() {
        if (nextNumber > KeptTables.MANY) {
            tables.drop();
            endImage();
            nextNumber = 1;
        }
        firstNumber = nextNumber;
        if (table.length == 0) {
            use(tables.first());
        }
    }

    /** Begins a record whose objects are all different. */
    public void beginTree() {
        beginRecord();
        nextNumber++;
    }

    /** Ends an image, and lets go of its table. */
    public void endImage() {
        table = KeptTables.NONE;
    }

    /** Whether the record needed a large table. */
    public boolean isLarge() {
        return tables.isLarge(table);
    }

    private void use(long[] chosen) {
        // Both or none, should the stack end in the call.
        int chosenShift = shiftFor(chosen);
        table = chosen;
        shift = chosenShift;
    }

    /** The shift for {@link #entryOf} in a table. */
    public static int shiftFor(long[] table) {
        return Integer.numberOfLeadingZeros(table.length) + 1;
    }

    /** The table of the record. It may be replaced when an object gets an entry. */
    public long[] table() {
        return table;
    }

    /** Entries with lower numbers are empty. */
    public int firstNumber() {
        return firstNumber;
    }

    /** The entry at which an object is looked for first: that of its place within a block, in an order of the block's own. */
    static int entryOf(int bits, int shift) {
        int place = bits >>> Places.SHIFT;
        return (place >>> Places.BLOCK_SHIFT) * Places.HASH_FACTOR >>> shift ^ place & Places.BLOCK_MASK;
    }

    /**
     * Finds out whether an object of a tree has been seen before.
     *
     * @param bits the slot that leads to it, read as an {@code int}
     * @return 0 if it has, {@link #NEW} or {@link #OUTGROWN}
     */
    public int mark(int bits) {
        long[] entries = table;
        int index = entryOf(bits, shift);
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            long entry = entries[index];
            if ((int) entry < firstNumber) {
                entries[index] = (long) bits << 32 | firstNumber;
                return NEW;
            }
            if ((int) (entry >>> 32) == bits) {
                return 0;
            }
            index = index + STRIDE & entries.length - 1;
        }
        if (table.length >= MOST_ENTRIES_OF_TREE) {
            return OUTGROWN;
        }
        grow();
        return mark(bits);
    }

    /**
     * Marks all objects of a tree that have been seen.
     *
     * @return whether there was room for all
     */
    public boolean markAll(PlaceMarks marks) {
        for (int i = 1; i < table.length; i++) {
            long entry = table[i];
            if ((int) entry >= firstNumber && marks.mark((int) (entry >>> 32)) == PlaceMarks.FULL) {
                return false;
            }
        }
        return true;
    }

    /**
     * Finds the number of an object, or gives it the next one.
     *
     * @param bits the slot that leads to it, read as an {@code int}
     * @return its number, {@link #NEW} or {@link #FULL}
     */
    public int track(int bits) {
        long[] entries = table;
        int index = entryOf(bits, shift);
        while (true) {
            long entry = entries[index];
            int number = (int) entry;
            if (number < firstNumber) {
                if (nextNumber - firstNumber >= entries.length >> 1) {
                    return grow() ? track(bits) : FULL;
                }
                entries[index] = (long) bits << 32 | nextNumber++;
                return NEW;
            }
            if ((int) (entry >>> 32) == bits) {
                return number - firstNumber;
            }
            index = index + STRIDE & entries.length - 1;
        }
    }

    /** Puts the entries of the record into a larger table, if there is one. */
    private boolean grow() {
        long[] old = table;
        long[] larger = tables.largerThan(old);
        if (larger == null) {
            return false;
        }
        use(larger);
        for (int i = 1; i < old.length; i++) {
            long entry = old[i];
            if ((int) entry >= firstNumber) {
                insert(entry);
            }
        }
        return true;
    }

    private void insert(long entry) {
        long[] entries = table;
        int index = entryOf((int) (entry >>> 32), shift);
        while ((int) entries[index] >= firstNumber) {
            index = index + STRIDE & entries.length - 1;
        }
        entries[index] = entry;
    }
}
