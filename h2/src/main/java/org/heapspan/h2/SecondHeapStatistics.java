package org.heapspan.h2;

import java.util.List;

/**
 * A snapshot of a second heap. A region without live bytes is free at once, so no region waits to be reclaimed.
 *
 * @param capacityBytes storage that it may take
 * @param regionBytes length of a region
 * @param regionsInUse regions with live bytes
 * @param regionsFreed how many times regions were freed since the heap was opened
 * @param spareBytes storage of free regions that is kept for reuse
 * @param usedBytes bytes that were written to the regions in use
 * @param liveBytes live bytes among them; the others are dead, and become free with their regions
 * @param occupancy element {@code i} counts the regions in use with {@code 10 i} to {@code 10 i + 9} percent live bytes; the last element counts
 *     those with live bytes only (TeraHeap figure 10)
 * @param movedRoots handles whose roots were moved since the heap was opened
 * @param refusedRoots how often moves have refused a root since the heap was opened
 * @param appendedSequences sequences that were written by an {@link H2Appender} since the heap was opened
 * @param writtenBytes bytes that moves, appenders and updates have written since the heap was opened
 * @param keptBytes bytes of images of shared objects that are kept on the Java heap as well ({@link SecondHeapOptions#withKept})
 * @param labels statistics of each label; shared objects have the label of {@link Long#MIN_VALUE}
 */
public record SecondHeapStatistics(
        long capacityBytes,
        int regionBytes,
        int regionsInUse,
        long regionsFreed,
        long spareBytes,
        long usedBytes,
        long liveBytes,
        List<Integer> occupancy,
        long movedRoots,
        long refusedRoots,
        long appendedSequences,
        long writtenBytes,
        long keptBytes,
        List<LabelStatistics> labels) {
    /** Copies the lists. */
    public SecondHeapStatistics {
        occupancy = List.copyOf(occupancy);
        labels = List.copyOf(labels);
    }

    /**
     * Statistics of one label.
     *
     * @param label the label
     * @param taggedRoots handles with a root on the Java heap that waits to be moved
     * @param refusedRoots how often moves and updates have refused a root while the label was in use
     * @param regions regions in use
     * @param liveBytes bytes of live roots
     * @param deadBytes bytes in its regions that no handle refers to
     */
    public record LabelStatistics(
            Label label, long taggedRoots, long refusedRoots, int regions, long liveBytes, long deadBytes) {}

    /**
     * Returns the dead bytes. They become free when their region has no live bytes.
     *
     * @return bytes
     */
    public long deadBytes() {
        return usedBytes - liveBytes;
    }
}
