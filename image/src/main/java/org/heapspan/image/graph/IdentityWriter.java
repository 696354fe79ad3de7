package org.heapspan.image.graph;

import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.IdentityTable;
import org.heapspan.image.memory.Restart;
import org.heapspan.image.memory.ScratchSlot;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which objects of its scope have been written. It has three modes:
 *
 * <ul>
 *   <li><b>tree</b>: for a record in which probably no object is referred to twice. Objects are only marked as seen. When an object is
 *       found a second time, the record is written again in the next mode.
 *   <li><b>numbered</b>: for records with shared objects. As tree, and each object gets a number.
 *   <li><b>table</b>: an {@link IdentityTable}, for everything else: scopes larger than a record, hooks, and records during which the
 *       collector has moved objects.
 * </ul>
 *
 * <p>The first two modes identify an object by the bits of the reference slot from which it was read. These bits are unique between two
 * collection pauses ({@code docs/decisions/0001}). Not thread-safe.
 */
public abstract class IdentityWriter extends FrameWriter {
    private static final @Nullable RawMemory RAW = Access.RAW;
    private static final long LONG_ARRAY_BASE = RAW == null ? 0 : RAW.arrayBaseOffset(long[].class);

    private static final int HASH_FACTOR = 0x9E3779B9;
    private static final int LEAST_ENTRIES = 1 << 10;
    /** With so many neighbours taken the table of trees has too few entries for the record. */
    private static final int MOST_PROBES = 64;

    /** Tables up to this size are kept for the next image. */
    private static final int KEPT_ENTRIES = 1 << 14;

    /** Tables up to this size are kept for some images, of which one may need it again. */
    private static final int LONG_KEPT_ENTRIES = 1 << 18;

    private static final int KEPT_IMAGES = 16;

    /** Larger records are likely to be interrupted by a collection and are left to the identity table. */
    private static final int MOST_ENTRIES = 1 << 19;

    /** Epochs and numbers begin anew beyond this. */
    private static final int MANY = 1 << 30;

    /** Looks taken in every epoch, and so leads to the slow path, which finds out what is the matter. */
    private static final long BARRED_ENTRY = Integer.MAX_VALUE;

    /** The tree table of the other two ways. */
    private static final long[] ALL_BARRED = {BARRED_ENTRY, BARRED_ENTRY};

    private static final int ALL_BARRED_SHIFT = 31;

    private static final long[] NO_ENTRIES = new long[0];

    // Entries of both tables are bits:u32 and epoch:u32 or number:u32; one below those of the record is empty. Entry 0
    // is
    // barred: it is the place of bits 0, which stand for a slot that changed while it was read.
    private long[] treeTable = ALL_BARRED;
    private int treeShift = ALL_BARRED_SHIFT;
    private int treeEpoch;

    /** Made for the first record: object streams and groups that are one scope do without. */
    private long[] keptTreeTable = NO_ENTRIES;

    private boolean byBits;
    private long[] numberedTable = NO_ENTRIES;
    private int numberedShift;
    private int firstNumber = 1;
    private int nextNumber = 1;

    /** How many more images large tables are kept for; begins anew when one of them grows. */
    private int imagesToKeep;

    private @Nullable IdentityTable identity;
    private boolean backReferences;

    // For how many records trees are not tried because objects were shared; grows with each failure.
    private int treePause = LEAST_TREE_PAUSE;
    private int recordsToTree;
    private int treesInRow;
    private static final int LEAST_TREE_PAUSE = 8;
    private static final int MOST_TREE_PAUSE = 1 << 12;

    /** Why a record is written again. */
    public enum Reason {
        /** Something changed while it was written. */
        CHANGED,
        /** It calls methods of user classes, which must be called only once. */
        HOOKS,
        /** An object is referred to twice. */
        SHARED
    }

    private Reason reason = Reason.CHANGED;

    private final ScratchSlot scratch = new ScratchSlot();
    private int scratchPauses;

    IdentityWriter(@Nullable RegisteredTypes registeredTypes, @Nullable FindableClasses findable) {
        super(registeredTypes, findable);
    }

    private static long[] newTable(int entries) {
        long[] table = new long[entries];
        table[0] = BARRED_ENTRY;
        return table;
    }

    // ---------------------------------------------------------------- scopes

    /** Begins an image, in which no back reference has been written yet. */
    final void beginIdentity() {
        backReferences = false;
        scratch.clear();
        forgetObjects();
    }

    @Override
    final boolean hasBackReferences() {
        return backReferences;
    }

    /** Forgets all objects; the next one has number 0. */
    final void forgetObjects() {
        endBits();
        if (identity != null) {
            identity.clear();
        }
    }

    final void releaseIdentity() {
        forgetObjects();
        scratch.clear();
        int keptEntries = imagesToKeep > 0 ? LONG_KEPT_ENTRIES : KEPT_ENTRIES;
        imagesToKeep = Math.max(imagesToKeep - 1, 0);
        if (numberedTable.length > keptEntries) {
            numberedTable = NO_ENTRIES;
        }
        if (keptTreeTable.length > keptEntries) {
            keptTreeTable = NO_ENTRIES;
        }
    }

    public final IdentityTable table() {
        IdentityTable table = identity;
        if (table == null) {
            table = new IdentityTable(Access.ADDRESSES);
            identity = table;
        }
        return table;
    }

    /** Whether the next record is to be tried as a tree. */
    final boolean expectsTree() {
        if (recordsToTree == 0) {
            return true;
        }
        recordsToTree--;
        return false;
    }

    /** Takes note of how a record turned out that was tried as a tree. */
    final void learn(boolean tree) {
        if (tree) {
            if (++treesInRow > treePause) {
                treesInRow = 0;
                treePause = Math.max(treePause >> 1, LEAST_TREE_PAUSE);
            }
        } else {
            treesInRow = 0;
            recordsToTree = treePause;
            treePause = Math.min(treePause << 1, MOST_TREE_PAUSE);
        }
    }

    /**
     * Begins a record.
     *
     * @param tree whether it is to be a tree, else objects are numbered
     * @param pauses the collector's pauses so far
     */
    final void beginBits(boolean tree, int pauses) {
        byBits = true;
        if (tree) {
            if (++treeEpoch > MANY || keptTreeTable.length == 0) {
                keptTreeTable = newTable(Math.max(keptTreeTable.length, LEAST_ENTRIES));
                treeEpoch = 1;
            }
            treeTable = keptTreeTable;
            treeShift = shiftOf(treeTable);
        } else {
            barTree();
            firstNumber = nextNumber;
            if (firstNumber > MANY || numberedTable.length == 0) {
                numberedTable = newTable(Math.max(numberedTable.length, LEAST_ENTRIES));
                firstNumber = 1;
                nextNumber = 1;
            }
            numberedShift = shiftOf(numberedTable);
        }
        if (pauses != scratchPauses) {
            scratch.renew();
            scratchPauses = pauses;
            afterPause();
        }
    }

    /** Called at the first record after a collection. */
    abstract void afterPause();

    /** From here on the identity table counts. */
    final void endBits() {
        byBits = false;
        barTree();
    }

    private void barTree() {
        treeTable = ALL_BARRED;
        treeShift = ALL_BARRED_SHIFT;
    }

    private static int shiftOf(long[] table) {
        return Integer.numberOfLeadingZeros(table.length) + 1;
    }

    // ---------------------------------------------------------------- objects

    /**
     * Finds out whether an object has been written in this scope, and takes note of it if not.
     *
     * @param bits the slot it was read from, read as an {@code int} before and after with the same result, else 0
     * @return its number if it has, else -1
     */
    final int track(Object object, int bits) {
        RawMemory raw = RAW;
        if (raw == null) {
            return trackSlow(object, bits);
        }
        // The hash lies within the table by its shift: no check of bounds.
        long[] table = treeTable;
        int epoch = treeEpoch;
        long place = LONG_ARRAY_BASE + ((long) (bits * HASH_FACTOR >>> treeShift) << 3);
        if ((int) raw.getLong(table, place) >= epoch) {
            return trackSlow(object, bits);
        }
        raw.putLong(table, place, (long) bits << 32 | epoch);
        return -1;
    }

    private int trackSlow(Object object, int bits) {
        int known;
        if (!byBits) {
            known = table().track(object);
        } else if (bits == 0) {
            throw restart(Reason.CHANGED);
        } else if (treeTable != ALL_BARRED) {
            known = trackCollision(bits);
        } else {
            known = trackNumbered(bits);
        }
        backReferences |= known >= 0;
        return known;
    }

    /** Goes on where another object of the record has the place in the tree table, or this one. */
    private int trackCollision(int bits) {
        long[] table = treeTable;
        int slot = bits * HASH_FACTOR >>> treeShift;
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            long entry = table[slot];
            if ((int) entry < treeEpoch) {
                table[slot] = (long) bits << 32 | treeEpoch;
                return -1;
            }
            if ((int) (entry >>> 32) == bits) {
                throw restart(Reason.SHARED);
            }
            slot = slot + 1 & table.length - 1;
        }
        growTree();
        return trackCollision(bits);
    }

    private void growTree() {
        long[] old = treeTable;
        long[] table = largerThan(old);
        keptTreeTable = table;
        treeTable = table;
        treeShift = shiftOf(table);
        for (int i = 1; i < old.length; i++) {
            long entry = old[i];
            if ((int) entry == treeEpoch) {
                insert(table, treeShift, entry);
            }
        }
    }

    /** A table of more entries, all free. */
    private long[] largerThan(long[] table) {
        if (table.length >= MOST_ENTRIES) {
            throw restart(Reason.CHANGED);
        }
        imagesToKeep = KEPT_IMAGES;
        return newTable(Math.min(table.length * 4, MOST_ENTRIES));
    }

    private static void insert(long[] table, int shift, long entry) {
        int slot = (int) (entry >>> 32) * HASH_FACTOR >>> shift;
        while ((int) table[slot] != 0) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = entry;
    }

    private int trackNumbered(int bits) {
        long[] table = numberedTable;
        int slot = bits * HASH_FACTOR >>> numberedShift;
        while (true) {
            long entry = table[slot];
            int number = (int) entry;
            if (number < firstNumber) {
                table[slot] = (long) bits << 32 | nextNumber;
                if (++nextNumber - firstNumber >= table.length >> 1) {
                    growNumbered();
                }
                return -1;
            }
            if ((int) (entry >>> 32) == bits) {
                return number - firstNumber;
            }
            slot = slot + 1 & table.length - 1;
        }
    }

    private void growNumbered() {
        long[] old = numberedTable;
        long[] table = largerThan(old);
        numberedTable = table;
        numberedShift = shiftOf(table);
        for (int i = 1; i < old.length; i++) {
            long entry = old[i];
            if ((int) entry >= firstNumber) {
                insert(table, numberedShift, entry);
            }
        }
    }

    /** Whether bits of slots are of use; they cost a read each. */
    public final boolean wantsBits() {
        return byBits;
    }

    /** The bits of a slot that holds the object, for objects that do not come from a slot that could be read. */
    public final int bitsOf(@Nullable Object object) {
        return scratch.bitsOf(object);
    }

    /** The same array for raw reads of its slots; see {@code ElementsForm}. */
    public final Object opaque(Object[] array) {
        return byBits ? scratch.opaque(array) : array;
    }

    /** For a record that cannot go on like this; only while {@link #wantsBits}. */
    public final Restart restart(Reason why) {
        reason = why;
        return Restart.INSTANCE;
    }

    /** Why the latest restart was thrown. */
    final Reason restartReason() {
        return reason;
    }
}
