package org.heapspan.image.raw;

import org.jspecify.annotations.Nullable;

/** An array that is split into several chunks, and the number of elements that have been read. One array at a time. Not thread-safe. */
final class RawLongArray {
    private @Nullable Object array;
    private @Nullable RawClass type;
    private long unit;
    private long sizeBytes;
    private long doneBytes;

    // What was open when the current chunk began.
    private @Nullable RawClass continuedType;
    private long continuedUnit;

    void clear() {
        array = null;
        type = null;
        continuedType = null;
    }

    /** Begins a chunk, which may go on with the array. */
    void beginChunk() {
        continuedType = type;
        continuedUnit = unit;
    }

    /** Begins an array that has more bytes than are left of the chunk, which it begins at a unit. */
    void begin(RawClass newType, Object newArray, long newUnit, long newSizeBytes) {
        array = newArray;
        type = newType;
        unit = newUnit;
        sizeBytes = newSizeBytes;
        doneBytes = 0;
    }

    /** Whether parts of an array are still to come. */
    boolean isOpen() {
        return array != null;
    }

    boolean is(Object object) {
        return object == array;
    }

    /** How many bytes of the open array, if there is one, a chunk begins with. */
    int partBytes(int chunkBytes) {
        return array == null ? 0 : (int) Math.min(sizeBytes - doneBytes, chunkBytes);
    }

    /** The open array, if parts of it have come in chunks before. */
    @Nullable
    Object begun() {
        return doneBytes > 0 ? array : null;
    }

    /** The class of the open array. */
    @Nullable
    RawClass type() {
        return type;
    }

    /** How many bytes of the open array have been filled in. */
    long doneBytes() {
        return doneBytes;
    }

    /** Notes that a part has been filled in. */
    void pass(int partBytes) {
        doneBytes += partBytes;
        if (doneBytes == sizeBytes) {
            array = null;
            type = null;
        }
    }

    /** The class of the array that began at a unit of a chunk before and goes on in the current one; null if none does. */
    @Nullable
    RawClass continuedAt(long otherUnit) {
        return otherUnit == continuedUnit ? continuedType : null;
    }
}
