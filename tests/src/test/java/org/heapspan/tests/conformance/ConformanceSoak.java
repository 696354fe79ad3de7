package org.heapspan.tests.conformance;

import java.util.Map;
import java.util.function.Consumer;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;

/** The full matrix of combinations, heavy and soak cases included. */
public final class ConformanceSoak {

    private ConformanceSoak() {}

    /**
     * Runs the matrix.
     *
     * @param seed of the identity-hash perturbation
     * @param report takes one line per combination and per failure
     * @return number of failed cases
     */
    public static long run(long seed, Consumer<String> report) {
        long failed = 0;
        try (PairRun pairs = new PairRun(seed, true)) {
            for (Combination combination : Combination.full()) {
                String reason = pairs.reasonToSkip(combination);
                if (!reason.isEmpty()) {
                    report.accept(combination + ": skipped, " + reason);
                    continue;
                }
                Map<String, Verdict> verdicts = pairs.run(combination);
                long failedHere = 0;
                for (Verdict each : verdicts.values()) {
                    if (each.outcome() == Outcome.FAILED) {
                        failedHere++;
                        report.accept("  FAILED " + combination + " " + each.caseName() + ": " + each.detail());
                    }
                }
                report.accept(combination + ": " + verdicts.size() + " cases, " + failedHere + " failed");
                failed += failedHere;
            }
        }
        return failed;
    }
}
