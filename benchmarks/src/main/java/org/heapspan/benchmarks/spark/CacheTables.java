package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.spark.SparkFigures.Application;

/** The figures of jobs that cache as Markdown. */
final class CacheTables {
    /** Wall time, and how long an executor's threads stood still for its collector. */
    static final SparkChart CHART = new SparkChart(
            "Spark: caches larger than the heap",
            "Seconds of wall time; shorter is better. Dark: pauses of the collector, mean of the two executors.",
            Application::wall,
            bar -> SparkFigures.median(bar.runs(), run -> run.pauseSeconds) / CacheTables.EXECUTORS);

    private static final int EXECUTORS = 2;

    private CacheTables() {}

    static String of(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        SparkTables.machines(text, figures.jobsByMachine());
        for (String jdk : figures.jdks()) {
            FactorTable<CacheLevel> table = new FactorTable<>(figures, jdk, CacheLevel.HEAPSPAN, CacheLevel.values());
            table.appendMedians(text, "wall time against the second heap's", "second heap, s", Application::wall);
            table.appendMedians(
                    text,
                    "processor time of the executors against the second heap's",
                    "second heap, CPU s",
                    run -> run.executorCpuSeconds);
            text.append("\n### JDK ").append(jdk).append(": all figures\n\n");
            details(text, figures, jdk);
        }
        return text.toString();
    }

    private static void details(StringBuilder text, SparkFigures figures, String jdk) {
        text.append(
                "| job | level | runs | heap, MB | wall, s | CPU of executors, s | pauses, s | full collections | GC of tasks, s"
                        + " | serialization, CPU s | cached in Spark's memory, MB | on disk, MB | in the second heap, MB | partitions cached"
                        + " | evicted | stored again | resident, MB | without files, MB |\n|---|---|");
        text.append("--:|".repeat(16)).append('\n');
        for (String workload : figures.workloads(jdk)) {
            for (CacheLevel level : figures.peers(jdk, workload, CacheLevel.values())) {
                List<Application> runs = figures.timed(jdk, workload, level);
                text.append("| ")
                        .append(figures.title(workload))
                        .append(" | ")
                        .append(level.title())
                        .append(" | ");
                if (runs.isEmpty()) {
                    text.append(figures.failure(jdk, workload, level).orElse("not timed"))
                            .append(" |".repeat(16))
                            .append('\n');
                } else {
                    row(text, figures, jdk, workload, level, runs);
                }
            }
            SparkTables.differences(text, figures, jdk, workload, " |".repeat(17));
        }
    }

    private static void row(
            StringBuilder text,
            SparkFigures figures,
            String jdk,
            String workload,
            CacheLevel level,
            List<Application> runs) {
        Application last = runs.get(runs.size() - 1);
        text.append(runs.size()).append(" | ").append(last.heapMegabytes).append(" | ");
        seconds(text, runs, Application::wall);
        seconds(text, runs, run -> run.executorCpuSeconds);
        seconds(text, runs, run -> run.pauseSeconds);
        count(text, runs, run -> run.fullCollections);
        seconds(text, runs, run -> run.collectorSeconds);
        text.append(SparkTables.serialization(figures, jdk, workload, level)).append(" | ");
        // Spark counts what is in the second heap as memory.
        megabytes(text, runs, run -> Math.max(0, run.cachedMemoryBytes - run.secondHeapBytes));
        megabytes(text, runs, run -> run.cachedDiskBytes);
        megabytes(text, runs, run -> run.secondHeapBytes);
        text.append(last.cachedPartitions)
                .append(" of ")
                .append(last.partitionsToCache)
                .append(" | ");
        count(text, runs, run -> run.evictedPartitions);
        count(text, runs, run -> run.storedAgain);
        megabytes(text, runs, run -> run.residentBytes);
        megabytes(text, runs, run -> run.anonymousBytes);
        text.setLength(text.length() - 1);
        text.append('\n');
    }

    private static void seconds(StringBuilder text, List<Application> runs, ToDoubleFunction<Application> figure) {
        text.append(SparkTables.seconds(SparkFigures.median(runs, figure))).append(" | ");
    }

    private static void megabytes(StringBuilder text, List<Application> runs, ToDoubleFunction<Application> figure) {
        text.append(SparkTables.megabytes(SparkFigures.median(runs, figure))).append(" | ");
    }

    private static void count(StringBuilder text, List<Application> runs, ToDoubleFunction<Application> figure) {
        text.append(String.format(Locale.ROOT, "%.0f", SparkFigures.median(runs, figure)))
                .append(" | ");
    }
}
