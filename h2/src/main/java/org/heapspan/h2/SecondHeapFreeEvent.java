package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;

/** Regions of the second heap hold nothing live any more. */
@Name("org.heapspan.SecondHeapFree")
@jdk.jfr.Label("Second Heap Free")
@Category("Heapspan")
@Description("Regions of a label were freed, since the last that was live in them was let go of")
final class SecondHeapFreeEvent extends Event {
    @jdk.jfr.Label("Label")
    long label;

    @jdk.jfr.Label("Regions")
    int regions;

    @jdk.jfr.Label("Bytes")
    @DataAmount
    long bytes;

    /** Writes the event, if a recording wants it. */
    static void commit(Label freed, int regionCount, int regionBytes) {
        SecondHeapFreeEvent event = new SecondHeapFreeEvent();
        if (event.shouldCommit()) {
            event.label = freed.value();
            event.regions = regionCount;
            event.bytes = (long) regionCount * regionBytes;
            event.commit();
        }
    }
}
