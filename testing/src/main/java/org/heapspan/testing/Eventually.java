package org.heapspan.testing;

import java.util.concurrent.TimeUnit;

/** Waits for what happens on other threads and in other processes: long enough for a machine that is busy, no longer than needed on others. */
public final class Eventually {
    /** How long a test waits, in seconds. It is a guard against a hang, and never what a test is about. */
    public static final int MOST_SECONDS = 120;

    /** The same in milliseconds. */
    public static final int MOST_MILLIS = 1_000 * MOST_SECONDS;

    /** How long a test may take that waits several times, in seconds. */
    public static final int TEST_SECONDS = 600;

    private static final long PAUSE_MILLIS = 10;

    private Eventually() {}

    /** What is to happen. */
    public interface Check {
        /** Whether it has happened. */
        boolean holds() throws Exception;
    }

    /** Waits for something. */
    public static void holds(String what, Check check) throws Exception {
        long start = System.nanoTime();
        while (!check.holds()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(MOST_SECONDS)) {
                throw new AssertionError("it was not true within " + MOST_SECONDS + " seconds: " + what);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** Waits for what the collector does, when it runs. */
    public static void holdsAfterCollection(String what, Check check) throws Exception {
        holds(what, () -> {
            if (check.holds()) {
                return true;
            }
            System.gc();
            return check.holds();
        });
    }
}
