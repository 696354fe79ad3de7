package org.heapspan.tests.random;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.heapspan.tests.conformance.Samples;

/** Random classes and graphs for as long as wanted, copied by encode and decode. */
public final class RandomGraphSoak {

    private RandomGraphSoak() {}

    /**
     * Runs rounds of 10,000 classes until the time is up.
     *
     * @param seed of the first round
     * @param minutes how long
     * @param report takes a line per round
     * @return whether every copy was right
     * @throws ReflectiveOperationException when the codec or a generated class cannot be used
     */
    public static boolean run(long seed, long minutes, Consumer<String> report) throws ReflectiveOperationException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        SplittableRandom seeds = new SplittableRandom(seed);
        while (System.nanoTime() < end) {
            long round = seeds.nextLong();
            long left = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime()));
            RandomGraphRun.Outcome outcome = new RandomGraphRun(copier("heapspan")).run(round, 10_000, left);
            report.accept("seed " + round + ": " + outcome);
            if (!outcome.failure().isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Copies by the named codec of the conformance suite. */
    static RandomGraphRun.Copier copier(String codecName) throws ReflectiveOperationException {
        Samples codec = Samples.none(codecName);
        return codec::roundTrip;
    }
}
