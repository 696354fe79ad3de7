package org.heapspan.image.graph;

import java.util.function.ToIntFunction;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.IdentityTable;
import org.heapspan.image.memory.PlaceMarks;
import org.heapspan.image.memory.PlaceNumbers;
import org.heapspan.image.memory.Places;
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

    private static final int MOST_RECORDS_BY_TABLE = 63;

    private final PlaceNumbers numbers = new PlaceNumbers();

    /** Less than any entry of a table has, so that all objects go the slow way. */
    private static final int NO_TREE = Integer.MIN_VALUE;

    // The table of numbers while a tree is written. It stays here afterwards, and treeNumber says that it does not
    // count: a number costs less to store than a reference, which needs the collector's barriers.
    private long[] treeTable = PlaceNumbers.barredTable();
    private int treeShift = PlaceNumbers.shiftFor(treeTable);
    private int treeNumber = NO_TREE;

    // Those of a large tree, which is then none for the table above.
    private final PlaceMarks marks = new PlaceMarks();
    private boolean marking;
    private int treesByMarks;
    private static final int TREES_BY_MARKS = 16;

    private boolean byBits;

    /** Whether objects get numbers by their bits. */
    private boolean numbered;

    // For how many records bits are not tried because large records failed with them; grows with each failure.
    private int recordsByTable;
    private int tablePause;

    private @Nullable IdentityTable identity;
    private boolean backReferences;

    /** Whether an object is written anew for each reference to it. */
    private boolean repeats;

    /** What the reader has already, with its numbers; null if that is nothing. */
    private @Nullable ToIntFunction<Object> shared;

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

    // ---------------------------------------------------------------- scopes

    /** Begins an image, in which no back reference has been written yet. */
    final void beginIdentity() {
        backReferences = false;
        shared = null;
        scratch.clear();
        forgetObjects();
    }

    /**
     * Lets the image refer to objects that its reader has already; only with {@code ImageFormat.FLAG_SHARED_OBJECTS}.
     *
     * @param numbers the number of such an object; less than 0 for others
     */
    public final void share(ToIntFunction<Object> numbers) {
        shared = numbers;
    }

    /** Whether each object is to be looked for among those that the reader has. */
    final boolean sharesObjects() {
        return shared != null;
    }

    /** Decides whether an object is written anew for each reference to it. A graph with a cycle has no end then. */
    public final void repeatObjects(boolean newRepeats) {
        repeats = newRepeats;
    }

    final boolean repeatsObjects() {
        return repeats;
    }

    @Override
    public final boolean hasBackReferences() {
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
        shared = null;
        scratch.clear();
        useTree(PlaceNumbers.barredTable());
        numbers.endImage();
        marks.endImage();
    }

    public final IdentityTable table() {
        IdentityTable table = identity;
        if (table == null) {
            table = new IdentityTable(Access.ADDRESSES);
            identity = table;
        }
        return table;
    }

    /** Whether the next record is to be tried by the bits of slots. */
    final boolean triesBits() {
        if (recordsByTable == 0) {
            return true;
        }
        recordsByTable--;
        return false;
    }

    /** Takes note of whether a record could be written by the bits of slots. */
    final void learnBits(boolean done) {
        if (done) {
            tablePause = 0;
        } else if (reason == Reason.CHANGED && (numbers.isLarge() || marking && marks.isLarge())) {
            recordsByTable = tablePause;
            tablePause = Math.min(tablePause * 2 + 1, MOST_RECORDS_BY_TABLE);
        }
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
        endBits();
        byBits = true;
        if (!tree) {
            numbers.beginRecord();
            numbered = true;
        } else if (treesByMarks > 0) {
            treesByMarks--;
            beginMarks();
        } else {
            numbers.beginTree();
            useTree(numbers.table());
            treeNumber = numbers.firstNumber();
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
        numbered = false;
        treeNumber = NO_TREE;
        marking = false;
    }

    private void beginMarks() {
        marks.beginTree();
        marking = true;
        treeNumber = NO_TREE;
        useTree(PlaceNumbers.barredTable());
    }

    private void useTree(long[] table) {
        if (treeTable != table) {
            // Both or none, should the stack end in the call.
            int shift = PlaceNumbers.shiftFor(table);
            treeTable = table;
            treeShift = shift;
        }
    }

    // ---------------------------------------------------------------- objects

    /**
     * Finds out whether an object has been written in this scope, and takes note of it if not.
     *
     * @param bits the slot it was read from, read as an {@code int} before and after with the same result, else 0
     * @return its index in references if it has, or if the reader has it already; else -1
     */
    final int track(Object object, int bits) {
        RawMemory raw = RAW;
        if (raw == null) {
            return trackSlow(object, bits);
        }
        if (numbered) {
            return trackNumbered(bits);
        }
        // The shift keeps the entry within the table: no check of bounds. This repeats PlaceNumbers.entryOf. A call
        // would be nested so deep that the JIT might not inline it.
        long[] table = treeTable;
        int number = treeNumber;
        int place = bits >>> Places.SHIFT;
        int entry = (place >>> Places.BLOCK_SHIFT) * Places.HASH_FACTOR >>> treeShift ^ place & Places.BLOCK_MASK;
        long at = LONG_ARRAY_BASE + ((long) entry << 3);
        if ((int) raw.getLong(table, at) >= number) {
            return trackSlow(object, bits);
        }
        raw.putLong(table, at, (long) bits << 32 | number);
        return -1;
    }

    private int trackNumbered(int bits) {
        int known = bits == 0 ? PlaceNumbers.FULL : numbers.track(bits);
        if (known >= 0) {
            backReferences = true;
        } else if (known == PlaceNumbers.FULL) {
            throw restart(Reason.CHANGED);
        }
        return known;
    }

    private int trackSlow(Object object, int bits) {
        int known;
        if (marking && bits != 0) {
            known = mark(bits);
        } else if (shared != null) {
            known = trackShared(shared, object);
        } else if (!byBits) {
            known = repeats ? -1 : table().track(object);
        } else if (bits == 0) {
            throw restart(Reason.CHANGED);
        } else {
            known = trackInTree(bits);
        }
        if (known == PlaceNumbers.FULL) {
            throw restart(Reason.CHANGED);
        }
        backReferences |= known >= 0;
        return known;
    }

    private int trackShared(ToIntFunction<Object> numbers, Object object) {
        int number = numbers.applyAsInt(object);
        if (number >= 0) {
            return number << 1 | 1;
        }
        int known = table().track(object);
        if (known > Integer.MAX_VALUE >> 1) {
            throw new HeapspanException(
                    Category.LIMIT, "an image with shared objects holds more than 2^30 objects of its own");
        }
        return known < 0 ? known : known << 1;
    }

    private int trackInTree(int bits) {
        int known = numbers.mark(bits);
        if (known == PlaceNumbers.OUTGROWN) {
            beginMarks();
            treesByMarks = TREES_BY_MARKS;
            return numbers.markAll(marks) ? mark(bits) : PlaceNumbers.FULL;
        }
        if (known >= 0) {
            throw restart(Reason.SHARED);
        }
        useTree(numbers.table());
        return known;
    }

    private int mark(int bits) {
        int known = marks.mark(bits);
        if (known >= 0) {
            throw restart(Reason.SHARED);
        }
        return known;
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
