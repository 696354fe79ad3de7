package org.heapspan.h2;

import jdk.jfr.FlightRecorder;

/** Tells recordings from time to time what is in the heaps that are open. Only where {@link FlightRecording#isPossible}. */
final class PeriodicEvents {
    private PeriodicEvents() {}

    static {
        FlightRecorder.addPeriodicEvent(SecondHeapUseEvent.class, () -> OpenHeaps.forEach(SecondHeapUseEvent::commit));
        FlightRecorder.addPeriodicEvent(
                SecondHeapOccupancyEvent.class, () -> OpenHeaps.forEach(SecondHeapOccupancyEvent::commit));
        FlightRecorder.addPeriodicEvent(
                SecondHeapLabelEvent.class, () -> OpenHeaps.forEach(SecondHeapLabelEvent::commit));
    }

    /** Begins, with the first call. */
    static void begin() {
        // The initializer does it, once.
    }
}
