package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.heapspan.benchmarks.FigureFile;

/** What all applications took, each with a note on the machine; the content of {@code spark.json}. */
final class SparkFigures {
    /** One application; a bean. */
    static final class Application {
        public String jdk = "";
        public String workload = "";
        public String title = "";
        public String peer = "";
        public double scale;

        /** How often it ran the workload. */
        public int times;

        /** Why there are no figures; empty if there are. */
        public String failure = "";

        /** The note on the machine when it ran. */
        public List<String> machine = List.of();

        public List<String> results = List.of();
        public List<Double> wallSeconds = List.of();
        public double executorCpuSeconds;
        public double taskCpuSeconds;
        public double taskSeconds;
        public double collectorSeconds;
        public long shuffleBytes;
        public long spilledBytes;
        public long tasks;
        public long failedTasks;
        public long lostExecutors;

        /** How often a cached partition had to leave memory, and how often one was stored that had been lost. */
        public long evictedPartitions;

        public long storedAgain;

        /** When most was cached, the second heap counted as memory, as Spark does. */
        public long cachedMemoryBytes;

        public long cachedDiskBytes;
        public long cachedPartitions;
        public long partitionsToCache;

        /** The most that second heaps held. */
        public long secondHeapBytes;

        /** Partitions that second heaps did not take. */
        public long declinedPartitions;

        /** Peak of the executors' memory, all together: with pages of mapped files, and without. */
        public long residentBytes;

        public long anonymousBytes;

        /** Pauses of the executors' collectors, by their logs, and how many of them were for full collections. */
        public double pauseSeconds;

        public long fullCollections;

        /** Heap of an executor. */
        public int heapMegabytes;

        /** Of the samples of running code, which share was in a serializer; not a number if none were taken. */
        public double serializationShare = Double.NaN;

        double wall() {
            return wallSeconds.stream().mapToDouble(Double::doubleValue).sum();
        }

        boolean isSampled() {
            return !Double.isNaN(serializationShare);
        }
    }

    private List<String> machine = new ArrayList<>();
    private List<Application> applications = new ArrayList<>();

    static SparkFigures load(Path json) throws IOException {
        SparkFigures figures = Files.exists(json) ? FigureFile.read(json, SparkFigures.class) : new SparkFigures();
        for (Application application : figures.applications) {
            if (application.times == 0) {
                // Of a time when this was not in the file.
                application.times = application.wallSeconds.size();
            }
        }
        return figures;
    }

    /** Reads what an application has left. */
    static Application application(Path json) throws IOException {
        return FigureFile.read(json, Application.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    /** What was measured on which machine, in which state: titles of jobs by the notes. */
    Map<List<String>, Set<String>> jobsByMachine() {
        Map<List<String>, Set<String>> jobs = new LinkedHashMap<>();
        for (Application application : applications) {
            jobs.computeIfAbsent(application.machine, any -> new LinkedHashSet<>())
                    .add(title(application.workload) + " on JDK " + application.jdk);
        }
        return jobs;
    }

    /** Notes the machine on which the applications run that are added from now on. */
    void machine(List<String> note) {
        machine = note;
    }

    /** Adds one; those of the same workload and JDK that had another amount of work to do are no longer comparable and are dropped. */
    void add(Application application) {
        application.machine = machine;
        applications.removeIf(former -> former.jdk.equals(application.jdk)
                && former.workload.equals(application.workload)
                && !(former.scale == application.scale && former.times == application.times));
        applications.add(application);
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
        double[] sorted = applications.stream().mapToDouble(figure).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
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
