package org.heapspan.benchmarks.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A job of {@code workloads/} that moves objects, with as much data and as many repetitions in one application as take the fastest of all peers about a
 * minute: the first repetition is that of JIT compilers.
 */
enum SparkJob {
    GROUP_JOIN(0.5, 13),
    INVERTED_INDEX(1, 15),
    SORT(1, 8),
    TRANSITIVE_CLOSURE(1, 18),
    TRIANGLES(0.4, 7),
    COMPONENTS(0.4, 3),
    RANKS_GRAPHX(0.8, 6),
    RANKS_PLAIN(0.8, 5),
    WORD_COUNT(1, 8),
    K_MEANS(1, 7),
    LOGISTIC_REGRESSION(1, 6),

    /** Nothing but a table, of whose objects Spark serializes none itself. */
    TABLE(1, 3);

    private final double scale;
    private final int times;

    SparkJob(double scale, int times) {
        this.scale = scale;
        this.times = times;
    }

    /** What one types to choose it, and what the program of the workloads calls it. */
    String workload() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** How much data; 1 is all of the data's folder. */
    double scale() {
        return scale;
    }

    /** How often an application runs it. */
    int times() {
        return times;
    }

    static List<SparkJob> named(List<String> workloads) {
        return workloads.stream().map(SparkJob::named).toList();
    }

    private static SparkJob named(String workload) {
        return Arrays.stream(values())
                .filter(job -> job.workload().equals(workload))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("no workload '" + workload + "'; there are: " + names()));
    }

    static String names() {
        return Stream.of(values()).map(SparkJob::workload).collect(Collectors.joining(","));
    }
}
