package org.heapspan.h2;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Loads what is about to be read into memory, on threads of its own, while the group before is being decoded. The kernel itself reads little
 * at an access to a mapping (128 KB unless the device's {@code read_ahead_kb} says otherwise), and the reader waits for each; this keeps the
 * device busy. Thread-safe.
 *
 * <p>Whatever cannot be loaded is left to the reader, who waits for the device then, and who alone tells of failures.
 */
final class ReadAhead implements AutoCloseable {
    /** What is asked for at first. */
    static final int FIRST_WINDOW_BYTES = 256 << 10;

    /** What is asked for at a time in the end; while less than that is ahead of a reader more is asked for. */
    static final int WINDOW_BYTES = 2 << 20;

    /** While one waits for the last pages of its window the other one has asked for the next. */
    private static final int THREADS = 2;

    /** A shorter root is left to the kernel, which reads around it. To ask whether it is in memory takes a microsecond, which counts for such a root. */
    static final int LEAST_WHOLE_BYTES = 16 << 10;

    private static final int MOST_WAITING = 8;
    private static final long IDLE_SECONDS = 5;

    private final Regions regions;
    private final ThreadPoolExecutor threads;

    ReadAhead(Regions regions) {
        this.regions = regions;
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                ReadAhead::newThread,
                // More readers than the device can serve, or the heap has been closed.
                (load, pool) -> ((Load) load).leaveOut());
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "heapspan-h2-read-ahead");
        thread.setDaemon(true);
        // A page that the device cannot deliver is an InternalError, perhaps some time later; see the comment of the
        // class.
        thread.setUncaughtExceptionHandler((died, failure) -> {});
        return thread;
    }

    /** Goes ahead of one reader. For one thread at a time. */
    final class Cursor {
        private final Residence use;

        /** The first piece that has not been asked for. */
        private int ahead;

        /** Of the pieces from behind the one being read to {@link #ahead}. */
        private long aheadBytes;

        private int current = -1;

        /** What is asked for next: more from group to group, so that the first ones do not wait behind megabytes that nobody needs yet. */
        private int windowBytes = FIRST_WINDOW_BYTES;

        private Cursor(Residence use) {
            this.use = use;
        }

        /** A piece is about to be read: those behind it are asked for. */
        void at(int piece) {
            if (piece == current) {
                return;
            }
            current = piece;
            if (piece < ahead) {
                aheadBytes -= use.length(piece);
            } else {
                ahead = piece + 1;
                aheadBytes = 0;
            }
            if (ahead < use.pieceCount() && aheadBytes <= windowBytes) {
                int from = ahead;
                long bytes = 0;
                while (ahead < use.pieceCount() && bytes < windowBytes) {
                    bytes += use.length(ahead++);
                }
                aheadBytes += bytes;
                windowBytes = Math.min(2 * windowBytes, WINDOW_BYTES);
                load(use, from, ahead);
            }
        }
    }

    /** For a reader of many pieces in their order, who keeps the use as long as that takes. */
    Cursor cursor(Residence use) {
        return new Cursor(use);
    }

    /** A single piece is about to be read, which may be long enough to be worth asking for as a whole. */
    void about(Residence use, int piece) {
        if (use.length(piece) > WINDOW_BYTES) {
            load(use, piece, piece + 1);
        }
    }

    /**
     * Waits until a root that is about to be read is in memory, and nothing around it. At an access to a mapping the kernel would read up to
     * {@code read_ahead_kb} around it, which may be 8 MB. Roots are read in any order, so most of that would be read in vain. May fail in any way that
     * an access to a mapping can.
     */
    void await(Residence use, int piece) {
        int length = use.length(piece);
        if (use.pieceCount() == 1
                && length >= LEAST_WHOLE_BYTES
                && length <= WINDOW_BYTES
                && !regions.isResident(use.place(piece), length)) {
            regions.load(use.place(piece), length);
        }
    }

    private void load(Residence use, int from, int to) {
        // Bytes come into memory and leave it in about their order, so that the last one speaks for all. That costs a
        // microsecond.
        if (regions.isResident(use.place(to - 1), use.length(to - 1))) {
            return;
        }
        // Made before the use begins, which nobody would end if there were no memory for it.
        Load load = new Load(use, from, to);
        if (!use.retain()) {
            return;
        }
        try {
            threads.execute(load);
        } catch (RuntimeException | Error e) {
            // As where no further thread can be made.
            load.leaveOut();
        }
    }

    private final class Load implements Runnable {
        private final Residence use;
        private final int from;
        private final int to;
        private final AtomicBoolean released = new AtomicBoolean();

        Load(Residence use, int from, int to) {
            this.use = use;
            this.from = from;
            this.to = to;
        }

        /** What the pool refuses it may have queued all the same, where it lacks memory for a thread: once is enough. */
        void leaveOut() {
            if (released.compareAndSet(false, true)) {
                use.release();
            }
        }

        @Override
        public void run() {
            try {
                int piece = from;
                while (piece < to) {
                    long place = use.place(piece);
                    long length = 0;
                    // All that lie one behind the other.
                    while (piece < to && use.place(piece) == place + length) {
                        length += use.length(piece++);
                    }
                    regions.load(place, (int) length);
                }
            } finally {
                leaveOut();
            }
        }
    }

    /** What has been asked for is still loaded, and nothing more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
