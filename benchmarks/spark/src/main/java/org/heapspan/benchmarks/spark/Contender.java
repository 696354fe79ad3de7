package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.Choice;

/** One of the ways to run a job on Spark that a report compares; implemented by enums. */
interface Contender extends Choice {
    /** What a reader sees. */
    String title();

    /**
     * What it sets in Spark's configuration.
     *
     * @param folder of the application, for files
     * @param heapMegabytes of an executor
     */
    Map<String, String> configuration(Path folder, int heapMegabytes);

    /** What the program of the workloads gets as arguments behind the usual ones. */
    default List<String> arguments() {
        return List.of();
    }

    /** Whether its executors are on two hosts, as far as Spark knows. */
    default boolean hasTwoHosts() {
        return false;
    }

    /** Of how many times as much heap as the others have its executors are. */
    default int heapFactor() {
        return 1;
    }

    /** Whether it is ours, which a chart shows. */
    default boolean isHeapspan() {
        return name().startsWith("HEAPSPAN");
    }
}
