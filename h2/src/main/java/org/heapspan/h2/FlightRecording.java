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

    /** Whether this process has ever begun a recording. From the first time on, what is in the heaps is told, too. */
    static boolean isPossible() {
        if (!PRESENT || !jdk.jfr.FlightRecorder.isInitialized()) {
            return false;
        }
        PeriodicEvents.begin();
        return true;
    }

    /** An event that has begun, or null if nobody wants it. */
    static @Nullable SecondHeapMoveEvent move() {
        return isPossible() ? SecondHeapMoveEvent.begun() : null;
    }

    /** An event that has begun, or null if nobody wants it. */
    static @Nullable SecondHeapAppendEvent append() {
        return isPossible() ? SecondHeapAppendEvent.begun() : null;
    }

    /** Regions came free. */
    static void freed(Label label, int regions, int regionBytes) {
        if (isPossible()) {
            SecondHeapFreeEvent.commit(label, regions, regionBytes);
        }
    }

    /**
     * Something stays on the Java heap.
     *
     * @param count roots or elements
     * @param cause why, or null if somebody wanted it so
     */
    static void fallback(Label label, Fallback kind, long count, @Nullable Throwable cause) {
        if (isPossible()) {
            SecondHeapFallbackEvent.commit(label, kind, count, cause);
        }
    }
}
