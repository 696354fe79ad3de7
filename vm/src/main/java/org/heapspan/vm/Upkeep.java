package org.heapspan.vm;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Work that is done again and again by a daemon thread of its own, because nobody else does it. One rule for all such work:
 *
 * <ul>
 *   <li>Whatever a turn throws ends this turn only: exceptions, and errors, too. Memory, threads, descriptors or stack may be there again the next
 *       time, and a class may be found then.
 *   <li>Of failures that follow one another only the first is reported. After a turn that succeeded, the next failure is a first one again. What the
 *       report throws is lost: it may need what the turn lacked.
 *   <li>It stops with {@link #end} or {@link #close}, or when its thread was interrupted, or throws an {@link InterruptedException}. Failures after
 *       that are not reported.
 * </ul>
 *
 * Pauses take no memory. Thread-safe.
 */
public final class Upkeep implements AutoCloseable {
    private final Thread thread;
    private final long pauseMillis;
    private final long pauseAfterFailureMillis;
    private final Turn turn;
    private final Report report;
    private final Object pausing = new Object();

    /** Guarded by {@link #pausing}. */
    private boolean ended;

    /** For the thread itself. */
    private boolean isFailing;

    /** A turn of the work. */
    @FunctionalInterface
    public interface Turn {
        /** Does it. The work may {@linkplain #end end} itself here. */
        void take() throws Exception;
    }

    /** Hears of failures. */
    @FunctionalInterface
    public interface Report {
        /** A turn has failed, and the one before it has not. */
        void failed(Throwable failure);
    }

    /**
     * Prepares it.
     *
     * @param name of its thread
     * @param pauseMillis before each turn, and after each that has failed
     */
    public Upkeep(String name, long pauseMillis, Turn turn, Report report) {
        this(name, pauseMillis, pauseMillis, turn, report);
    }

    /**
     * As {@link #Upkeep(String, long, Turn, Report)}, for turns that wait by themselves.
     *
     * @param pauseAfterFailureMillis the pause after a turn that has failed, instead of the other one
     */
    public Upkeep(String name, long pauseMillis, long pauseAfterFailureMillis, Turn turn, Report report) {
        this.pauseMillis = pauseMillis;
        this.pauseAfterFailureMillis = pauseAfterFailureMillis;
        this.turn = turn;
        this.report = report;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Logs failures. A lack of something may last, and where it was noticed says nothing: that has no stack trace. */
    public static Report log(System.Logger logger, System.Logger.Level level, String what) {
        return failure -> {
            boolean isLack = failure instanceof IOException || failure instanceof OutOfMemoryError;
            logger.log(level, what + ", which is tried again: " + failure, isLack ? null : failure);
        };
    }

    /** Begins, once. */
    public void start() {
        thread.start();
    }

    private void run() {
        try {
            for (long pause = pauseMillis; !awaitEnd(pause); ) {
                pause = succeeds() ? pauseMillis : pauseAfterFailureMillis;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** By a monitor, because locks of the library may need memory to wait. */
    private boolean awaitEnd(long millis) throws InterruptedException {
        long began = System.nanoTime();
        long left = millis;
        synchronized (pausing) {
            while (!ended && left > 0) {
                pausing.wait(left);
                left = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return ended;
        }
    }

    private boolean succeeds() throws InterruptedException {
        try {
            turn.take();
            isFailing = false;
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            tell(e);
            return false;
        }
    }

    private void tell(Throwable failure) {
        if (isFailing || hasEnded()) {
            return;
        }
        isFailing = true;
        try {
            report.failed(failure);
        } catch (Throwable e) {
            // The work goes on without the report.
            return;
        }
    }

    /** Lets the turn that is being taken be the last one, and does not wait for it. */
    public void end() {
        synchronized (pausing) {
            ended = true;
            pausing.notifyAll();
        }
    }

    /** Whether no turn follows the one that is being taken. */
    public boolean hasEnded() {
        synchronized (pausing) {
            return ended;
        }
    }

    /** Whether it has been started, and its last turn is not over yet. */
    public boolean isRunning() {
        return thread.isAlive();
    }

    /** As {@link #end}, and interrupts the turn that is being taken. If it uses a file just then, that closes the channel of the file. */
    @Override
    public void close() {
        end();
        thread.interrupt();
    }
}
