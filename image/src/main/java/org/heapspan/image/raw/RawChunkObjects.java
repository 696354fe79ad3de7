package org.heapspan.image.raw;

import java.util.Arrays;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a chunk that is read object by object, in the order of their places, and what it takes to fill them: the class of each object,
 * the position of its copy, and the bytes. Reused for the next chunk; not thread-safe.
 */
final class RawChunkObjects {
    private static final int INITIAL_OBJECTS = 64;

    /** Room for more objects is not kept from image to image. */
    private static final int MOST_KEPT = 1 << 12;

    private static final byte[] NO_BYTES = {};

    private Object[] objects;
    private RawClass[] types;

    /** Where each object begins in the bytes of the image; behind them, where the last one ends. */
    private int[] positions;

    private int count;

    /** Chunks before this one had so many objects at most; what is behind them is still empty. */
    private int mostCount;

    /** A bit for each unit of the chunk in which an object begins. */
    private long[] starts = {};

    // Where the parts of the chunk lie.
    private byte[] bytes = NO_BYTES;
    private int start;
    private int bitmap;
    private int constantPatches;
    private int constantPatchesEnd;

    /** A part of an array with which the chunk begins, from an offset in the array on. */
    private @Nullable Object continued;

    private @Nullable RawClass continuedType;
    private long continuedFrom;
    private int continuedBytes;

    /** The last unit to which the objects refer. */
    private long lastTarget;

    /** Creates room for a chunk. */
    RawChunkObjects() {
        objects = new Object[INITIAL_OBJECTS];
        types = new RawClass[INITIAL_OBJECTS];
        positions = new int[INITIAL_OBJECTS + 1];
    }

    private RawChunkObjects(RawChunkObjects other, Object[] objects) {
        this.objects = objects;
        count = other.count;
        types = Arrays.copyOf(other.types, count);
        positions = Arrays.copyOf(other.positions, count + 1);
        bytes = other.bytes;
        start = other.start;
        bitmap = other.bitmap;
        constantPatches = other.constantPatches;
        constantPatchesEnd = other.constantPatchesEnd;
        continued = other.continued;
        continuedType = other.continuedType;
        continuedFrom = other.continuedFrom;
        continuedBytes = other.continuedBytes;
        lastTarget = other.lastTarget;
    }

    /**
     * The chunk, to be filled after this has been reused.
     *
     * @param copiedObjects {@link #copyOfObjects}
     */
    RawChunkObjects waiting(Object[] copiedObjects) {
        return new RawChunkObjects(this, copiedObjects);
    }

    /** Forgets all objects, which takes the longer the more there were. */
    void clear() {
        mostCount = Math.max(mostCount, count);
        if (mostCount > MOST_KEPT) {
            objects = new Object[INITIAL_OBJECTS];
            types = new RawClass[INITIAL_OBJECTS];
            positions = new int[INITIAL_OBJECTS + 1];
        } else if (mostCount > 0) {
            Arrays.fill(objects, 0, mostCount, null);
            Arrays.fill(types, 0, mostCount, null);
        }
        count = 0;
        mostCount = 0;
        bytes = NO_BYTES;
        continued = null;
        continuedType = null;
    }

    /** Begins a chunk, whose tables are known to lie in the bytes. */
    void begin(byte[] newBytes, int chunkAt, RawChunkHeader header) {
        mostCount = Math.max(mostCount, count);
        count = 0;
        bytes = newBytes;
        start = chunkAt + header.objects();
        bitmap = chunkAt + header.bitmap();
        constantPatches = chunkAt + header.constantPatches();
        constantPatchesEnd = chunkAt + header.sidePatches();
        starts = new long[(header.objectBytes() >> RawFormat.UNIT_SHIFT) + 63 >> 6];
        continued = null;
        continuedType = null;
        continuedBytes = 0;
    }

    /** Says that the chunk begins with a part of an array of an earlier chunk. */
    void continueArray(RawClass type, Object array, long from, int partBytes) {
        continued = array;
        continuedType = type;
        continuedFrom = from;
        continuedBytes = partBytes;
    }

    /** Adds an object that begins at a position, in a unit of the chunk. */
    void add(RawClass type, Object object, int position, int unitInChunk) {
        int index = count;
        if (index == objects.length) {
            objects = Arrays.copyOf(objects, index * 2);
            types = Arrays.copyOf(types, index * 2);
            positions = Arrays.copyOf(positions, index * 2 + 1);
        }
        objects[index] = object;
        types[index] = type;
        positions[index] = position;
        starts[unitInChunk >> 6] |= 1L << unitInChunk;
        count = index + 1;
    }

    /** Ends the last object at a position. */
    void end(int position) {
        positions[count] = position;
    }

    /**
     * Finds the last unit to which the objects refer.
     *
     * @return false if the bitmap has bits behind the objects
     */
    boolean findLastTarget(boolean wideReferences) {
        long last = 0;
        int lastSlot = bitmap - (wideReferences ? Long.BYTES : Integer.BYTES);
        for (int word = bitmap, first = start; word < constantPatches; word += Long.BYTES) {
            for (long bits = (long) ImageFormat.LONG.get(bytes, word); bits != 0; bits &= bits - 1) {
                int slot = first + (Long.numberOfTrailingZeros(bits) << RawFormat.BITMAP_SLOT_SHIFT);
                if (slot > lastSlot) {
                    return false;
                }
                last = Math.max(last, unitAt(bytes, slot, wideReferences));
            }
            first += Long.SIZE << RawFormat.BITMAP_SLOT_SHIFT;
        }
        lastTarget = last;
        return true;
    }

    /** The unit in a reference slot. */
    static long unitAt(byte[] bytes, int position, boolean wideReferences) {
        return wideReferences
                ? (long) ImageFormat.LONG.get(bytes, position)
                : (int) ImageFormat.INT.get(bytes, position) & 0xFFFFFFFFL;
    }

    /** The result of {@link #findLastTarget}. */
    long lastTarget() {
        return lastTarget;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the objects begin in the bytes. */
    int start() {
        return start;
    }

    /** Where the bitmap begins, and the objects end. */
    int bitmap() {
        return bitmap;
    }

    /** Where the patches with constants begin, and the bitmap ends. */
    int constantPatches() {
        return constantPatches;
    }

    int constantPatchesEnd() {
        return constantPatchesEnd;
    }

    /** The array with a part of which the chunk begins, or null. */
    @Nullable
    Object continued() {
        return continued;
    }

    @Nullable
    RawClass continuedType() {
        return continuedType;
    }

    long continuedFrom() {
        return continuedFrom;
    }

    int continuedBytes() {
        return continuedBytes;
    }

    int count() {
        return count;
    }

    Object object(int index) {
        return objects[index];
    }

    RawClass type(int index) {
        return types[index];
    }

    /** Where an object begins; of the index behind the last one, where that one ends. */
    int position(int index) {
        return positions[index];
    }

    /** The objects alone, for as long as anyone wants. */
    Object[] copyOfObjects() {
        return Arrays.copyOf(objects, count);
    }

    /** A bit for each unit in which an object begins, in an array that the next chunk will not use. */
    long[] starts() {
        return starts;
    }
}
