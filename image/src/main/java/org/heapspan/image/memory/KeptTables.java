package org.heapspan.image.memory;

import java.lang.ref.SoftReference;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one writer, from image to image. A table is never cleared: entries of earlier records have numbers or generations that are no
 * longer in use, and all tables are dropped before these begin anew. In a table of numbers, which are the low half of an entry, the first entry
 * is barred: its number is above all others.
 *
 * <p>A small table is kept. A larger one is kept until the JVM is short of memory, and used from the start for some images after one that
 * needed it. Not thread-safe.
 */
final class KeptTables {
    /** Above all numbers. */
    static final int BARRED = Integer.MAX_VALUE;

    /** Numbers begin anew beyond this. */
    static final int MANY = 1 << 30;

    static final long[] NONE = new long[0];

    private static final int IMAGES_WITH_LARGE = 16;

    private final int leastLongs;
    private final int smallLongs;
    private final int mostLongs;
    private long[] small = NONE;
    private @Nullable SoftReference<long[]> large;
    private int imagesWithLarge;

    /**
     * Creates no table yet.
     *
     * @param leastLongs length of the first table
     * @param smallLongs length of the largest table that is kept in any case
     * @param mostLongs length of the largest table
     */
    KeptTables(int leastLongs, int smallLongs, int mostLongs) {
        this.leastLongs = leastLongs;
        this.smallLongs = smallLongs;
        this.mostLongs = mostLongs;
    }

    /** A table to begin an image with. */
    long[] first() {
        if (imagesWithLarge > 0) {
            imagesWithLarge--;
            long[] kept = keptLarge(smallLongs);
            if (kept != null) {
                return kept;
            }
        }
        if (small.length == 0) {
            small = newTable(leastLongs);
        }
        return small;
    }

    /** A table that is larger than another, or null if that is as large as they get. */
    long @Nullable [] largerThan(long[] table) {
        if (table.length >= mostLongs) {
            return null;
        }
        int longs = Math.min(table.length * 4, mostLongs);
        if (longs <= smallLongs) {
            small = newTable(longs);
            return small;
        }
        imagesWithLarge = IMAGES_WITH_LARGE;
        long[] kept = keptLarge(table.length);
        if (kept != null) {
            return kept;
        }
        long[] made = newTable(longs);
        large = new SoftReference<>(made);
        return made;
    }

    /** Drops all tables: numbers begin anew. */
    void drop() {
        small = NONE;
        large = null;
    }

    boolean isLarge(long[] table) {
        return table.length > smallLongs;
    }

    private long @Nullable [] keptLarge(int above) {
        long[] kept = large == null ? null : large.get();
        return kept == null || kept.length <= above ? null : kept;
    }

    private static long[] newTable(int longs) {
        long[] table = new long[longs];
        table[0] = BARRED;
        return table;
    }
}
