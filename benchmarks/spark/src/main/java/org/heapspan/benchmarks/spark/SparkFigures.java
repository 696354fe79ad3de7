package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.OfRun;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** What all applications took, with a note on each run; the content of {@code spark.json} and {@code cache.json}. */
final class SparkFigures {
    private List<RunNote> runs = new ArrayList<>();
    private List<Application> applications = new ArrayList<>();

    static SparkFigures load(Path json) throws IOException {
        return Files.exists(json) ? FigureFile.read(json, SparkFigures.class) : new SparkFigures();
    }

    /** Reads what an application has left. */
    static Application application(Path json) throws IOException {
        return FigureFile.read(json, Application.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    /**
     * Adds the note of a run that begins: applications that are added from now on are of this run.
     *
     * @throws IOException if former figures are of another kind of machine, or were measured another way
     */
    void begin(RunNote run) throws IOException {
        run.mustBeComparableWith(runs);
        runs.add(run);
    }

    /** The runs that applications are of, in the order of measuring. */
    List<RunNote> runs() {
        return runs;
    }

    /**
     * Adds one of the latest run. It takes the place of former ones that are not comparable with it: same workload, JDK and limit of memory,
     * but another amount of work; or the same contender with another heap. A run of which none is left goes.
     */
    void add(Application application) {
        application.run = runs.size() - 1;
        applications.removeIf(former -> former.isOfTheJobOf(application) && !former.isComparableWith(application));
        applications.add(application);
        runs.get(application.run).end();
        OfRun.dropUnused(runs, applications);
    }

    /** The limits of memory that executors had, 0 for none, the least last. */
    List<Integer> memoryLimits() {
        return applications.stream()
                .map(application -> application.memoryMegabytes)
                .distinct()
                .sorted(Comparator.comparing((Integer megabytes) -> megabytes == 0 ? Integer.MIN_VALUE : -megabytes))
                .toList();
    }

    /** The applications of which executors had this limit of memory; of all runs. */
    SparkFigures within(int memoryMegabytes) {
        SparkFigures some = new SparkFigures();
        some.runs = runs;
        some.applications = applications.stream()
                .filter(application -> application.memoryMegabytes == memoryMegabytes)
                .toList();
        return some;
    }

    List<String> jdks() {
        return applications.stream()
                .map(application -> application.jdk)
                .distinct()
                .toList();
    }

    /** Names of the workloads in the order in which they were measured. */
    List<String> workloads(String jdk) {
        return of(jdk).map(application -> application.workload).distinct().toList();
    }

    String title(String workload) {
        return applications.stream()
                .filter(application -> application.workload.equals(workload) && !application.title.isEmpty())
                .map(application -> application.title)
                .findFirst()
                .orElse(workload);
    }

    /** How much data a workload had, and how often an application ran it. */
    String work(String jdk, String workload) {
        return of(jdk).filter(application -> application.workload.equals(workload))
                .map(application -> String.format(Locale.ROOT, "%s × %d", application.scale, application.times))
                .findFirst()
                .orElse("-");
    }

    /** Those of a workload that were measured, in their own order. */
    <C extends Contender> List<C> peers(String jdk, String workload, C[] all) {
        List<String> names = of(jdk).filter(application -> application.workload.equals(workload))
                .map(application -> application.peer)
                .toList();
        return Arrays.stream(all)
                .filter(peer -> names.contains(peer.optionName()))
                .toList();
    }

    /** Those that were timed; runs that were sampled took longer for it. */
    List<Application> timed(String jdk, String workload, Contender peer) {
        return all(jdk, workload, peer)
                .filter(application -> application.failure.isEmpty() && !application.isSampled())
                .toList();
    }

    Optional<Application> sampled(String jdk, String workload, Contender peer) {
        return all(jdk, workload, peer)
                .filter(application -> application.failure.isEmpty() && application.isSampled())
                .reduce((former, latter) -> latter);
    }

    /**
     * Processor time in a serializer: its share of the samples of an application times the median of the tasks of those that were timed; not a number
     * if none was sampled or timed.
     */
    double serializationSeconds(String jdk, String workload, Contender peer) {
        double tasks = median(timed(jdk, workload, peer), run -> run.taskCpuSeconds);
        return sampled(jdk, workload, peer)
                .map(run -> run.serializationShare * tasks)
                .orElse(Double.NaN);
    }

    /** How often one was run, those that failed included. */
    long count(SparkApplication.Job job) {
        return all(job.jdk().name(), job.workload(), job.contender())
                .filter(application -> application.scale == job.scale()
                        && application.times == job.times()
                        && application.heapMegabytes == job.heapMegabytes()
                        && application.memoryMegabytes == job.memoryMegabytes()
                        && application.isSampled() == job.sampled())
                .count();
    }

    Optional<String> failure(String jdk, String workload, Contender peer) {
        return all(jdk, workload, peer)
                .map(application -> application.failure)
                .filter(failure -> !failure.isEmpty())
                .findFirst();
    }

    /** All results that the applications of a workload had; there should be one. */
    List<String> results(String jdk, String workload) {
        return of(jdk).filter(application -> application.workload.equals(workload))
                .flatMap(application -> application.results.stream())
                .distinct()
                .toList();
    }

    static double median(List<Application> applications, ToDoubleFunction<Application> figure) {
        return Statistics.median(applications.stream().mapToDouble(figure).toArray());
    }

    /** Half the distance from the least to the greatest, relative to the median. */
    static double spread(List<Application> applications, ToDoubleFunction<Application> figure) {
        double[] sorted = applications.stream().mapToDouble(figure).sorted().toArray();
        return sorted.length < 2
                ? Double.NaN
                : (sorted[sorted.length - 1] - sorted[0]) / 2 / median(applications, figure);
    }

    private Stream<Application> of(String jdk) {
        return applications.stream().filter(application -> application.jdk.equals(jdk));
    }

    private Stream<Application> all(String jdk, String workload, Contender peer) {
        return of(jdk).filter(application ->
                application.workload.equals(workload) && application.peer.equals(peer.optionName()));
    }
}
