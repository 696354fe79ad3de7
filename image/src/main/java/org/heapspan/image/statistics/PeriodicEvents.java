package org.heapspan.image.statistics;

import java.util.List;
import jdk.jfr.FlightRecorder;
import org.heapspan.EngineStatistics;

/** Tells recordings from time to time what the counters say. Only where {@code FlightRecording.isPossible}. */
public final class PeriodicEvents {
    /** Windows by length, as far as events have told; guarded by this class. */
    private static long[] reported = new long[0];

    private PeriodicEvents() {}

    static {
        FlightRecorder.addPeriodicEvent(WindowEvent.class, PeriodicEvents::windows);
        FlightRecorder.addPeriodicEvent(FallbackEvent.class, PeriodicEvents::fallbacks);
    }

    /** Begins, with the first call. */
    public static void begin() {
        // The initializer does it, once.
    }

    private static synchronized void windows() {
        EngineStatistics.Windows windows = EngineCounters.windows();
        List<Long> byLength = windows.byLength();
        long[] before = reported.length == byLength.size() ? reported : new long[byLength.size()];
        for (int i = 0; i < byLength.size(); i++) {
            long count = byLength.get(i);
            if (count > before[i]) {
                WindowEvent event = new WindowEvent();
                event.atLeast = i == 0 ? 0 : 1L << i;
                event.windows = count - before[i];
                event.total = count;
                event.longest = windows.longestNanos();
                event.commit();
            }
            before[i] = count;
        }
        reported = before;
    }

    private static void fallbacks() {
        for (FallbackCount each : EngineCounters.fallbacks()) {
            long chunks = each.takeUnreported();
            if (chunks > 0) {
                FallbackEvent event = new FallbackEvent();
                event.reason = each.reason.name();
                event.concerning = each.concerning;
                event.chunks = chunks;
                event.total = each.chunks();
                event.commit();
            }
        }
    }
}
