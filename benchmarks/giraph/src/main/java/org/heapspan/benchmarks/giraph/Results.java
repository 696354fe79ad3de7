package org.heapspan.benchmarks.giraph;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.heapspan.benchmarks.graph.GraphJob;
import org.heapspan.benchmarks.graph.GraphWorkload;

/** Reads what a job has found, to compare it with what others have. */
final class Results {
    private Results() {}

    /**
     * Sets what describes the results of a job: each result counts, whatever the order of the vertices in the files.
     *
     * @param folder with files of lines, each with a vertex, a tab and its result
     */
    static void describe(Path folder, GraphJob job) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.filter(each -> each.getFileName().toString().startsWith("part-"))
                    .toList()) {
                try (BufferedReader lines = Files.newBufferedReader(file)) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        add(line, job);
                    }
                }
            }
        }
    }

    private static void add(String line, GraphJob job) {
        int tab = line.indexOf('\t');
        long vertexHash = mix(Long.parseLong(line, 0, tab, 10));
        double value = Double.parseDouble(line.substring(tab + 1));
        job.vertices++;
        if (value < Long.MAX_VALUE) {
            // Between 1 and 2 times the value.
            job.weightedSum += value * (1 + (vertexHash >>> 11) * 0x1.0p-53);
        }
        if (job.workload != GraphWorkload.PR) {
            job.hash += mix(vertexHash ^ Double.doubleToLongBits(value));
        }
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
