package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What second heaps of executors held, by the plug-in's metrics in files of Spark's metrics system. */
final class SecondHeapFigures {
    private static final String FOLDER = "metrics";
    private static final String SINK = "spark.metrics.conf.executor.sink.csv.";

    private SecondHeapFigures() {}

    /** Lets Spark write metrics of executors once a second. */
    static void configure(Map<String, String> configuration, Path folder) {
        Path files = folder.resolve(FOLDER);
        try {
            Files.createDirectories(files);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        configuration.put(SINK + "class", "org.apache.spark.metrics.sink.CsvSink");
        configuration.put(SINK + "period", "1");
        configuration.put(SINK + "unit", "seconds");
        configuration.put(SINK + "directory", files.toString());
    }

    /** Reads them, if there are any. */
    static void read(Path folder, Application application) throws IOException {
        application.secondHeapBytes = most(folder, "h2HeldBytes");
        application.declinedPartitions = most(folder, "h2Declined");
    }

    /** The most that each executor had, all together. */
    private static long most(Path folder, String metric) throws IOException {
        Path metrics = folder.resolve(FOLDER);
        if (!Files.exists(metrics)) {
            return 0;
        }
        List<Path> ofExecutors;
        try (Stream<Path> files = Files.list(metrics)) {
            ofExecutors = files.filter(file -> file.toString().endsWith(".HeapspanPlugin." + metric + ".csv"))
                    .toList();
        }
        long sum = 0;
        for (Path file : ofExecutors) {
            // t,value
            sum += Files.readAllLines(file).stream()
                    .skip(1)
                    .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(',') + 1)))
                    .max()
                    .orElse(0);
        }
        return sum;
    }
}
