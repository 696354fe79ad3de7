package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.reflect.ClassTag$;

/**
 * Its driver is killed in the middle of a job, once, and is started again by the cluster: {@code results folder}. The driver's second life reads
 * a checkpoint that the first one wrote.
 */
public final class RestartApplication {
    private static final int MOST_SECONDS = 120;

    private RestartApplication() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        Path firstLife = folder.resolve("first life");
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.tellSerializers(context, results);
            FaultyJob job = new FaultyJob(context);
            if (!Files.exists(firstLife)) {
                checkpoint(context, job, folder.resolve("checkpoints"));
                Files.writeString(firstLife, context.sc().applicationId());
                die(job, folder.resolve("in the middle").toString());
            }
            results.put(
                    "applications",
                    Files.readString(firstLife) + " " + context.sc().applicationId());
            results.put("result", job.result());
            JavaRDD<Event> events = context.sc()
                    .<Event>checkpointFile(
                            checkpoint(folder.resolve("checkpoints")), ClassTag$.MODULE$.apply(Event.class))
                    .toJavaRDD();
            results.put(
                    "of the checkpoint",
                    FaultyJob.outcome(
                            () -> FaultyJob.digests(FaultyJob.grouped(events)).collect()));
        }
        results.write(arguments[0]);
    }

    private static void checkpoint(JavaSparkContext context, FaultyJob job, Path folder) {
        context.setCheckpointDir(folder.toUri().toString());
        JavaRDD<Event> events = job.events();
        events.checkpoint();
        events.count();
    }

    /** The only one there. */
    private static String checkpoint(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("rdd-"))
                    .findFirst()
                    .orElseThrow()
                    .toUri()
                    .toString();
        }
    }

    /** While tasks run that write a shuffle. */
    private static void die(FaultyJob job, String marker) throws IOException, InterruptedException {
        JavaFutureAction<?> running = FaultyJob.grouped(job.events().map(event -> {
                    if (event.id() == 6_543) {
                        Files.writeString(Path.of(marker), "");
                        Thread.sleep(1_000L * MOST_SECONDS);
                    }
                    return event;
                }))
                .foreachAsync(group -> {});
        for (int i = 0; i < 10 * MOST_SECONDS && !Files.exists(Path.of(marker)); i++) {
            Thread.sleep(100);
        }
        if (running.isDone()) {
            throw new IllegalStateException("the job has ended before its driver was killed");
        }
        new ProcessBuilder(
                        "kill", "-KILL", String.valueOf(ProcessHandle.current().pid()))
                .start();
        Thread.sleep(1_000L * MOST_SECONDS);
    }
}
