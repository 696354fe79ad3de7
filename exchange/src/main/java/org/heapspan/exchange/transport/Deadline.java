package org.heapspan.exchange.transport;

import java.net.SocketTimeoutException;
import java.time.Duration;

/** The time at which a wait ends. Immutable. */
public final class Deadline {
    private static final Duration MOST = Duration.ofDays(365);

    private static final long MOST_MILLIS = MOST.toMillis();
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long allowedMillis;
    private final long endNanos;

    private Deadline(long allowedMillis) {
        this.allowedMillis = allowedMillis;
        this.endNanos = System.nanoTime() + allowedMillis * NANOS_PER_MILLI;
    }

    /**
     * Begins now.
     *
     * @param allowed how long to wait; more than a year is a year, less than nothing is nothing
     */
    public static Deadline after(Duration allowed) {
        return new Deadline(Math.max(0, bounded(allowed).toMillis()));
    }

    /** A duration, or a year if it is longer: so it has a number of milliseconds, and of nanoseconds. */
    public static Duration bounded(Duration duration) {
        return duration.compareTo(MOST) > 0 ? MOST : duration;
    }

    /** Begins now. */
    public static Deadline afterMillis(long millis) {
        return new Deadline(Math.max(0, Math.min(millis, MOST_MILLIS)));
    }

    /** What is left, rounded up, so that a wait of this length ends after the deadline; 0 if it has passed. */
    public long remainingMillis() {
        long nanos = endNanos - System.nanoTime();
        return nanos <= 0 ? 0 : (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    }

    public boolean hasPassed() {
        return endNanos - System.nanoTime() <= 0;
    }

    /** The whole wait, for messages. */
    public long allowedMillis() {
        return allowedMillis;
    }

    /** What to throw when it has passed. */
    SocketTimeoutException passed(String what) {
        return new SocketTimeoutException(what + " took longer than " + allowedMillis + " ms");
    }
}
