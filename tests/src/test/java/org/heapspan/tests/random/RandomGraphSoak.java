package org.heapspan.tests.random;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.heapspan.tests.conformance.Samples;

/** Random classes and graphs for as long as wanted, copied by each route in turn. */
public final class RandomGraphSoak {
    /** Classes in a round of a route, so that each route has its turn within minutes. */
    private static final int ROUND_CLASSES = 1_000;

    private RandomGraphSoak() {}

    /** Names of the codecs that graphs travel by: images, object streams and groups, compact and raw. */
    static List<String> routes() {
        return List.of("heapspan", "heapspan:objects", "heapspan:group", "heapspan:raw", "heapspan:raw-group");
    }

    /**
     * Runs rounds over all routes until the time is up; the first round is completed in any case.
     *
     * @param seed of the whole run
     * @param minutes how long
     * @param report takes a line per round and route
     * @return whether every copy was right
     * @throws ReflectiveOperationException when a codec or a generated class cannot be used
     */
    public static boolean run(long seed, long minutes, Consumer<String> report) throws ReflectiveOperationException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        SplittableRandom seeds = new SplittableRandom(seed);
        do {
            long round = seeds.nextLong();
            for (String route : routes()) {
                RandomGraphRun.Outcome outcome = new RandomGraphRun(copier(route)).run(round, ROUND_CLASSES);
                report.accept("seed " + round + ", " + route + ": " + outcome);
                if (!outcome.failure().isEmpty()) {
                    return false;
                }
            }
        } while (System.nanoTime() < end);
        return true;
    }

    /** Copies by the named codec of the conformance suite. */
    static RandomGraphRun.Copier copier(String codecName) throws ReflectiveOperationException {
        Samples codec = Samples.none(codecName);
        return codec::roundTrip;
    }
}
