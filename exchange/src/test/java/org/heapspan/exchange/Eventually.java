package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;

/** Waits for what happens on other threads: long enough for a machine that is busy, no longer than needed on others. */
final class Eventually {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final long PAUSE_MILLIS = 10;

    private Eventually() {}

    interface Check {
        boolean holds() throws Exception;
    }

    static void holds(String what, Check check) throws Exception {
        long start = System.nanoTime();
        while (!check.holds() && System.nanoTime() - start < MOST_NANOS) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        assertThat(check.holds()).as(what).isTrue();
    }

    /** What the collector does, when it runs. */
    static void holdsAfterCollection(String what, Check check) throws Exception {
        holds(what, () -> {
            if (check.holds()) {
                return true;
            }
            System.gc();
            return check.holds();
        });
    }
}
