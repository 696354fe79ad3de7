package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Jobs during which an executor ends itself by a signal, each once: a file says that it has happened. */
final class DyingExecutors {
    private static final int MOST_SECONDS = 240;

    private final JavaSparkContext context;
    private final Path folder;

    DyingExecutors(JavaSparkContext context, Path folder) {
        this.context = context;
        this.folder = folder;
    }

    String inMap(String signal) {
        String marker = marker("map", signal);
        var events = new FaultyJob(context).events().map(event -> {
            if (event.id() == 6_543) {
                dieOnce(marker, signal);
            }
            return event;
        });
        return FaultyJob.outcome(
                () -> FaultyJob.digests(FaultyJob.grouped(events)).collect());
    }

    /** In the middle of the records that the other executor's files hold. */
    String inShuffleRead(String signal) {
        String marker = marker("read", signal);
        var grouped = FaultyJob.grouped(new FaultyJob(context).events());
        // A stage of its own reads the shuffle and writes another.
        return FaultyJob.outcome(() -> FaultyJob.digests(grouped.mapToPair(group -> {
                            if (group._1().name().equals("user 50")) {
                                dieOnce(marker, signal);
                            }
                            return group;
                        })
                        .partitionBy(new org.apache.spark.HashPartitioner(3)))
                .collect());
    }

    /** In the stage whose results go to the driver, some of which have gone. */
    String inResult(String signal) {
        String marker = marker("result", signal);
        return FaultyJob.outcome(() -> FaultyJob.digests(FaultyJob.grouped(new FaultyJob(context).events()))
                .mapPartitionsWithIndex(
                        (partition, digests) -> {
                            if (partition == 3) {
                                dieOnce(marker, signal);
                            }
                            return digests;
                        },
                        false)
                .collect());
    }

    private String marker(String stage, String signal) {
        return folder.resolve("died in " + stage + " by " + signal).toString();
    }

    /** Ends the executor in whose task it is called, unless the marker says that this has happened. */
    static void dieOnce(String marker, String signal) throws IOException, InterruptedException {
        try {
            Files.createFile(Path.of(marker));
        } catch (FileAlreadyExistsException happened) {
            return;
        }
        String pid = String.valueOf(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-" + signal, pid).start();
        Thread.sleep(1_000L * MOST_SECONDS);
    }

    /** Waits until both executors do tasks and have told the driver what they run on. */
    void awaitReports() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        while (System.nanoTime() - end < 0) {
            Map<String, Boolean> reporting = new TreeMap<>();
            context.parallelize(IntStream.range(0, 8).boxed().toList(), 8)
                    .map(any -> {
                        Thread.sleep(200); // so that no executor does it all
                        boolean reports = Thread.getAllStackTraces().keySet().stream()
                                .anyMatch(thread -> thread.getName().equals("heapspan-report"));
                        return new Tuple2<>(SparkEnv.get().executorId(), reports);
                    })
                    .collect()
                    .forEach(each -> reporting.put(each._1(), each._2()));
            if (reporting.size() > 1 && !reporting.containsValue(true)) {
                return;
            }
        }
    }
}
