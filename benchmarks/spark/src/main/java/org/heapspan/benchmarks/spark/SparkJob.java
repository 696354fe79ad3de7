package org.heapspan.benchmarks.spark;

import java.util.Arrays;
import java.util.List;
import org.heapspan.benchmarks.Choice;

/**
 * A job of {@code workloads/} that moves objects, with as much data and as many repetitions in one application as take the fastest of all peers about a
 * minute: the first repetition is that of JIT compilers. Its option's name is what the program of the workloads calls it.
 */
enum SparkJob implements Choice {
    GROUP_JOIN(0.5, 13),
    GROUP_EDGES(1, 13),
    INVERTED_INDEX(1, 15),
    SORT(1, 13),
    TRANSITIVE_CLOSURE(1, 18),
    TRIANGLES(0.4, 7),
    COMPONENTS(0.4, 3),
    RANKS_GRAPHX(0.8, 8),
    RANKS_PLAIN(0.8, 5),
    WORD_COUNT(1, 16),
    K_MEANS(1, 11),
    LOGISTIC_REGRESSION(1, 11),

    /** Nothing but a table, of whose objects Spark serializes none itself. */
    TABLE(1, 3),

    /** Keys that are URLs, in each iteration the same. */
    RANKS_URLS(0.4, 3);

    private final double scale;
    private final int times;

    SparkJob(double scale, int times) {
        this.scale = scale;
        this.times = times;
    }

    /** Those that are measured if nobody says which. */
    static List<SparkJob> byDefault() {
        return Arrays.stream(values()).filter(job -> job != RANKS_URLS).toList();
    }

    /** How much data; 1 is all of the data's folder. */
    double scale() {
        return scale;
    }

    /** How often an application runs it. */
    int times() {
        return times;
    }
}
