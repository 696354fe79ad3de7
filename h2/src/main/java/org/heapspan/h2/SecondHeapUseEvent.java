package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** What is in a second heap. */
@Name("org.heapspan.SecondHeapUse")
@jdk.jfr.Label("Second Heap Use")
@Category("Heapspan")
@Description("What is in each second heap that is open")
@Period("everyChunk")
@StackTrace(false)
final class SecondHeapUseEvent extends Event {
    @jdk.jfr.Label("Heap")
    @Description("Number of the heap in this process")
    long heap;

    @jdk.jfr.Label("Capacity")
    @DataAmount
    long capacity;

    @jdk.jfr.Label("Regions In Use")
    int regionsInUse;

    @jdk.jfr.Label("Regions Freed")
    long regionsFreed;

    @jdk.jfr.Label("Spare Bytes")
    @Description("What free regions still take of the storage, to be used again")
    @DataAmount
    long spareBytes;

    @jdk.jfr.Label("Live Bytes")
    @DataAmount
    long liveBytes;

    @jdk.jfr.Label("Dead Bytes")
    @Description("In regions with something live; comes free with it")
    @DataAmount
    long deadBytes;

    @jdk.jfr.Label("Kept Bytes")
    @Description("Of shared objects that are on the Java heap, too")
    @DataAmount
    long keptBytes;

    static void commit(long heap, SecondHeapStatistics statistics) {
        SecondHeapUseEvent event = new SecondHeapUseEvent();
        event.heap = heap;
        event.capacity = statistics.capacityBytes();
        event.regionsInUse = statistics.regionsInUse();
        event.regionsFreed = statistics.regionsFreed();
        event.spareBytes = statistics.spareBytes();
        event.liveBytes = statistics.liveBytes();
        event.deadBytes = statistics.deadBytes();
        event.keptBytes = statistics.keptBytes();
        event.commit();
    }
}
