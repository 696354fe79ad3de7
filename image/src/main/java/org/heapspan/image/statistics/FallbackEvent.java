package org.heapspan.image.statistics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** How many chunks of raw images the portable engine had to read for one reason. */
@Name("org.heapspan.Fallback")
@Label("Fallback")
@Category("Heapspan")
@Description(
        "Chunks of raw images that the portable engine read: one event for each reason and class that was met again")
@Period("everyChunk")
@StackTrace(false)
final class FallbackEvent extends Event {
    @Label("Reason")
    @Description("A constant of org.heapspan.FallbackReason")
    @Nullable
    String reason;

    @Label("Concerning")
    @Description("The class or layout that is concerned, or the carver's reason")
    @Nullable
    String concerning;

    @Label("Chunks")
    @Description("Chunks since the last event")
    long chunks;

    @Label("Total")
    @Description("Chunks since the process began")
    long total;
}
