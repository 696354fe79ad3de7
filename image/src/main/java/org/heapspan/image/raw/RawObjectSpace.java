package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageReader;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a raw image by their places: those that have been read and that later objects may still refer to. Belongs to one {@link
 * RawImageReader}; not thread-safe.
 */
final class RawObjectSpace {
    /** Half of the units that a chunk has at most. */
    private static final int NEAR_SHIFT = 14;

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

    /** Chunks of which only those objects are known that they export. */
    private static final class Exporting extends Chunk {
        /** Where the objects begin, in units from the first: ascending. */
        private final int[] starts;

        private final @Nullable Object[] objects;

        Exporting(long firstUnit, long endUnit, int[] starts, @Nullable Object[] objects) {
            super(firstUnit, endUnit);
            this.starts = starts;
            this.objects = objects;
        }

        @Override
        @Nullable
        Object at(long unit) {
            int index = Arrays.binarySearch(starts, (int) (unit - firstUnit));
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

    private final ImageReader reader;

    /** The chunk that was found last for a place, by the unit in steps of {@link #NEAR_SHIFT} bits: references lead to few chunks at a time. */
    private final @Nullable Chunk[] near = new Chunk[16];

    /** In the order of their units. */
    private final List<Chunk> chunks = new ArrayList<>(2);

    /** The chunk that came last, unless none of its objects can be looked up. */
    private @Nullable Chunk latest;

    private long endUnit;

    RawObjectSpace(ImageReader reader) {
        this.reader = reader;
    }

    /** Behind the last unit that has arrived. */
    long endUnit() {
        return endUnit;
    }

    /** Forgets everything; the next chunk begins at a unit. */
    void clear(long unit) {
        if (!chunks.isEmpty()) {
            chunks.clear();
            Arrays.fill(near, null);
        }
        latest = null;
        endUnit = unit;
    }

    /** Forgets chunks that lie wholly before a unit. */
    void forgetBefore(long unit) {
        int first = 0;
        while (first < chunks.size() && chunks.get(first).endUnit <= unit) {
            first++;
        }
        if (first > 0) {
            chunks.subList(0, first).clear();
            Arrays.fill(near, null);
        }
    }

    /**
     * Adds a chunk all of whose objects can be looked up.
     *
     * @param objects in the order of their places
     * @param starts a bit for each unit in which one begins
     */
    void addComplete(int unitCount, Object[] objects, long[] starts) {
        int[] ranks = new int[starts.length];
        int rank = 0;
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = rank;
            rank += Long.bitCount(starts[i]);
        }
        add(new Complete(endUnit, endUnit + unitCount, objects, starts, ranks));
    }

    /**
     * Adds chunks that the direct engine has read.
     *
     * @param made objects, of which the last ones are the chunks' exports in the order in which these come
     */
    void addCarved(RawPieces pieces, @Nullable Object[] made) {
        long end = endUnit + (pieces.objectBytes() >> RawFormat.UNIT_SHIFT);
        long[] exports = pieces.sortedExports();
        if (exports.length == 0) {
            // Nobody asks for any of the objects.
            latest = null;
            endUnit = end;
            return;
        }
        int firstExport = made.length - exports.length;
        int[] starts = new int[exports.length];
        @Nullable Object[] exported = new Object[exports.length];
        for (int i = 0; i < exports.length; i++) {
            starts[i] = (int) (exports[i] >> Integer.SIZE);
            exported[i] = made[firstExport + (int) exports[i]];
        }
        add(new Exporting(endUnit, end, starts, exported));
    }

    private void add(Chunk chunk) {
        chunks.add(chunk);
        latest = chunk;
        endUnit = chunk.endUnit;
    }

    /** The object that begins at a unit, which must have arrived. */
    Object objectAt(long unit) {
        int place = (int) (unit >>> NEAR_SHIFT) & near.length - 1;
        Chunk chunk = near[place];
        if (chunk == null || unit < chunk.firstUnit || unit >= chunk.endUnit) {
            chunk = chunkAt(unit);
            near[place] = chunk;
        }
        Object object = chunk == null ? null : chunk.at(unit);
        if (object == null) {
            throw reader.malformed("a reference leads to unit " + unit + ", where no object begins");
        }
        return object;
    }

    /** Which of the latest chunk's objects begins at a unit, if all can be looked up; or -1 if none does. */
    int indexInLatest(long unit) {
        return latest instanceof Complete complete && unit >= complete.firstUnit && unit < complete.endUnit
                ? complete.index(unit)
                : -1;
    }

    private @Nullable Chunk chunkAt(long unit) {
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
                return chunk;
            }
        }
        return null;
    }
}
