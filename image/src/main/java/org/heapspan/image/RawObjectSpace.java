package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a raw image by their places, as far as they have arrived and something may still refer to them: for each chunk
 * the objects in order, and a bit for each unit in which one begins. Not thread-safe.
 */
final class RawObjectSpace {
    /** A chunk's objects, as far as they can be looked up. */
    private abstract static class Chunk {
        final long firstUnit;
        final long endUnit;

        Chunk(long firstUnit, long endUnit) {
            this.firstUnit = firstUnit;
            this.endUnit = endUnit;
        }

        /** The object that begins at a unit of the chunk, or null. */
        abstract @Nullable Object at(long unit);
    }

    /** A chunk of which only those objects are known that it exports. */
    private static final class Exporting extends Chunk {
        /** Ascending. */
        private final long[] units;

        private final @Nullable Object[] objects;

        Exporting(long firstUnit, long endUnit, long[] units, @Nullable Object[] objects) {
            super(firstUnit, endUnit);
            this.units = units;
            this.objects = objects;
        }

        @Override
        @Nullable
        Object at(long unit) {
            int index = Arrays.binarySearch(units, unit);
            return index < 0 ? null : objects[index];
        }
    }

    /** A chunk all of whose objects are known. */
    private static final class Complete extends Chunk {
        final Object[] objects;
        final long[] starts;
        /** How many objects begin before each word of {@link #starts}. */
        final int[] ranks;

        Complete(long firstUnit, long endUnit, Object[] objects, long[] starts, int[] ranks) {
            super(firstUnit, endUnit);
            this.objects = objects;
            this.starts = starts;
            this.ranks = ranks;
        }

        @Override
        @Nullable
        Object at(long unit) {
            int index = index(unit);
            return index < 0 ? null : objects[index];
        }

        int index(long unit) {
            int place = (int) (unit - firstUnit);
            long word = starts[place >> 6];
            long bit = 1L << place;
            return (word & bit) == 0 ? -1 : ranks[place >> 6] + Long.bitCount(word & bit - 1);
        }
    }

    /** In the order of their units. */
    private final List<Chunk> chunks = new ArrayList<>(2);

    // The chunk that is being read.
    private long firstUnit;
    private long endUnit;
    private Object[] objects = new Object[64];
    private int count;
    private long[] starts = new long[0];

    /** The first unit of the chunk that is being read. */
    long firstUnit() {
        return firstUnit;
    }

    /** Behind the last unit that has arrived. */
    long endUnit() {
        return endUnit;
    }

    int count() {
        return count;
    }

    Object object(int index) {
        return objects[index];
    }

    /** Forgets everything; the next chunk begins at a unit. */
    void clear(long unit) {
        chunks.clear();
        current = null;
        firstUnit = unit;
        endUnit = unit;
        objects = new Object[64];
        count = 0;
        starts = new long[0];
    }

    /** Forgets chunks that lie wholly before a unit. */
    void forgetBefore(long unit) {
        int first = 0;
        while (first < chunks.size() && chunks.get(first).endUnit <= unit) {
            first++;
        }
        chunks.subList(0, first).clear();
    }

    /** Begins the next chunk. */
    void begin(int unitCount) {
        firstUnit = endUnit;
        endUnit = firstUnit + unitCount;
        count = 0;
        starts = new long[unitCount + 63 >> 6];
        current = null;
    }

    /** Adds the next object of the chunk. */
    void add(Object object, int unitInChunk) {
        if (count == objects.length) {
            objects = Arrays.copyOf(objects, count * 2);
        }
        objects[count++] = object;
        starts[unitInChunk >> 6] |= 1L << unitInChunk;
    }

    /** Makes the objects of the chunk findable. */
    void complete() {
        int[] ranks = new int[starts.length];
        int rank = 0;
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = rank;
            rank += Long.bitCount(starts[i]);
        }
        Chunk chunk = new Complete(firstUnit, endUnit, Arrays.copyOf(objects, count), starts, ranks);
        chunks.add(chunk);
        current = chunk;
    }

    /**
     * Adds a chunk of which only some objects can be looked up.
     *
     * @param units where they begin, ascending
     * @param exported the objects, in the same order
     */
    void addExporting(int unitCount, long[] units, @Nullable Object[] exported) {
        firstUnit = endUnit;
        endUnit = firstUnit + unitCount;
        count = 0;
        current = null;
        // Without exports nobody asks for any of its objects.
        if (units.length > 0) {
            Chunk chunk = new Exporting(firstUnit, endUnit, units, exported);
            chunks.add(chunk);
            current = chunk;
        }
    }

    private @Nullable Chunk current;

    /** The object that begins at a unit before {@link #endUnit}, or null if none does. */
    @Nullable
    Object at(long unit) {
        Chunk latest = current;
        if (latest != null && unit >= latest.firstUnit && unit < latest.endUnit) {
            return latest.at(unit);
        }
        return earlier(unit);
    }

    /** Which of the latest chunk's objects begins at a unit, or -1 if none does. */
    int indexInChunk(long unit) {
        Chunk latest = current;
        return latest instanceof Complete complete && unit >= latest.firstUnit && unit < latest.endUnit
                ? complete.index(unit)
                : -1;
    }

    private @Nullable Object earlier(long unit) {
        int low = 0;
        int high = chunks.size() - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            Chunk chunk = chunks.get(middle);
            if (unit < chunk.firstUnit) {
                high = middle - 1;
            } else if (unit >= chunk.endUnit) {
                low = middle + 1;
            } else {
                return chunk.at(unit);
            }
        }
        return null;
    }
}
