package org.heapspan.h2;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** Something stays on the Java heap that was meant for the second heap. */
@Name("org.heapspan.SecondHeapFallback")
@jdk.jfr.Label("Second Heap Fallback")
@Category("Heapspan")
@Description("Something stays on the Java heap, or goes back to it, that was meant for the second heap")
final class SecondHeapFallbackEvent extends Event {
    @jdk.jfr.Label("Label")
    long label;

    @jdk.jfr.Label("Kind")
    @Description(
            "ROOT: one is refused; MOVE: roots wait, as a move failed; UPDATE: a new state could not be written; SEQUENCE:"
                    + " elements were taken back")
    @Nullable
    String kind;

    @jdk.jfr.Label("Count")
    @Description("Roots or elements")
    long count;

    @jdk.jfr.Label("Reason")
    @Nullable
    String reason;

    /** Writes the event, if a recording wants it. */
    static void commit(Label concerned, Fallback fallback, long count, @Nullable Throwable cause) {
        SecondHeapFallbackEvent event = new SecondHeapFallbackEvent();
        if (event.shouldCommit()) {
            event.label = concerned.value();
            event.kind = fallback.name();
            event.count = count;
            event.reason = cause == null ? "given up by its owner" : cause.toString();
            event.commit();
        }
    }
}
