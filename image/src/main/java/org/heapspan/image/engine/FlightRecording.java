package org.heapspan.image.engine;

import org.jspecify.annotations.Nullable;

/**
 * The only way to Heapspan's events in JDK Flight Recorder. The classes of the events are loaded once a recording needs them and not before:
 * the JVM needs a third of a second for the first, and there are JVMs without module {@code jdk.jfr}.
 *
 * <p>Other classes hold events in local variables only, so that none of them names an event in what the verifier or reflection look at.
 */
final class FlightRecording {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /** Whether this process has ever begun a recording; a load and a comparison, as long as not. */
    static boolean isPossible() {
        return PRESENT && jdk.jfr.FlightRecorder.isInitialized();
    }

    /** An event that has begun, or null if nobody wants it. */
    static @Nullable EncodeEvent encode() {
        return isPossible() ? EncodeEvent.begun() : null;
    }

    /** An event that has begun, or null if nobody wants it. */
    static @Nullable DecodeEvent decode() {
        return isPossible() ? DecodeEvent.begun() : null;
    }
}
