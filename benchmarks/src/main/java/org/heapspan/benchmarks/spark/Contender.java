package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One of the ways to run a job on Spark that a report compares; implemented by enums. */
interface Contender {
    /** The name of the constant. */
    String name();

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

    /** Of how many times as much heap as the others have its executors are. */
    default int heapFactor() {
        return 1;
    }

    /** Whether it is ours, which a chart shows. */
    default boolean isHeapspan() {
        return name().startsWith("HEAPSPAN");
    }

    /** What one types to choose it. */
    default String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds the one of a name.
     *
     * @param what they are, for the error
     * @throws IllegalArgumentException if there is none; the message names all
     */
    static <C extends Contender> C named(String name, C[] all, String what) {
        for (C each : all) {
            if (each.optionName().equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no " + what + " '" + name + "'; there are: " + optionNames(all));
    }

    /** All their names. */
    static String optionNames(Contender[] all) {
        return Stream.of(all).map(Contender::optionName).collect(Collectors.joining(","));
    }
}
