package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;

/**
 * The program behind {@code ./dev bench spark-cache}: jobs that cache several times as much as the heaps of their executors hold, with the
 * second heap and with Spark's storage levels (TeraHeap section 7.1).
 */
public final class CacheReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-cache.md",
            "cache",
            "spark-cache",
            (figures, folder) -> write(SparkFigures.load(figures), folder));

    private static final int TIMEOUT_MINUTES = 15;

    /** Where four times the heap is tried as well. */
    private static final Set<CacheJob> WITH_LARGE_HEAPS = Set.of(CacheJob.PATHS, CacheJob.LOGISTIC, CacheJob.TRIANGLES);

    /** Measured for all jobs before the other levels are. */
    private static final Set<CacheLevel> FIRST = Set.of(
            CacheLevel.HEAPSPAN,
            CacheLevel.HEAPSPAN_CACHE_ONLY,
            CacheLevel.HEAPSPAN_NO_CACHE,
            CacheLevel.HEAPSPAN_SPARK_DATASETS,
            CacheLevel.MEMORY_AND_DISK_KRYO,
            CacheLevel.OFF_HEAP_KRYO);

    private static final String HELP = """
            Runs jobs that cache more than their heaps hold on Spark (local-cluster, a driver and two executors with a core
            each), at each storage level.

              --jobs=JOBS
              --levels=LEVELS
              --runs=1              applications of each job and level
              --scale=1             how much data
              --heap=0              megabytes of each executor; 0 for what belongs to the job
              --memory=0            megabytes that both executors may have together, with what the page cache has of files for
                                    them; 0 for no limit. Takes root's rights and the memory controller of cgroup v1
              --sample=0            further applications of which running code is sampled
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --add                 keep the figures of former runs (build/bench/cache.json, else docs/figures/cache.json), and leave out what they have
              --render              measure nothing, write tables and plots again
              --publish             also into docs/benchmarks-cache.md

            Figures are saved after each application, tables and plots go to build/bench/cache.md at the end.
            """;

    private List<CacheJob> jobs = List.of(CacheJob.values());
    private List<CacheLevel> levels = CacheLevel.byDefault();
    private int runs = 1;
    private double scale = 1;
    private int heapMegabytes;
    private int memoryMegabytes;
    private int sample;
    private String jdk = "25";
    private boolean add;
    private final PublishOptions output = new PublishOptions();

    private CacheReport() {}

    /** Measures and writes tables and plots; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        CacheReport report = new CacheReport();
        Arguments.read(
                arguments,
                HELP.replace("JOBS", Choice.optionNames(CacheJob.values()))
                        .replace("LEVELS", Choice.optionNames(CacheLevel.values())),
                report::takes);
        report.run(arguments);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--jobs" -> jobs = Choice.named(values, CacheJob.values(), "job");
            case "--levels" -> levels = Choice.named(values, CacheLevel.values(), "level");
            case "--runs" -> runs = Integer.parseInt(value);
            case "--scale" -> scale = Double.parseDouble(value);
            case "--heap" -> heapMegabytes = Integer.parseInt(value);
            case "--memory" -> memoryMegabytes = Integer.parseInt(value);
            case "--sample" -> sample = Integer.parseInt(value);
            case "--jdk" -> jdk = value;
            case "--add" -> add = true;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        Path json = PUBLICATION.figures(root);
        SparkFigures figures =
                add || output.isRender() ? SparkFigures.load(PUBLICATION.formerFigures(root)) : new SparkFigures();
        if (!output.isRender()) {
            measure(figures, arguments, root, folder, json);
        }
        output.show(PUBLICATION, root);
    }

    private void measure(SparkFigures figures, String[] arguments, Path root, Path folder, Path json)
            throws IOException, InterruptedException {
        Jdk home = Jdk.named(jdk);
        figures.begin(SparkNote.begin("bench spark-cache", arguments, List.of(home), "a core each"));
        SparkApplication application = SparkReport.application(root, folder);
        List<Step> steps = steps();
        steps.removeIf(step -> step.number <= figures.count(job(home, step)));
        long start = System.nanoTime();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            Application result = application.run(job(home, step));
            figures.add(result);
            figures.save(json);
            long left = (System.nanoTime() - start) / (i + 1) * (steps.size() - i - 1) / 60_000_000_000L;
            System.out.printf(
                    Locale.ROOT,
                    "[%d/%d, %d min left] %s, %s%s: %s%n",
                    i + 1,
                    steps.size(),
                    left,
                    step.job.workload(),
                    step.level.title(),
                    step.sampled ? ", sampled" : "",
                    describe(result));
        }
    }

    private SparkApplication.Job job(Jdk home, Step step) {
        return new SparkApplication.Job(
                home,
                step.job.workload(),
                step.level,
                scale,
                1,
                step.sampled,
                step.level.heapFactor() * (heapMegabytes > 0 ? heapMegabytes : step.job.heapMegabytes()),
                memoryMegabytes,
                TIMEOUT_MINUTES);
    }

    private static String describe(Application result) {
        if (!result.failure.isEmpty()) {
            return result.failure;
        }
        return String.format(
                Locale.ROOT,
                "%.1f s wall, %.1f s CPU, %.1f s pauses, %.0f of %.0f MB cached in files, %d evicted, %d stored again, %.0f MB resident%s; %s",
                result.wall(),
                result.executorCpuSeconds,
                result.pauseSeconds,
                (result.cachedDiskBytes + result.secondHeapBytes) / 1e6,
                (result.cachedDiskBytes + result.cachedMemoryBytes) / 1e6,
                result.evictedPartitions,
                result.storedAgain,
                result.residentBytes / 1e6,
                result.memoryMegabytes == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %.0f MB with files at most", result.memoryPeakBytes / 1e6),
                result.results.get(0));
    }

    /**
     * An application to run.
     *
     * @param number which one of its kind, from 1 on
     */
    private record Step(CacheJob job, CacheLevel level, int number, boolean sampled) {}

    /** What tells the most comes first: the figures of a run that had to end early are of use. */
    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (int run = 1; run <= runs; run++) {
            for (boolean first : List.of(true, false)) {
                for (CacheJob job : jobs) {
                    for (CacheLevel level : levels) {
                        if (FIRST.contains(level) == first && isTried(job, level)) {
                            steps.add(new Step(job, level, run, false));
                        }
                    }
                }
            }
        }
        for (int run = 1; run <= sample; run++) {
            for (CacheJob job : jobs) {
                for (CacheLevel level : levels) {
                    if (isTried(job, level)) {
                        steps.add(new Step(job, level, run, true));
                    }
                }
            }
        }
        return steps;
    }

    /** Heaps that are larger than the others' have no place within the same memory; one level is only for Datasets. */
    private boolean isTried(CacheJob job, CacheLevel level) {
        if (level == CacheLevel.HEAPSPAN_SPARK_DATASETS) {
            return job == CacheJob.FLIGHTS;
        }
        return level.heapFactor() == 1 || memoryMegabytes == 0 && WITH_LARGE_HEAPS.contains(job);
    }

    private static Rendered write(SparkFigures all, Path folder) throws IOException {
        List<Path> plots = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        SparkTables.head(text, all);
        for (int limit : all.memoryLimits()) {
            SparkFigures figures = all.within(limit);
            for (String jdk : figures.jdks()) {
                text.append(new CacheTables(figures, jdk, limit).text());
                Path plot = folder.resolve("cache-jdk" + jdk + (limit == 0 ? "" : "-" + limit + "mb") + ".svg");
                Files.writeString(plot, CacheTables.chart(limit).of(figures, jdk, CacheLevel.values()));
                plots.add(plot);
                text.append("\n![Caches on JDK ").append(jdk).append(": time, and pauses of the collector](plots/");
                text.append(plot.getFileName()).append(")\n");
            }
        }
        return new Rendered(text.toString(), plots);
    }
}
