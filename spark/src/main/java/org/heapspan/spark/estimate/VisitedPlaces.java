package org.heapspan.spark.estimate;

import java.util.Arrays;

/**
 * The set of places at which a walk has found objects. A place is an address divided by {@value #PLACE_BYTES}. The set refers to no objects.
 *
 * <p>It is a set of bits, because objects that were allocated together are near each other. A hash table has an entry for each line of {@value #LINE_PLACES} places
 * with at least one object: the number of the line, and a bit for each place. The table takes at most two thirds of a tenth of the heap space over which the
 * objects are spread. A table of each size up to 8192 lines is kept. No table is cleared, because each entry has the number of its walk. So a small walk after a
 * large one is cheap. Not thread-safe.
 */
final class VisitedPlaces {
    /** No object is smaller than this. */
    static final int PLACE_BYTES = 8;

    private static final int LINE_SHIFT = 6;
    private static final int LINE_PLACES = 1 << LINE_SHIFT;

    /** This many neighbouring lines of the heap are neighbours in the table, where they take 128 bytes. */
    private static final int NEIGHBOURS_SHIFT = 3;

    private static final int NEIGHBOURS = 1 << NEIGHBOURS_SHIFT;

    /** Addresses have 47 bits, and numbers of lines 38. */
    private static final int WALK_BITS = 26;

    private static final long WALK_MASK = (1L << WALK_BITS) - 1;
    private static final int LEAST_SHIFT = 6;
    private static final int MOST_KEPT_SHIFT = 13;
    private static final int MOST_SHIFT = 29;

    private final long[][] kept = new long[MOST_KEPT_SHIFT - LEAST_SHIFT + 1][];

    /** Two elements for each line: its number with the number of the walk, and its bits. */
    private long[] table;

    private int shift = LEAST_SHIFT;
    private int count;
    private int most;

    /** Number of the current walk, never 0. */
    private long walk;

    VisitedPlaces() {
        table = ofShift(LEAST_SHIFT);
        startOver();
    }

    /** Starts another walk with an empty set. */
    void startOver() {
        if (++walk > WALK_MASK) {
            Arrays.fill(kept, null);
            walk = 1;
        }
        use(LEAST_SHIFT);
        count = 0;
    }

    /** Ends a walk. A table that is not kept for the next one takes no memory until then. */
    void dropLargeTable() {
        if (shift > MOST_KEPT_SHIFT) {
            startOver();
        }
    }

    /** How many elements the table has, for tests. */
    int tableLength() {
        return table.length;
    }

    private void use(int newShift) {
        shift = newShift;
        table = ofShift(newShift);
        most = (int) ((2L << newShift) / 3);
    }

    private long[] ofShift(int wanted) {
        if (wanted > MOST_KEPT_SHIFT) {
            return new long[2 << wanted];
        }
        long[] found = kept[wanted - LEAST_SHIFT];
        if (found == null) {
            found = new long[2 << wanted];
            kept[wanted - LEAST_SHIFT] = found;
        }
        return found;
    }

    /**
     * Adds a place.
     *
     * @return false if it was in the set before
     * @throws TooManyObjects if the largest table is full
     */
    boolean add(long place) {
        long line = place >>> LINE_SHIFT;
        long bit = 1L << place; // Java shifts by the last six bits of the place
        long key = line << WALK_BITS | walk;
        long[] entries = table;
        int mask = entries.length - 1;
        int index = indexOf(line) & mask;
        while (true) {
            long there = entries[index];
            if (there == key) {
                long bits = entries[index + 1];
                entries[index + 1] = bits | bit;
                return (bits & bit) == 0;
            }
            if ((there & WALK_MASK) != walk) {
                entries[index] = key;
                entries[index + 1] = bit;
                if (++count > most) {
                    grow();
                }
                return true;
            }
            index = index + 2 & mask;
        }
    }

    private int indexOf(long line) {
        long group = (line >>> NEIGHBOURS_SHIFT) * 0x9E3779B97F4A7C15L >>> Long.SIZE - shift + NEIGHBOURS_SHIFT;
        return ((int) group << NEIGHBOURS_SHIFT | (int) line & NEIGHBOURS - 1) * 2;
    }

    private void grow() {
        if (shift == MOST_SHIFT) {
            throw new TooManyObjects();
        }
        long[] before = table;
        use(shift + 1);
        long[] entries = table;
        int mask = entries.length - 1;
        for (int from = 0; from < before.length; from += 2) {
            long key = before[from];
            if ((key & WALK_MASK) == walk) {
                int index = indexOf(key >>> WALK_BITS) & mask;
                while ((entries[index] & WALK_MASK) == walk) {
                    index = index + 2 & mask;
                }
                entries[index] = key;
                entries[index + 1] = before[from + 1];
            }
        }
    }

    /** The largest table is full. */
    static final class TooManyObjects extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyObjects() {
            super("the objects of one estimate are in more than " + (2L << MOST_SHIFT) / 3 + " lines of "
                    + LINE_PLACES * PLACE_BYTES + " bytes");
        }
    }
}
