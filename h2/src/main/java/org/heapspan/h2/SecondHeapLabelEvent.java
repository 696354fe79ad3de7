package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.heapspan.h2.SecondHeapStatistics.LabelStatistics;

/** What is of one label in a second heap. */
@Name("org.heapspan.SecondHeapLabel")
@jdk.jfr.Label("Second Heap Label")
@Category("Heapspan")
@Description("What is in each second heap that is open, label by label")
@Period("everyChunk")
@StackTrace(false)
final class SecondHeapLabelEvent extends Event {
    @jdk.jfr.Label("Heap")
    @Description("Number of the heap in this process")
    long heap;

    @jdk.jfr.Label("Label")
    long label;

    @jdk.jfr.Label("Tagged Roots")
    @Description("On the Java heap, waiting to be moved")
    long taggedRoots;

    @jdk.jfr.Label("Refused Roots")
    long refusedRoots;

    @jdk.jfr.Label("Regions")
    int regions;

    @jdk.jfr.Label("Live Bytes")
    @DataAmount
    long liveBytes;

    @jdk.jfr.Label("Dead Bytes")
    @Description("In regions with something live; comes free with it")
    @DataAmount
    long deadBytes;

    static void commit(long heap, SecondHeapStatistics statistics) {
        for (LabelStatistics each : statistics.labels()) {
            SecondHeapLabelEvent event = new SecondHeapLabelEvent();
            event.heap = heap;
            event.label = each.label().value();
            event.taggedRoots = each.taggedRoots();
            event.refusedRoots = each.refusedRoots();
            event.regions = each.regions();
            event.liveBytes = each.liveBytes();
            event.deadBytes = each.deadBytes();
            event.commit();
        }
    }
}
