package org.heapspan.tests.conformance;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;

/** The full matrix of combinations, heavy and soak cases included. */
public final class ConformanceSoak {

    private ConformanceSoak() {}

    /**
     * Runs the matrix or a part of it.
     *
     * @param seed of the identity-hash perturbation
     * @param part 1 to {@code partCount}; each part has combinations of all kinds
     * @param report takes one line per combination and per failure
     * @return number of failed cases
     */
    public static long run(long seed, int part, int partCount, Consumer<String> report) {
        if (part < 1 || part > partCount) {
            throw new IllegalArgumentException("part " + part + " of " + partCount + " is none of them");
        }
        List<Combination> all = Combination.chosen(Combination.full());
        long failed = 0;
        try (PairRun pairs = new PairRun(seed, true)) {
            for (int i = part - 1; i < all.size(); i += partCount) {
                Combination combination = all.get(i);
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
