package org.heapspan.benchmarks.spark;

import org.heapspan.benchmarks.Choice;

/** A job of {@code workloads/} that caches more than the heaps of its executors hold; those whose collector has the most to do first. */
enum CacheJob implements Choice {
    PATHS(640),
    LOGISTIC(1024),
    TRIANGLES(640),
    COMPONENTS(640),
    K_MEANS(1024),
    FLIGHTS(640),
    RANKS(640),
    SVM(1024),
    LINEAR(1024),
    BAYES(1024);

    private final int heapMegabytes;

    CacheJob(int heapMegabytes) {
        this.heapMegabytes = heapMegabytes;
    }

    /** What the program of the workloads calls it. */
    String workload() {
        return "cached-" + optionName();
    }

    /** Heap of each of the two executors. */
    int heapMegabytes() {
        return heapMegabytes;
    }
}
