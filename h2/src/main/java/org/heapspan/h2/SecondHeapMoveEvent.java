package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** Roots of a label moved to the second heap. */
@Name("org.heapspan.SecondHeapMove")
@jdk.jfr.Label("Second Heap Move")
@Category("Heapspan")
@Description("Tagged roots of a label moved to the second heap")
@Threshold("1 ms")
final class SecondHeapMoveEvent extends Event {
    @jdk.jfr.Label("Label")
    long label;

    @jdk.jfr.Label("Roots Moved")
    long rootsMoved;

    @jdk.jfr.Label("Roots Refused")
    @Description("Roots that stay on the Java heap since something in their graph cannot be stored")
    long rootsRefused;

    @jdk.jfr.Label("Bytes")
    @DataAmount
    long bytes;

    /** An event that has begun, or null if no recording wants it. */
    static @Nullable SecondHeapMoveEvent begun() {
        SecondHeapMoveEvent event = new SecondHeapMoveEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /** Ends the event; it is written if it took long enough. */
    void end(Label moved, MoveReport report) {
        end();
        if (shouldCommit()) {
            label = moved.value();
            rootsMoved = report.movedRoots();
            rootsRefused = report.refusedRoots();
            bytes = report.imageBytes();
            commit();
        }
    }
}
