package org.heapspan.cli;

import java.util.concurrent.TimeUnit;

/** Tells how far a long transfer is, at most once a second, and nothing of a short one. For one thread. */
final class Progress {
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Surroundings around;
    private final String what;
    private final long totalBytes;
    private long bytes;
    private long nextNanos = System.nanoTime() + STEP_NANOS;

    Progress(Surroundings around, String what, long totalBytes) {
        this.around = around;
        this.what = what;
        this.totalBytes = totalBytes;
    }

    void add(long more) {
        bytes += more;
        if (System.nanoTime() - nextNanos >= 0) {
            nextNanos = System.nanoTime() + STEP_NANOS;
            around.note(what + ": " + Text.bytes(bytes) + " of " + Text.bytes(totalBytes) + " ("
                    + Text.percent(bytes, totalBytes) + ")");
        }
    }
}
