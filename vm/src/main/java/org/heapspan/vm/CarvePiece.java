package org.heapspan.vm;

/**
 * Where copies of objects and what belongs to them lie in an image; a part of a {@link CarveRequest}.
 *
 * <p>A plain holder of parameters; not thread-safe. All offsets are in bytes from the image's beginning and may have any alignment.
 */
public final class CarvePiece {
    /** Where the copies of objects lie, each beginning where the last ended. */
    public long objectsOffset;

    /** How many bytes the copies take, a multiple of the object alignment. */
    public int objectBytes;

    /**
     * A bit for each 4 bytes of objects, low bit first, in whole 8-byte words: set where a slot, or the first half of an 8-byte slot,
     * holds a unit number or 0.
     */
    public long bitmapOffset;

    /**
     * Pairs of 4-byte numbers: a slot, counted in 4 bytes from the first object, and an index into {@link CarveRequest#constants}. These slots are
     * 0 in the copies and clear in the bitmap.
     */
    public long constantPatchesOffset;

    /** Number of pairs at {@link #constantPatchesOffset}. */
    public int constantPatchCount;

    /** 4-byte unit numbers of the roots; 0 is {@code null}. */
    public long rootsOffset;

    /** Number of roots. */
    public int rootCount;

    /** 4-byte unit numbers of further objects that the caller wants to reach. */
    public long exportsOffset;

    /** Number of exports. */
    public int exportCount;
}
