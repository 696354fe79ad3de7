package org.heapspan.tests.conformance;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The corpus between real pairs of JVM processes: one test per combination and case. */
final class ConformanceIT {

    private static PairRun pairs;

    @BeforeAll
    static void start() {
        long seed = Long.getLong("heapspan.tests.seed", PairRun.DAILY_SEED);
        System.out.println(
                "ConformanceIT: perturbation seed " + seed + " (repeat with -Dheapspan.tests.seed=" + seed + ")");
        pairs = new PairRun(seed, false);
    }

    @AfterAll
    static void stop() {
        pairs.close();
    }

    @TestFactory
    Stream<DynamicContainer> heapspan() {
        return Combination.chosen(Combination.daily()).stream().map(ConformanceIT::container);
    }

    private static DynamicContainer container(Combination combination) {
        String reason = pairs.reasonToSkip(combination);
        if (!reason.isEmpty()) {
            return DynamicContainer.dynamicContainer(
                    combination.toString(),
                    List.of(DynamicTest.dynamicTest("skipped", () -> Assumptions.abort(reason))));
        }
        Verdicts verdicts = new Verdicts(combination);
        Stream<DynamicTest> tests = PairRun.casesOf(combination, false).stream()
                .map(each -> test(combination, verdicts, each.name(), each.row() + ": "));
        Stream<DynamicTest> ofTheEngine =
                combination.mustCarve() ? Stream.of(test(combination, verdicts, PairRun.CARVES, "")) : Stream.empty();
        return DynamicContainer.dynamicContainer(combination.toString(), Stream.concat(tests, ofTheEngine));
    }

    private static DynamicTest test(Combination combination, Verdicts verdicts, String name, String row) {
        return DynamicTest.dynamicTest(combination + ": " + name, () -> {
            Verdict verdict = verdicts.of(name);
            Assumptions.assumeFalse(verdict.outcome() == Outcome.SKIPPED, "does not apply: " + verdict.detail());
            if (verdict.outcome() == Outcome.FAILED) {
                Assertions.fail(row + verdict.detail());
            }
        });
    }

    /** Runs the pair when the first of its tests is run. */
    private static final class Verdicts {
        private final Combination combination;
        private Map<String, Verdict> byName;

        Verdicts(Combination combination) {
            this.combination = combination;
        }

        synchronized Verdict of(String name) {
            if (byName == null) {
                byName = pairs.run(combination);
            }
            return byName.get(name);
        }
    }
}
