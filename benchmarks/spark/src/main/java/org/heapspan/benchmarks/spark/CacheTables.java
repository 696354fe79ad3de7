package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The figures of jobs that cache as Markdown, those of one JDK within one limit of memory.
 *
 * @param memoryMegabytes that both executors might have together; 0 for no limit
 */
record CacheTables(SparkFigures figures, String jdk, int memoryMegabytes) {
    private static final int EXECUTORS = 2;

    /** What Spark takes of a heap for tasks and caches: {@code spark.memory.fraction} of all but 300 MB. */
    private static final double MEMORY_FRACTION = 0.6;

    private static final int RESERVED_MEGABYTES = 300;

    /** A heap's megabyte, in bytes. */
    private static final double MEBIBYTE = 1 << 20;

    /** Wall time, and how long an executor's threads stood still for its collector. */
    static SparkChart chart(int memoryMegabytes) {
        return new SparkChart(
                "Spark: caches larger than the heap" + within(memoryMegabytes),
                "Seconds of wall time; shorter is better. Dark: pauses of the collector, mean of the two executors.",
                Application::wall,
                bar -> SparkFigures.median(bar.runs(), run -> run.pauseSeconds) / EXECUTORS);
    }

    String text() {
        StringBuilder text = new StringBuilder();
        String heading = "JDK " + jdk + within(memoryMegabytes);
        sizes(text, heading);
        FactorTable<CacheLevel> table =
                new FactorTable<>(figures, jdk, heading, CacheLevel.HEAPSPAN, CacheLevel.values());
        table.appendMedians(text, "wall time against the second heap's", "second heap, s", Application::wall);
        table.appendMedians(
                text,
                "processor time of the executors against the second heap's",
                "second heap, CPU s",
                run -> run.executorCpuSeconds);
        text.append("\n### ").append(heading).append(": all figures\n\n");
        details(text);
        return text.toString();
    }

    private static String within(int memoryMegabytes) {
        return memoryMegabytes == 0 ? "" : ", " + memoryMegabytes + " MB of memory with files";
    }

    /** How much each job caches, as the second heap holds it: objects, those that partitions share once. */
    private void sizes(StringBuilder text, String heading) {
        text.append("\n### ").append(heading).append(": how much is cached\n\n");
        text.append(
                "| job | data | as objects, MB | heaps of both executors, MB | cached : heaps | of which Spark may cache in, MB"
                        + " | cached : that |\n|---|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : figures.workloads(jdk)) {
            List<Application> runs = figures.timed(jdk, workload, CacheLevel.HEAPSPAN);
            if (runs.isEmpty()) {
                continue;
            }
            Application last = runs.get(runs.size() - 1);
            double cached = SparkFigures.median(
                            runs,
                            run -> Math.max(run.cachedMemoryBytes, run.secondHeapBytes) + (double) run.cachedDiskBytes)
                    / 1e6;
            double heaps = EXECUTORS * MEBIBYTE * last.heapMegabytes / 1e6;
            double ofCaches = EXECUTORS * MEBIBYTE * MEMORY_FRACTION * (last.heapMegabytes - RESERVED_MEGABYTES) / 1e6;
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.0f | %.0f | %.1f | %.0f | %.1f |%n",
                    figures.title(workload),
                    last.scale,
                    cached,
                    heaps,
                    cached / heaps,
                    ofCaches,
                    cached / ofCaches));
        }
    }

    private void details(StringBuilder text) {
        text.append(
                "| job | level | runs | heap, MB | wall, s | CPU of executors, s | pauses, s | full collections | GC of tasks, s"
                        + " | serialization, CPU s | cached in Spark's memory, MB | on disk, MB | in the second heap, MB | partitions cached"
                        + " | evicted | stored again | resident, MB | without files, MB |");
        text.append(memoryMegabytes == 0 ? "" : " most memory with files, MB |").append("\n|---|---|");
        text.append("--:|".repeat(figureColumns())).append('\n');
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
                            .append(" |".repeat(figureColumns()))
                            .append('\n');
                } else {
                    row(text, workload, level, runs);
                }
            }
            SparkTables.differences(text, figures, jdk, workload, " |".repeat(figureColumns() + 1));
        }
    }

    private int figureColumns() {
        return memoryMegabytes == 0 ? 16 : 17;
    }

    private void row(StringBuilder text, String workload, CacheLevel level, List<Application> runs) {
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
        if (memoryMegabytes > 0) {
            megabytes(text, runs, run -> run.memoryPeakBytes);
        }
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
