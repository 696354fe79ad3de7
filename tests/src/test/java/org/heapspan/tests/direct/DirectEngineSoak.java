package org.heapspan.tests.direct;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** The whole matrix of the direct engine. */
public final class DirectEngineSoak {
    private DirectEngineSoak() {}

    /**
     * Runs the matrix.
     *
     * @param seed of the graphs and of what is done with them
     * @param seconds how long each run goes on
     * @param report takes a line for each run, and what a failed one printed
     * @return whether nothing failed
     * @throws IOException when a JVM cannot be started
     * @throws InterruptedException when waiting is interrupted
     */
    public static boolean run(long seed, long seconds, Consumer<String> report)
            throws IOException, InterruptedException {
        String filter = System.getProperty("heapspan.tests.directRuns", "");
        List<DirectEngineRun> runs = DirectEngineMatrix.full().stream()
                .filter(each -> each.toString().matches(".*(" + filter + ").*"))
                .toList();
        int failed = 0;
        for (int i = 0; i < runs.size(); i++) {
            DirectEngineRun each = runs.get(i);
            String reason = each.reasonToSkip();
            if (!reason.isEmpty()) {
                report.accept(each + ": skipped, " + reason);
                continue;
            }
            long begin = System.nanoTime();
            DirectEngineRun.Outcome outcome = each.run(seed + i, seconds);
            long elapsed = (System.nanoTime() - begin) / 1_000_000_000L;
            if (outcome.fault().isEmpty()) {
                report.accept((i + 1) + "/" + runs.size() + " " + each + ": passed in " + elapsed + " s,"
                        + outcome.summary());
            } else {
                failed++;
                report.accept(
                        "FAILED " + each + ", seed " + (seed + i) + ", after " + elapsed + " s: " + outcome.fault());
                report.accept(outcome.output());
            }
        }
        report.accept(runs.size() + " runs, " + failed + " failed");
        return failed == 0;
    }
}
