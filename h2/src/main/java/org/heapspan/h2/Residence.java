package org.heapspan.h2;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one handle in the second heap: pieces, each a group of records, in their order. Its regions cannot be used for anything else
 * before the handle and all who are reading have released it.
 *
 * <p>Built by one thread ({@link #add}), then published and unchanged. {@link #retain} and {@link #release} are thread-safe.
 */
final class Residence {
    private final Regions regions;
    private final LabelSpace space;
    private final ElementCodec codec;

    private long[] places = new long[1];
    private int[] lengths = new int[1];

    /** Elements up to and with each piece. */
    private long[] ends = new long[1];

    private int pieceCount;

    /** For how many pieces there is room besides those that it has. */
    private int expectedPieces;

    private long imageBytes;

    /** The handle and those who read; guarded by this. */
    private int users = 1;

    private boolean abandoned;

    /** What pieces refer to outside of them, and which do; null as long as that is nothing. For the thread that builds it. */
    private @Nullable Map<SharedRoot, BitSet> dependencies;

    /** The piece that elements are being encoded for. */
    private int openPiece;

    private long sharedBytes;

    /**
     * Begins without pieces.
     *
     * @param codec what encodes them, and will decode them
     */
    Residence(Regions regions, LabelSpace space, ElementCodec codec) {
        this.regions = regions;
        this.space = space;
        this.codec = codec;
    }

    /** What decodes the pieces. */
    ElementCodec codec() {
        return codec;
    }

    LabelSpace space() {
        return space;
    }

    /** Makes room for one more piece, so that adding it cannot fail when it has been written. */
    void expectPiece() {
        makeRoom(expectedPieces + 1);
        expectedPieces++;
    }

    private void makeRoom(int morePieces) {
        int needed = pieceCount + morePieces;
        if (needed > places.length) {
            int room = needed + (needed >> 1);
            long[] newPlaces = Arrays.copyOf(places, room);
            int[] newLengths = Arrays.copyOf(lengths, room);
            ends = Arrays.copyOf(ends, room);
            lengths = newLengths;
            places = newPlaces;
        }
    }

    /** Adds a piece whose region counts it already. */
    void add(long place, int length, int elements) {
        makeRoom(1);
        if (expectedPieces > 0) {
            expectedPieces--;
        }
        places[pieceCount] = place;
        lengths[pieceCount] = length;
        ends[pieceCount] = elementCount() + elements;
        imageBytes += length;
        pieceCount++;
    }

    /** Gives room that was not needed back; before it is published. */
    void trim() {
        places = Arrays.copyOf(places, pieceCount);
        lengths = Arrays.copyOf(lengths, pieceCount);
        ends = Arrays.copyOf(ends, pieceCount);
    }

    int pieceCount() {
        return pieceCount;
    }

    long place(int piece) {
        return places[piece];
    }

    int length(int piece) {
        return lengths[piece];
    }

    /** Elements before a piece. */
    long firstElement(int piece) {
        return piece == 0 ? 0 : ends[piece - 1];
    }

    long elementCount() {
        return firstElement(pieceCount);
    }

    /** Bytes of the pieces. */
    long imageBytes() {
        return imageBytes;
    }

    /** Bytes of the pieces, and of the shared objects that they were the first to refer to. */
    long storedBytes() {
        return imageBytes + sharedBytes;
    }

    /** The piece that has an element, by the element's index. */
    int pieceOf(long element) {
        int low = 0;
        int high = pieceCount - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] <= element) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * The same with another piece in place of one of these.
     *
     * @param single has the new piece alone, which is the result's from now on; it is gone if this fails
     */
    Residence with(int piece, Residence single) {
        long place = single.place(0);
        int length = single.length(0);
        Residence changed = new Residence(regions, space, codec);
        boolean counts = false;
        boolean complete = false;
        try {
            changed.sharedBytes = sharedBytes + single.sharedBytes;
            changed.take(dependencies, piece, false);
            changed.take(single.dependencies, piece, true);
            for (int i = 0; i < pieceCount; i++) {
                int elements = (int) (ends[i] - firstElement(i));
                if (i == piece) {
                    changed.add(place, length, elements);
                } else {
                    changed.add(places[i], lengths[i], elements);
                }
            }
            changed.trim();
            // These need no memory, so that all pieces count or none.
            regions.retain(places, lengths, 0, piece);
            regions.retain(places, lengths, piece + 1, pieceCount);
            counts = true;
            single.releaseDependencies();
            complete = true;
            return changed;
        } finally {
            if (!complete && counts) {
                changed.release();
            } else if (!complete) {
                changed.releaseDependencies();
                single.abandon();
            }
        }
    }

    /** Depends on what others depend on for a piece, or for all but that; they hold it, so that none of it is gone. */
    private void take(@Nullable Map<SharedRoot, BitSet> others, int piece, boolean only) {
        if (others == null) {
            return;
        }
        others.forEach((shared, itsPieces) -> {
            BitSet pieces = new BitSet();
            if (only) {
                pieces.set(piece);
            } else {
                pieces.or(itsPieces);
                pieces.clear(piece);
            }
            if (!pieces.isEmpty()) {
                depend(shared, pieces);
            }
        });
    }

    /**
     * Keeps a shared object for as long as the group that is being encoded, which refers to it. For the thread that builds it.
     *
     * @return false if it is gone
     */
    boolean dependsOn(SharedRoot shared) {
        BitSet one = new BitSet();
        one.set(openPiece);
        return depend(shared, one);
    }

    private boolean depend(SharedRoot shared, BitSet pieces) {
        Map<SharedRoot, BitSet> known = dependencies;
        if (known == null) {
            known = new HashMap<>(4);
            dependencies = known;
        }
        BitSet dependent = known.get(shared);
        if (dependent == null) {
            dependent = new BitSet();
            // Before it is retained: nobody would release what is not in there.
            known.put(shared, dependent);
            if (!shared.retain()) {
                known.remove(shared);
                return false;
            }
        }
        dependent.or(pieces);
        return true;
    }

    /** The next elements are of another piece. */
    void endPiece() {
        openPiece++;
    }

    /** Notes bytes of a shared object that this was the first to refer to. */
    void addSharedBytes(long bytes) {
        sharedBytes += bytes;
    }

    /** How long the longest chain of shared objects is that these bytes depend on. */
    int dependencyDepth() {
        int depth = 0;
        if (dependencies != null) {
            for (SharedRoot each : dependencies.keySet()) {
                depth = Math.max(depth, each.depth());
            }
        }
        return depth;
    }

    private void releaseDependencies() {
        Map<SharedRoot, BitSet> last = dependencies;
        dependencies = null;
        if (last != null) {
            last.keySet().forEach(SharedRoot::release);
        }
    }

    /** Nobody will use it: what has a place is dead now, and what gets one later dies with the next call. For the thread that builds it. */
    void abandon() {
        abandoned = true;
        regions.release(places, lengths, pieceCount);
        pieceCount = 0;
        releaseDependencies();
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Begins a use; false if nobody used it any more, so that its bytes may be gone. */
    synchronized boolean retain() {
        if (users == 0) {
            return false;
        }
        users++;
        return true;
    }

    /** Ends a use; the last one frees the bytes. */
    void release() {
        synchronized (this) {
            if (users == 0) {
                // Its regions may have others' bytes by now.
                throw new IllegalStateException(
                        "the bytes of a handle were released more often than they were acquired");
            }
            if (--users > 0) {
                return;
            }
        }
        regions.release(places, lengths, pieceCount);
        releaseDependencies();
    }
}
