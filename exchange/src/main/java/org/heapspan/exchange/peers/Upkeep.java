package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.util.concurrent.TimeUnit;

/** Does some work now and then, on a thread of its own. Whatever the work throws, it is done again. */
final class Upkeep implements Closeable {
    private static final System.Logger LOGGER = System.getLogger(Upkeep.class.getName());

    private final Thread thread;
    private final long pauseMillis;
    private final Runnable work;
    private volatile boolean closed;

    Upkeep(String name, long pauseMillis, Runnable work) {
        this.pauseMillis = pauseMillis;
        this.work = work;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        boolean told = false;
        try {
            while (!closed) {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
                told = doWork(told);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Memory may be there again the next time. */
    private boolean doWork(boolean told) {
        try {
            work.run();
            return false;
        } catch (RuntimeException | Error e) {
            if (!told && !closed) {
                logQuietly(e);
            }
            return true;
        }
    }

    private void logQuietly(Throwable failure) {
        try {
            LOGGER.log(System.Logger.Level.ERROR, thread.getName() + " has failed, and tries again", failure);
        } catch (RuntimeException | Error e) {
            // As when memory is used up, which may be what happened to the work, too.
            return;
        }
    }

    /** Interrupts the work, and does not wait for its end. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
