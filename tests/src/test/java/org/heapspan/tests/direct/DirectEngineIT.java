package org.heapspan.tests.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.heapspan.tests.direct.DirectEngineRun.Outcome;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The direct engine under all that a JVM does meanwhile, a few seconds of each kind; `./dev soak direct` has the rest. */
final class DirectEngineIT {
    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_105L);
    private static final long SECONDS = Long.getLong("heapspan.tests.directSeconds", 2);

    static List<DirectEngineRun> runs() {
        return DirectEngineMatrix.daily();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void graphsArriveAndTheHeapIsSound(DirectEngineRun run) throws Exception {
        String reason = run.reasonToSkip();
        Assumptions.assumeTrue(reason.isEmpty(), reason);
        System.out.println(
                "DirectEngineIT: " + run + ", seed " + SEED + " (repeat with -Dheapspan.tests.seed=" + SEED + ")");
        Outcome outcome = run.run(SEED, SECONDS);
        System.out.println("DirectEngineIT: " + run + ":" + outcome.summary());
        assertThat(outcome.fault())
                .as("%s, seed %d: %s", run, SEED, outcome.output())
                .isEmpty();
        if (run.arguments().contains("churn")) {
            assertThat(outcome.number("loaders"))
                    .as("loaders; %s", outcome.output())
                    .isPositive();
        }
        if (run.arguments().contains("inspect")) {
            assertThat(outcome.number("dumpedGraphs"))
                    .as("graphs in heap dumps; %s", outcome.output())
                    .isPositive();
            for (String key : List.of("oldObjectsWithPath", "recordedWindows", "deduplicated")) {
                assertThat(outcome.number(key))
                        .as("%s; %s", key, outcome.output())
                        .isPositive();
            }
        }
    }
}
