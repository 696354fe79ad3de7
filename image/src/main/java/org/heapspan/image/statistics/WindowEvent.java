package org.heapspan.image.statistics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** How many windows of a length there were; single ones are too many. */
@Name("org.heapspan.Window")
@Label("Carving Windows")
@Category("Heapspan")
@Description(
        "Windows of the direct engine, in which no collection can begin, by length: one event for each length of which there are new ones")
@Period("everyChunk")
@StackTrace(false)
final class WindowEvent extends Event {
    @Label("At Least")
    @Description("The windows took so long or longer, but less than twice as long; 0 for less than 2 ns")
    @Timespan(Timespan.NANOSECONDS)
    long atLeast;

    @Label("Windows")
    @Description("Windows of this length since the last event")
    long windows;

    @Label("Total")
    @Description("Windows of this length since the process began")
    long total;

    @Label("Longest")
    @Description("The longest window of any length since the process began")
    @Timespan(Timespan.NANOSECONDS)
    long longest;
}
