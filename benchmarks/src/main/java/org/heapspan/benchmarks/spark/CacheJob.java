package org.heapspan.benchmarks.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A job of {@code workloads/} that caches more than the heaps of its executors hold; those whose collector has the most to do first. */
enum CacheJob {
    PATHS(640),
    LOGISTIC(1024),
    TRIANGLES(640),
    COMPONENTS(640),
    K_MEANS(1024),
    FLIGHTS(512),
    RANKS(640),
    SVM(1024),
    LINEAR(1024);

    private final int heapMegabytes;

    CacheJob(int heapMegabytes) {
        this.heapMegabytes = heapMegabytes;
    }

    /** What one types to choose it. */
    String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What the program of the workloads calls it. */
    String workload() {
        return "cached-" + optionName();
    }

    /** Heap of each of the two executors. */
    int heapMegabytes() {
        return heapMegabytes;
    }

    static List<CacheJob> named(List<String> names) {
        return names.stream().map(CacheJob::named).toList();
    }

    private static CacheJob named(String name) {
        return Arrays.stream(values())
                .filter(job -> job.optionName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no job '" + name + "'; there are: " + names()));
    }

    static String names() {
        return Stream.of(values()).map(CacheJob::optionName).collect(Collectors.joining(","));
    }
}
