package org.heapspan.image.raw;

import java.util.Arrays;

/**
 * The objects of the chunk that is being read object by object, in the order of their places: the class of each object, and the position of
 * its copy. Reused for the next chunk; not thread-safe.
 */
final class RawChunkObjects {
    private static final int INITIAL_OBJECTS = 64;

    /** Room for more objects is not kept from image to image. */
    private static final int MOST_KEPT = 1 << 12;

    private Object[] objects = new Object[INITIAL_OBJECTS];
    private RawClass[] types = new RawClass[INITIAL_OBJECTS];

    /** Where each object begins in the bytes of the image; behind them, where the last one ends. */
    private int[] positions = new int[INITIAL_OBJECTS + 1];

    private int count;

    /** Chunks before this one had so many objects at most; what is behind them is still empty. */
    private int mostCount;

    /** A bit for each unit of the chunk in which an object begins. */
    private long[] starts = {};

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
    }

    /** Begins a chunk of so many units. */
    void begin(int unitCount) {
        mostCount = Math.max(mostCount, count);
        count = 0;
        starts = new long[unitCount + 63 >> 6];
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
