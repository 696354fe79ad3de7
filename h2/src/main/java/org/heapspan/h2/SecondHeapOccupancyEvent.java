package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** How many regions of a second heap are live to about the same share (TeraHeap figure 10). */
@Name("org.heapspan.SecondHeapOccupancy")
@jdk.jfr.Label("Second Heap Occupancy")
@Category("Heapspan")
@Description("How many regions in use are live to about the same share: one event for each tenth that there is")
@Period("everyChunk")
@StackTrace(false)
final class SecondHeapOccupancyEvent extends Event {
    @jdk.jfr.Label("Heap")
    @Description("Number of the heap in this process")
    long heap;

    @jdk.jfr.Label("Live Percent")
    @Description("Of what was appended to the regions, at least; less than ten more")
    int livePercent;

    @jdk.jfr.Label("Regions")
    int regions;

    static void commit(long heap, SecondHeapStatistics statistics) {
        for (int tenth = 0; tenth < statistics.occupancy().size(); tenth++) {
            int regions = statistics.occupancy().get(tenth);
            if (regions > 0) {
                SecondHeapOccupancyEvent event = new SecondHeapOccupancyEvent();
                event.heap = heap;
                event.livePercent = 10 * tenth;
                event.regions = regions;
                event.commit();
            }
        }
    }
}
