package org.heapspan.h2;

import org.jspecify.annotations.Nullable;

/**
 * The only way to the events of this module in JDK Flight Recorder, as {@code org.heapspan.image.FlightRecording} is for those of images: their
 * classes are loaded once a recording needs them, and there are JVMs without module {@code jdk.jfr}.
 */
final class FlightRecording {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /** An event that has begun, or null if nobody wants it. */
    static @Nullable SecondHeapMoveEvent move() {
        return PRESENT && jdk.jfr.FlightRecorder.isInitialized() ? SecondHeapMoveEvent.begun() : null;
    }
}
