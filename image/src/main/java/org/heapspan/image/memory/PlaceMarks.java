package org.heapspan.image.memory;

/**
 * Which objects of a large tree have been seen, by the bits of the slots that lead to them ({@code docs/decisions/0001}). It takes over from {@link
 * PlaceNumbers} when a tree has outgrown a table that fits into the caches: it needs 8 bytes for each block of 512 bytes of the heap that has objects of the tree.
 *
 * <p>It is a hash table of blocks of 32 {@link Places}. An entry has a bit for each place of its block. Eight neighbouring blocks have their
 * entries in the same cache line, because objects that were allocated together are mostly written together.
 *
 * <p>Two objects begin in the same place if they have no fields and headers are compact. Then the second seems to have been seen. Not
 * thread-safe.
 */
public final class PlaceMarks {
    /** The object has not been seen before. */
    public static final int NEW = PlaceNumbers.NEW;

    /** The object has been seen. */
    public static final int SEEN = 0;

    /** There is no room for the object. */
    public static final int FULL = PlaceNumbers.FULL;

    private static final int GENERATION_BITS = 5;
    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

    private static final int GROUP_SHIFT = 3;
    private static final int GROUP_MASK = (1 << GROUP_SHIFT) - 1;

    /** From one entry to the next that a block may have: into another group, and in the end to all entries. */
    private static final int STRIDE = GROUP_MASK + 2;

    private static final int LEAST_ENTRIES = 1 << 12;
    private static final int SMALL_ENTRIES = 1 << 14;

    /** 16 MB, for 512 MB of objects that lie side by side. Larger trees take so long that a collection is likely to interrupt them. */
    private static final int MOST_ENTRIES = 1 << 21;

    private static final int LARGE_BLOCKS = 1 << 9;

    private final KeptTables tables = new KeptTables(LEAST_ENTRIES, SMALL_ENTRIES, MOST_ENTRIES);

    /** Entries are block:27, generation:5 and a bit for each place:32. Those of other generations than that of the tree are empty. */
    private long[] table = KeptTables.NONE;

    private int shift;
    private int generation;

    /** How many entries the tree has. */
    private int taken;

    /** Creates marks without a table. */
    public PlaceMarks() {}

    /** Begins a tree, none of whose objects has been seen. */
    public void beginTree() {
        if (generation == GENERATION_MASK) {
            tables.drop();
            endImage();
            generation = 0;
        }
        generation++;
        taken = 0;
        if (table.length == 0) {
            use(tables.first());
        }
    }

    /** Ends an image, and lets go of its table. */
    public void endImage() {
        table = KeptTables.NONE;
    }

    /** Whether the latest tree was large: it had some 10,000 objects, if they lie side by side. */
    public boolean isLarge() {
        return taken > LARGE_BLOCKS;
    }

    private void use(long[] chosen) {
        // Both or none, should the stack end in the call.
        int chosenShift = Integer.numberOfLeadingZeros(chosen.length) + 1;
        table = chosen;
        shift = chosenShift;
    }

    /** The entry at which a block is looked for first. */
    private static int entryOf(int block, int shift) {
        return (block >>> GROUP_SHIFT) * Places.HASH_FACTOR >>> shift ^ block & GROUP_MASK;
    }

    /**
     * Finds out whether an object has been seen before, and marks it.
     *
     * @param bits the slot that leads to it, read as an {@code int}
     * @return {@link #SEEN}, {@link #NEW} or {@link #FULL}
     */
    public int mark(int bits) {
        int place = bits >>> Places.SHIFT;
        int block = place >>> Places.BLOCK_SHIFT;
        int key = block << GENERATION_BITS | generation;
        long bit = 1L << (place & Places.BLOCK_MASK);
        long[] entries = table;
        int index = entryOf(block, shift);
        while (true) {
            long entry = entries[index];
            int found = (int) (entry >>> Integer.SIZE);
            if (found == key) {
                if ((entry & bit) != 0) {
                    return SEEN;
                }
                entries[index] = entry | bit;
                return NEW;
            }
            if ((found & GENERATION_MASK) != generation) {
                if (taken >= entries.length >> 1) {
                    return grow() ? mark(bits) : FULL;
                }
                taken++;
                entries[index] = (long) key << Integer.SIZE | bit;
                return NEW;
            }
            index = index + STRIDE & entries.length - 1;
        }
    }

    /** Puts the entries of the tree into a larger table, if there is one. */
    private boolean grow() {
        long[] old = table;
        long[] larger = tables.largerThan(old);
        if (larger == null) {
            return false;
        }
        use(larger);
        for (long entry : old) {
            if (isOfTree(entry)) {
                insert(entry);
            }
        }
        return true;
    }

    private boolean isOfTree(long entry) {
        return ((int) (entry >>> Integer.SIZE) & GENERATION_MASK) == generation;
    }

    private void insert(long entry) {
        long[] entries = table;
        int index = entryOf((int) (entry >>> Integer.SIZE) >>> GENERATION_BITS, shift);
        while (isOfTree(entries[index])) {
            index = index + STRIDE & entries.length - 1;
        }
        entries[index] = entry;
    }
}
