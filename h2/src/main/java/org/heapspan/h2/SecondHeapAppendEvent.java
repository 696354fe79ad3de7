package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A sequence was appended to the second heap. */
@Name("org.heapspan.SecondHeapAppend")
@jdk.jfr.Label("Second Heap Append")
@Category("Heapspan")
@Description("A sequence was appended to the second heap; the duration is what its end had to wait for writes")
final class SecondHeapAppendEvent extends Event {
    @jdk.jfr.Label("Label")
    long label;

    @jdk.jfr.Label("Elements")
    long elements;

    @jdk.jfr.Label("Bytes")
    @DataAmount
    long bytes;

    @jdk.jfr.Label("Open")
    @Description("From the first element to the last, with all that made the elements")
    @Timespan
    long open;

    /** An event that has begun, or null if no recording wants it. */
    static @Nullable SecondHeapAppendEvent begun() {
        SecondHeapAppendEvent event = new SecondHeapAppendEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /**
     * Ends the event; it is written if it took long enough.
     *
     * @param openNanos since the appender was made
     */
    void end(Label appended, Residence residence, long openNanos) {
        end();
        if (shouldCommit()) {
            label = appended.value();
            elements = residence.elementCount();
            bytes = residence.imageBytes();
            open = openNanos;
            commit();
        }
    }
}
