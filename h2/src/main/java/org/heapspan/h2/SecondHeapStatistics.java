package org.heapspan.h2;

import java.util.List;

/**
 * What is in a second heap: a snapshot. Regions that hold nothing live are free at once, so that none wait to be reclaimed.
 *
 * @param capacityBytes storage that it may take
 * @param regionBytes length of a region
 * @param regionsInUse regions that hold something live
 * @param regionsFreed regions that have been freed since the heap was opened, each as often as it was
 * @param spareBytes what free regions still take of the storage, to be used again
 * @param usedBytes what was appended to the regions in use
 * @param liveBytes what of that is live; the rest is dead and comes free with its region
 * @param occupancy element {@code i} counts the regions in use of whose appended bytes {@code 10 i} to {@code 10 i + 9} percent are live, the
 *     last one those of which all are (TeraHeap figure 10)
 * @param movedRoots handles that a move has put into the second heap, since it was opened
 * @param refusedRoots handles that a move has left on the Java heap for good, since it was opened
 * @param appendedSequences sequences that were written by an {@link H2Appender}, since it was opened
 * @param writtenBytes what moves, appenders and updates have written, since it was opened
 * @param keptBytes bytes of images of shared objects that are kept on the Java heap as well ({@link SecondHeapOptions#withKept})
 * @param labels what is in it by label
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
     * What is of one label.
     *
     * @param label the label
     * @param taggedRoots handles with a root on the Java heap that waits to be moved
     * @param refusedRoots handles whose roots could not be moved
     * @param regions regions in use
     * @param liveBytes bytes of live roots
     * @param deadBytes bytes in its regions that no handle refers to any more
     */
    public record LabelStatistics(
            Label label, long taggedRoots, long refusedRoots, int regions, long liveBytes, long deadBytes) {}

    /**
     * What was appended and is not live any more; it comes free as soon as nothing in its region is live.
     *
     * @return bytes
     */
    public long deadBytes() {
        return usedBytes - liveBytes;
    }
}
