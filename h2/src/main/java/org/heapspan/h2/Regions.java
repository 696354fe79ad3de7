package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Which regions there are and what is live in each (TeraHeap section 3.3, figure 2). Bytes are appended to the open region of their label; a
 * region without live pieces is freed as a whole and used again, the first ones first. What is larger than a region gets several in a row.
 *
 * <p>A place is the number of a region and the offset in it: {@code region << 32 | offset}. Thread-safe; nothing here waits for a device but
 * an allocation that needs a segment which is just being discarded.
 */
final class Regions {
    /** No region. */
    static final int NONE = -1;

    private static final long MOST_SEGMENT_BYTES = 1 << 30;
    private static final int FIRST_DESCRIBED = 64;

    /**
     * What free regions may keep of the space that they once took, if that is no more than a quarter of the capacity: using them again is cheaper
     * than to allocate blocks anew.
     */
    private static final long MOST_SPARE_BYTES = 256 << 20;

    private final SegmentFiles files;

    /** Null where bytes are written as they are. */
    private final @Nullable RegionCipher cipher;

    private final BooleanSupplier reclaimer;
    private final int regionBytes;
    private final int regionCount;
    private final int regionsPerSegment;

    /** Regions in use, and those of segments that are being discarded. */
    private final BitSet taken = new BitSet();

    /** Regions in use by segment. */
    private final int[] takenInSegment;

    /** Free regions that still take their space, but for those of segments being discarded; {@link #spareCount} of them. */
    private final BitSet spare = new BitSet();

    private int spareCount;
    private final int mostSpare;

    /** Whether a task that gives back space is queued, or there never will be one since it is not possible. */
    private boolean givingBack;

    private int segmentsBeingDiscarded;
    private int takenCount;

    /** Below, all are taken. */
    private int lowestFree;

    // What is known of each region, up to the last that was ever used: 32 bytes and the bits of `taken`.
    // Of a run only the first has more than the label.
    private @Nullable LabelSpace[] owners = new @Nullable LabelSpace[FIRST_DESCRIBED];
    private int[] usedBytes = new int[FIRST_DESCRIBED];

    /** By users: what several handles' versions share counts for each of them, so that it may be more than is used. */
    private long[] liveBytes = new long[FIRST_DESCRIBED];

    private int[] livePieces = new int[FIRST_DESCRIBED];
    private int[] runLengths = new int[FIRST_DESCRIBED];

    /** Which use of the heap's regions it is, so that no two are alike. */
    private long[] uses = new long[FIRST_DESCRIBED];

    private long nextUse;

    private long regionsFreed;

    Regions(SecondHeapOptions options, Storage storage, StorageThread thread) {
        cipher = options.encryptionKeyBits() == 0 ? null : new RegionCipher(options.encryptionKeyBits());
        reclaimer = options.reclaimer();
        regionBytes = options.regionBytes();
        long wholeRegions = options.capacityBytes() / regionBytes;
        if (wholeRegions == 0 || wholeRegions > SecondHeapOptions.MOST_REGIONS) {
            throw new IllegalArgumentException("capacity is " + options.capacityBytes()
                    + " bytes, expected at least one region of " + regionBytes + " bytes and at most "
                    + SecondHeapOptions.MOST_REGIONS + " of them; change the capacity or regionBytes");
        }
        regionCount = (int) wholeRegions;
        regionsPerSegment = (int) Math.min(regionCount, MOST_SEGMENT_BYTES / regionBytes);
        int segmentCount = (regionCount + regionsPerSegment - 1) / regionsPerSegment;
        takenInSegment = new int[segmentCount];
        mostSpare = (int) Math.max(1, Math.min(MOST_SPARE_BYTES, options.capacityBytes() / 4) / regionBytes);
        files = new SegmentFiles(storage, thread, segmentCount, (long) regionsPerSegment * regionBytes);
    }

    int regionBytes() {
        return regionBytes;
    }

    /** The longest piece that can be placed. */
    long mostPieceBytes() {
        return (long) regionsPerSegment * regionBytes;
    }

    /** What to throw for a piece that is longer than that. */
    SecondHeapException tooLong(long length) {
        return SecondHeapException.tooLong(length, mostPieceBytes());
    }

    SegmentFiles files() {
        return files;
    }

    static int regionOf(long place) {
        return (int) (place >>> 32);
    }

    static int offsetOf(long place) {
        return (int) place;
    }

    static long place(int region, int offset) {
        return (long) region << 32 | offset;
    }

    int segmentOf(long place) {
        return regionOf(place) / regionsPerSegment;
    }

    /** Where in its segment a place is. */
    long offsetInSegment(long place) {
        return (long) (regionOf(place) % regionsPerSegment) * regionBytes + offsetOf(place);
    }

    // ---------------------------------------------------------------- allocation

    /**
     * Appends as many pieces as fit in the open region of a label, at least one, all of which count as live at once.
     *
     * @param lengths of the pieces, none longer than a region
     * @param from the first piece to place
     * @param to behind the last one
     * @param places takes where the pieces are, by their index
     * @return behind the last piece that was placed
     * @throws SecondHeapException if there is no free region
     */
    synchronized int append(LabelSpace space, int[] lengths, int from, int to, long[] places) {
        int region = space.openRegion;
        if (region == NONE || regionBytes - usedBytes[region] < lengths[from]) {
            region = take(space, 1);
            space.openRegion = region;
        }
        int piece = from;
        while (piece < to && regionBytes - usedBytes[region] >= lengths[piece]) {
            places[piece] = place(region, usedBytes[region]);
            usedBytes[region] += lengths[piece];
            liveBytes[region] += lengths[piece];
            livePieces[region]++;
            piece++;
        }
        return piece;
    }

    /** Asks whoever holds handles to close some; not under the lock of this, which closing needs. */
    boolean makeRoom() {
        try {
            return reclaimer.getAsBoolean();
        } catch (RuntimeException e) {
            throw new SecondHeapException(Category.LIMIT, "the second heap is full, and its reclaimer failed: " + e, e);
        }
    }

    /**
     * Finds a place for a piece that is longer than a region.
     *
     * @throws SecondHeapException if there are not enough free regions in a row
     */
    synchronized long appendLong(LabelSpace space, int length) {
        if (length > mostPieceBytes()) {
            throw tooLong(length);
        }
        int region = take(space, (length - 1) / regionBytes + 1);
        usedBytes[region] = length;
        liveBytes[region] = length;
        livePieces[region] = 1;
        return place(region, 0);
    }

    private int take(LabelSpace space, int count) {
        int region = findOrAwait(count);
        if (region == NONE) {
            throw new SecondHeapException(
                    Category.LIMIT,
                    "the second heap is full: " + takenCount + " of " + regionCount + " regions of " + regionBytes
                            + " bytes are in use, needed " + (count == 1 ? "is one" : "are " + count + " in a row")
                            + "; close handles, or open it with more capacity");
        }
        describe(region + count);
        taken.set(region, region + count);
        clearSpare(region, region + count);
        takenCount += count;
        takenInSegment[region / regionsPerSegment] += count;
        lowestFree = taken.nextClearBit(lowestFree);
        Arrays.fill(owners, region, region + count, space);
        runLengths[region] = count;
        uses[region] = nextUse++;
        return region;
    }

    private int findOrAwait(int count) {
        boolean interrupted = false;
        int region = find(count);
        while (region == NONE && segmentsBeingDiscarded > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                // It takes milliseconds, and what follows can be interrupted.
                interrupted = true;
            }
            region = find(count);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return region;
    }

    /** The first free regions in a row within a segment. */
    private int find(int count) {
        int region = lowestFree;
        while (true) {
            region = taken.nextClearBit(region);
            int segmentEnd = Math.min((region / regionsPerSegment + 1) * regionsPerSegment, regionCount);
            if (region >= regionCount) {
                return NONE;
            }
            if (region + count > segmentEnd) {
                region = segmentEnd;
                continue;
            }
            int nextTaken = taken.nextSetBit(region);
            if (nextTaken < 0 || nextTaken - region >= count) {
                return region;
            }
            region = nextTaken;
        }
    }

    private void describe(int count) {
        if (count > usedBytes.length) {
            int room = (int) Math.min(Math.max(count, 2L * usedBytes.length), regionCount);
            owners = Arrays.copyOf(owners, room);
            usedBytes = Arrays.copyOf(usedBytes, room);
            liveBytes = Arrays.copyOf(liveBytes, room);
            livePieces = Arrays.copyOf(livePieces, room);
            runLengths = Arrays.copyOf(runLengths, room);
            uses = Arrays.copyOf(uses, room);
        }
    }

    // ---------------------------------------------------------------- reclamation

    /** Live pieces, from one index up to another, have one more user, who releases them. Needs no memory. */
    synchronized void retain(long[] places, int[] lengths, int from, int to) {
        for (int i = from; i < to; i++) {
            int region = regionOf(places[i]);
            liveBytes[region] += lengths[i];
            livePieces[region]++;
        }
    }

    /** Pieces are dead; regions that have no live one are freed. */
    void release(long[] places, int[] lengths, int count) {
        release(places, lengths, 0, count);
    }

    /** The same of those from one index up to another. */
    void release(long[] places, int[] lengths, int from, int to) {
        int freed = 0;
        LabelSpace owner = null;
        OutOfMemoryError failure = null;
        synchronized (this) {
            for (int i = from; i < to; i++) {
                int region = regionOf(places[i]);
                liveBytes[region] -= lengths[i];
                livePieces[region]--;
                if (livePieces[region] == 0) {
                    owner = owners[region];
                    freed += runLengths[region];
                    try {
                        free(region);
                    } catch (OutOfMemoryError e) {
                        // Whatever became of this one, nobody else would free those behind it.
                        failure = e;
                    }
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (owner != null) {
            FlightRecording.freed(owner.label, freed, regionBytes);
        }
    }

    private void free(int region) {
        LabelSpace owner = owners[region];
        if (owner != null && owner.openRegion == region) {
            owner.openRegion = NONE;
        }
        int count = runLengths[region];
        Arrays.fill(owners, region, region + count, null);
        usedBytes[region] = 0;
        runLengths[region] = 0;
        takenCount -= count;
        regionsFreed += count;
        int segment = region / regionsPerSegment;
        takenInSegment[segment] -= count;
        if (takenInSegment[segment] == 0) {
            discard(segment);
        } else {
            putBack(region, region + count);
            spare.set(region, region + count);
            spareCount += count;
            if (spareCount > mostSpare && !givingBack) {
                givingBack = files.later(this::giveSpaceBack);
            }
        }
    }

    private void clearSpare(int from, int to) {
        for (int region = spare.nextSetBit(from); region >= 0 && region < to; region = spare.nextSetBit(region + 1)) {
            spare.clear(region);
            spareCount--;
        }
    }

    /**
     * On the thread of the storage. The last regions first, as the first ones are used again first. Whoever gets such a region meanwhile writes to
     * it later, on the same thread.
     */
    private void giveSpaceBack() {
        boolean complete = false;
        try {
            int region = takeExcessSpare();
            while (region != NONE && giveSpaceBack(region)) {
                region = takeExcessSpare();
            }
            complete = true;
        } finally {
            if (!complete) {
                tryAgainLater();
            }
        }
    }

    private boolean giveSpaceBack(int region) {
        long place = place(region, 0);
        return files.giveBackNow(segmentOf(place), offsetInSegment(place), regionBytes);
    }

    /** The next region that becomes free queues the task again. */
    private synchronized void tryAgainLater() {
        givingBack = false;
    }

    private synchronized int takeExcessSpare() {
        if (spareCount <= mostSpare) {
            givingBack = false;
            return NONE;
        }
        int region = spare.length() - 1;
        spare.clear(region);
        spareCount--;
        return region;
    }

    private void putBack(int from, int to) {
        taken.clear(from, to);
        lowestFree = Math.min(lowestFree, from);
    }

    /** Gives the space of a segment without live pieces back; until that is done it looks as if all of it were in use. */
    private void discard(int segment) {
        int from = segment * regionsPerSegment;
        int to = Math.min(from + regionsPerSegment, regionCount);
        taken.set(from, to);
        clearSpare(from, to);
        segmentsBeingDiscarded++;
        Runnable then = null;
        try {
            then = () -> discarded(from, to);
        } finally {
            if (then == null) {
                // No memory for it: the segment keeps its space, and can be used again at once.
                discarded(from, to);
            }
        }
        files.discard(segment, then);
    }

    private synchronized void discarded(int from, int to) {
        putBack(from, to);
        segmentsBeingDiscarded--;
        notifyAll();
    }

    // ---------------------------------------------------------------- writing and reading

    /** Which use of its region a place belongs to, as long as something is live there. */
    synchronized long useOf(long place) {
        return uses[regionOf(place)];
    }

    /**
     * Writes what has a place, on the thread of the storage. By then the place may belong to nobody any more, or to somebody who writes later.
     *
     * @param use as when the place was given
     * @throws IOException if it cannot be written
     */
    void write(long use, long place, ByteBuffer bytes) throws IOException {
        files.write(
                segmentOf(place),
                offsetInSegment(place),
                cipher == null ? bytes : cipher.encrypted(use, offsetOf(place), bytes));
    }

    /**
     * Copies a piece that has been written.
     *
     * @param target takes it at its beginning
     * @throws SecondHeapException if the device cannot read it
     */
    void read(long place, int length, byte[] target) {
        files.read(segmentOf(place), offsetInSegment(place), length, target);
        if (cipher != null) {
            cipher.decrypt(useOf(place), offsetOf(place), target, length);
        }
    }

    /** Whether the end of a piece that has been written is in memory; as far as anybody can tell. */
    boolean isResident(long place, int length) {
        return files.isResident(segmentOf(place), offsetInSegment(place) + length - 1);
    }

    /**
     * Waits until bytes that have been written are in memory. May fail in any way that an access to a mapping can.
     *
     * @param length of pieces one behind the other
     */
    void load(long place, int length) {
        files.load(segmentOf(place), offsetInSegment(place), length);
    }

    // ---------------------------------------------------------------- statistics

    /** Visits what is known of regions. */
    interface Visitor {
        /**
         * A region in use, or a run of them.
         *
         * @param regions how many
         */
        void region(LabelSpace owner, int regions, int usedBytes, int liveBytes);
    }

    synchronized void visit(Visitor visitor) {
        for (int region = 0; region < usedBytes.length; region++) {
            LabelSpace owner = owners[region];
            if (owner != null && runLengths[region] > 0) {
                visitor.region(owner, runLengths[region], usedBytes[region], (int)
                        Math.min(liveBytes[region], usedBytes[region]));
            }
        }
    }

    synchronized int takenCount() {
        return takenCount;
    }

    int regionCount() {
        return regionCount;
    }

    synchronized int spareCount() {
        return spareCount;
    }

    synchronized long regionsFreed() {
        return regionsFreed;
    }
}
