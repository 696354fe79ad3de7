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
    /** One chunk's objects. */
    private static final class Chunk {
        final long firstUnit;
        final long endUnit;
        final Object[] objects;
        final long[] starts;
        /** How many objects begin before each word of {@link #starts}. */
        final int[] ranks;

        Chunk(long firstUnit, long endUnit, Object[] objects, long[] starts, int[] ranks) {
            this.firstUnit = firstUnit;
            this.endUnit = endUnit;
            this.objects = objects;
            this.starts = starts;
            this.ranks = ranks;
        }

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
        Chunk chunk = new Chunk(firstUnit, endUnit, Arrays.copyOf(objects, count), starts, ranks);
        chunks.add(chunk);
        current = chunk;
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
        return latest != null && unit >= latest.firstUnit && unit < latest.endUnit ? latest.index(unit) : -1;
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
