package org.heapspan.benchmarks;

import org.openjdk.jmh.results.RunResult;

/** What JMH measured. */
public final class JmhScores {
    private JmhScores() {}

    /** The scores of all iterations of all JVMs, in the unit of the benchmark. */
    public static double[] of(RunResult result) {
        return result.getBenchmarkResults().stream()
                .flatMap(jvm -> jvm.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .toArray();
    }
}
