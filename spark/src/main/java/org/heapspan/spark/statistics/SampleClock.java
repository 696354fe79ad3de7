package org.heapspan.spark.statistics;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Measures how long records take without reading the clock for each: one of {@value #PERIOD} is timed and counts for all of them.
 * Each record has the same chance, whatever came before: keys and values take turns, and most streams of a shuffle have only a few records.
 *
 * <p>What reading the clock takes is subtracted. A sample is cut off at {@value #LONGEST_NANOS} ns and {@value #LONGEST_NANOS_PER_BYTE} ns
 * a byte: what takes longer is a pause of the JVM or the making of a codec, which would be counted {@value #PERIOD} times.
 *
 * <p>Thread-safe.
 */
public final class SampleClock {
    public static final int PERIOD = 256;

    private static final long LONGEST_NANOS = 100_000;
    private static final long LONGEST_NANOS_PER_BYTE = 100;

    private static final double LOG_OF_CHANCE_NOT_TO = Math.log1p(-1.0 / PERIOD);

    private static final int TRIALS = 100;
    private static final long READING_NANOS = readingNanos();

    private SampleClock() {}

    private static long readingNanos() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            long begin = System.nanoTime();
            least = Math.min(least, System.nanoTime() - begin);
        }
        return least;
    }

    /** Now, as a number that is never 0. */
    public static long now() {
        return System.nanoTime() | 1;
    }

    /** Nanoseconds since then. */
    public static long elapsed(long begin) {
        return Math.max(0, System.nanoTime() - begin - READING_NANOS);
    }

    /** Nanoseconds since then for so many bytes, without pauses. */
    public static long sample(long begin, long bytes) {
        return Math.min(elapsed(begin), LONGEST_NANOS + LONGEST_NANOS_PER_BYTE * Math.max(0, bytes));
    }

    /** How many records from now the next one is that is timed: 1 or more, {@link #PERIOD} on average. */
    static int recordsUntilSample() {
        // 0 < 1 - nextDouble() <= 1
        return 1 + (int) (Math.log(1 - ThreadLocalRandom.current().nextDouble()) / LOG_OF_CHANCE_NOT_TO);
    }
}
