package org.heapspan.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Measures libraries on a sample: a warm-up, then rounds in which the libraries take turns. */
final class BenchMeasurement {
    private final int rounds;
    private final long roundNanos;
    private final long warmUpNanos;

    /** Keeps the JIT from removing what nobody looks at. */
    private int sink;

    BenchMeasurement(int rounds, double secondsEach) {
        this.rounds = rounds;
        // A third warms up, the rest is shared by the rounds of both directions.
        warmUpNanos = (long) (secondsEach * 1e9 / 3);
        roundNanos = (long) (secondsEach * 1e9 * 2 / 3 / rounds / 2);
    }

    /** A library at work on the sample. */
    private static final class Run {
        final BenchLibrary library;
        byte[] encoded = new byte[0];
        final double[] encodeNanos;
        final double[] decodeNanos;

        @Nullable
        String failure;

        Run(BenchLibrary library, int rounds) {
            this.library = library;
            encodeNanos = new double[rounds];
            decodeNanos = new double[rounds];
        }
    }

    private interface Work {
        int run() throws Exception;
    }

    List<BenchResult> measure(BenchSample sample, List<BenchLibrary> libraries) {
        List<Run> runs = new ArrayList<>();
        for (BenchLibrary library : libraries) {
            Run run = new Run(library, rounds);
            runs.add(run);
            attempt(run, () -> {
                run.encoded = library.encode(sample.root());
                check(sample.root(), library.decode(run.encoded));
                long half = warmUpNanos / 2;
                repeat(half, () -> library.encode(sample.root()).length);
                repeat(half, () -> identity(library.decode(run.encoded)));
            });
        }
        for (int round = 0; round < rounds; round++) {
            int current = round;
            for (Run run : runs) {
                attempt(run, () -> {
                    run.encodeNanos[current] = repeat(roundNanos, () -> run.library.encode(sample.root()).length);
                    run.decodeNanos[current] = repeat(roundNanos, () -> identity(run.library.decode(run.encoded)));
                });
            }
        }
        return runs.stream().map(run -> result(sample, run)).toList();
    }

    int sink() {
        return sink;
    }

    private static int identity(@Nullable Object object) {
        return object == null ? 0 : 1;
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void attempt(Run run, Attempt attempt) {
        if (run.failure != null) {
            return;
        }
        try {
            attempt.run();
        } catch (Exception | StackOverflowError | LinkageError e) {
            String message = e instanceof StackOverflowError ? "the graph is too deep for its recursion" : e.toString();
            int end = message.indexOf('\n');
            run.failure = end < 0 ? message : message.substring(0, end);
        }
    }

    /** A library that loses something must not win for it. */
    private static void check(Object root, @Nullable Object copy) {
        if (copy == null || copy.getClass() != root.getClass()) {
            throw new IllegalStateException("the copy is a "
                    + (copy == null ? "null" : copy.getClass().getName()) + ", not a "
                    + root.getClass().getName());
        }
        boolean equalsByValue = root instanceof Collection<?>
                || root instanceof Map<?, ?>
                || root instanceof Record
                || root.getClass().isArray();
        if (equalsByValue && !Objects.deepEquals(root, copy)) {
            throw new IllegalStateException("the copy does not equal the original");
        }
    }

    /** Nanoseconds for one call, over calls that take about the given time, at least one. */
    private double repeat(long nanos, Work work) throws Exception {
        long start = System.nanoTime();
        long calls = 0;
        long elapsed;
        do {
            sink += work.run();
            calls++;
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return (double) elapsed / calls;
    }

    private static BenchResult result(BenchSample sample, Run run) {
        String failure = run.failure;
        return failure != null
                ? BenchResult.failed(sample.name(), run.library.name(), failure)
                : new BenchResult(
                        sample.name(),
                        run.library.name(),
                        run.encoded.length,
                        BenchResult.ascending(run.encodeNanos),
                        BenchResult.ascending(run.decodeNanos),
                        "");
    }
}
