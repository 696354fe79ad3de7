package org.heapspan.benchmarks.giraph;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.giraph.GiraphRunner;
import org.apache.giraph.io.formats.IdWithValueTextOutputFormat;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;
import org.heapspan.examples.giraph.AdjacencyInputFormat;
import org.heapspan.examples.giraph.PageRank;

/** One job of Giraph in this JVM. Prints its times, and a sum over its results. */
public final class GiraphRun {
    private GiraphRun() {}

    /** Takes the time between the phases of a job, without the seconds in which Giraph starts and ends. */
    public static final class Clock extends DefaultWorkerObserver {
        private static long beganNanos;
        private static long loadedNanos;
        private static long endedNanos;
        private static long collectedMillis;
        private static int supersteps;

        @Override
        public void preLoad() {
            collectedMillis = -collectionMillis();
            beganNanos = System.nanoTime();
        }

        @Override
        public void preApplication() {
            loadedNanos = System.nanoTime();
        }

        @Override
        public void preSuperstep(long superstep) {
            if (superstep == 0) {
                loadedNanos = System.nanoTime();
            }
            supersteps++;
        }

        @Override
        public void postApplication() {
            endedNanos = System.nanoTime();
            collectedMillis += collectionMillis();
        }

        private static long collectionMillis() {
            return ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                    .sum();
        }
    }

    /** Storage, program, file of the graph, folder for files, number of partitions. */
    public static void main(String[] arguments) throws Exception {
        Storage storage = Storage.valueOf(arguments[0]);
        String program = arguments[1];
        Path folder = Path.of(arguments[3]);
        Path results = folder.resolve("results");
        List<String> options = new ArrayList<>(List.of(
                "-Dmapreduce.framework.name=local",
                "-Dmapred.job.tracker=local",
                "-Dhadoop.tmp.dir=" + folder.resolve("hadoop"),
                AdjacencyInputFormat.class.getPackageName() + "." + program,
                "-vif",
                AdjacencyInputFormat.class.getName(),
                "-vip",
                arguments[2],
                "-vof",
                IdWithValueTextOutputFormat.class.getName(),
                "-op",
                results.toString(),
                "-w",
                "1"));
        if (program.equals("PageRank")) {
            options.addAll(List.of("-mc", PageRank.Master.class.getName()));
        }
        List<String> settings = new ArrayList<>(List.of(
                "giraph.SplitMasterWorker=false",
                "giraph.localTestMode=true",
                "giraph.numComputeThreads=2",
                "giraph.numInputThreads=2",
                "giraph.userPartitionCount=" + arguments[4],
                "giraph.worker.observers=" + storage.observers(Clock.class.getName())));
        settings.addAll(storage.settings(folder));
        settings.forEach(setting -> options.addAll(List.of("-ca", setting)));

        int status = ToolRunner.run(new Configuration(), new GiraphRunner(), options.toArray(new String[0]));
        if (status != 0 || Clock.endedNanos == 0) {
            throw new IllegalStateException("the job failed: " + options);
        }
        System.out.printf(
                "times %.2f %.2f %.2f %d%n",
                (Clock.loadedNanos - Clock.beganNanos) / 1e9,
                (Clock.endedNanos - Clock.loadedNanos) / 1e9,
                Clock.collectedMillis / 1e3,
                Clock.supersteps);
        System.out.println("sum " + sum(results));
        System.out.flush();
        // Threads of Giraph and of its ZooKeeper go on.
        Runtime.getRuntime().halt(0);
    }

    /** The number of vertices, and the sum of their finite values. */
    private static String sum(Path results) throws IOException {
        long vertices = 0;
        double sum = 0;
        try (Stream<Path> files = Files.list(results)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith("part-"))
                    .sorted(Comparator.naturalOrder())
                    .toList()) {
                try (BufferedReader lines = Files.newBufferedReader(file)) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        double value = Double.parseDouble(line.substring(line.indexOf('\t') + 1));
                        vertices++;
                        sum += value < Long.MAX_VALUE ? value : 0;
                    }
                }
            }
        }
        return vertices + " vertices, " + String.format("%.9g", sum);
    }
}
