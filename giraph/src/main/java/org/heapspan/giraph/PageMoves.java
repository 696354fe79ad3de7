package org.heapspan.giraph;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.heapspan.h2.Label;

/**
 * Moves the full pages of a label on a hint, some of them at a time, while others fill. So few pages are on the Java heap at any time. Thread-safe.
 */
final class PageMoves {
    /** Of pages that move together. */
    static final int MOVED_BYTES = 2 << 20;

    private final Consumer<Label> mover;
    private final Label label;
    private final AtomicLong sealedBytes = new AtomicLong();

    /**
     * Begins without full pages.
     *
     * @param mover moves all that is tagged with a label
     */
    PageMoves(Consumer<Label> mover, Label label) {
        this.mover = mover;
        this.label = label;
    }

    /** A page is full, and has been tagged. */
    void sealed(int pageBytes) {
        long bytes = sealedBytes.addAndGet(pageBytes);
        if (bytes / MOVED_BYTES != (bytes - pageBytes) / MOVED_BYTES) {
            mover.accept(label);
        }
    }
}
