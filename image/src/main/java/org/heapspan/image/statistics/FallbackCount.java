package org.heapspan.image.statistics;

import java.util.concurrent.atomic.LongAdder;
import org.heapspan.FallbackReason;

/** A reason to leave chunks to the portable engine, what it concerns, and how often it was met. Thread-safe. */
public final class FallbackCount {
    /** For readers that are portable on purpose; nobody looks at it. */
    public static final FallbackCount INTENDED = new FallbackCount(FallbackReason.NO_DIRECT_ENGINE, "");

    private final LongAdder chunks = new LongAdder();
    final FallbackReason reason;
    final String concerning;

    /** As far as events have told; guarded by this. */
    private long reported;

    FallbackCount(FallbackReason reason, String concerning) {
        this.reason = reason;
        this.concerning = concerning;
    }

    public void add(int newChunks) {
        if (newChunks > 0) {
            chunks.add(newChunks);
        }
    }

    long chunks() {
        return chunks.sum();
    }

    /** Chunks since the last call. */
    synchronized long takeUnreported() {
        long now = chunks.sum();
        long before = reported;
        reported = now;
        return now - before;
    }
}
