package org.heapspan.vm;

import org.jspecify.annotations.Nullable;

/**
 * What {@link CarvingSpace#carve} shall make objects of: where copies of objects and what belongs to them lie in an image.
 *
 * <p>A plain holder of parameters, reused by its owner; not thread-safe. All offsets are in bytes from the image's beginning and may
 * have any alignment; all numbers in the image are little endian. <em>Units</em> are 8 bytes of the image's object space
 * ({@code docs/formats/image.md}, "Raw encoding"). Ranges are checked against the image, unit numbers against the range of the
 * copied objects; that units are beginnings of objects of the right class is not: the image's writer is trusted.
 */
public final class CarveRequest {
    /** The image, or {@code null} if it lies at {@link #imageAddress}. */
    public byte @Nullable [] image;

    /** Absolute address of an image in native memory, where {@link #image} is {@code null}. */
    public long imageAddress;

    /** How many bytes may be read from {@link #imageAddress} on. */
    public long imageBytes = Long.MAX_VALUE;

    /** Where the copies of objects lie, each beginning where the last ended. */
    public long objectsOffset;

    /** How many bytes the copies take, a multiple of the object alignment. */
    public int objectBytes;

    /** Number of the first object's place, in units; references lead from there to the end of the copies, or are 0. */
    public long firstUnit;

    /**
     * A bit for each 4 bytes of objects, low bit first, in whole 8-byte words: set where a slot, or the first half of an 8-byte slot,
     * holds a unit number or 0.
     */
    public long bitmapOffset;

    /**
     * Pairs of 4-byte numbers: a slot, counted in 4 bytes from the first object, and an index into {@link #constants}. These slots are
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

    /** Objects that patches refer to; young or old. */
    public Object @Nullable [] constants;

    /**
     * Pairs of class words, in the image and here ({@link ClassFacts#classWord}), of all classes whose words differ; each image word
     * once. {@code null} if the headers can be taken over as they are: then they are not even read.
     *
     * <p>With pairs, every class of the copies must be one whose facts {@link Carver#classFacts} gave out.
     */
    public long @Nullable [] classWords;

    /** Number of pairs in {@link #classWords}. */
    public int classWordCount;
}
