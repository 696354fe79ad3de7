package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.MemoryGroup;
import org.heapspan.benchmarks.graph.GraphJob;

/**
 * Runs jobs, each in a JVM of its own.
 *
 * @param folder for logs of jobs that fail, and for files of the job that runs
 * @param timeoutMinutes after which a job is given up
 */
record JobProcess(Jdk jdk, Path folder, int timeoutMinutes) {
    /** What a JVM ends with that was told to end when its memory is used up. */
    private static final int OUT_OF_MEMORY = 3;

    /** Runs a job, and returns it with its figures, or with why there are none. */
    GraphJob run(GraphJob job, GraphFile graph) throws IOException, InterruptedException {
        Path own = Folders.fresh(folder.resolve("job"));
        try {
            if (job.memoryMegabytes == 0) {
                return run(job, graph, own, jdk);
            }
            try (MemoryGroup group = MemoryGroup.open(job.memoryMegabytes)) {
                Path wrapped = own.resolve("java-in-group");
                group.wrapJava(jdk.home(), wrapped);
                GraphJob result = run(job, graph, own, new Jdk(jdk.name(), wrapped));
                result.memoryPeakBytes = group.peakBytes();
                if (group.killed() > 0) {
                    result.failure = "needs more memory than it may have";
                }
                return result;
            }
        } finally {
            Folders.delete(own);
        }
    }

    private GraphJob run(GraphJob job, GraphFile graph, Path own, Jdk java) throws IOException, InterruptedException {
        Path json = own.resolve("job.json");
        FigureFile.write(json, job);
        Path log = own.resolve("log");
        Process process = new ProcessBuilder(java.command(
                        options(job),
                        GiraphRun.class,
                        json.toString(),
                        graph.path().toString(),
                        Long.toString(graph.source()),
                        Boolean.toString(graph.directed()),
                        own.toString()))
                .directory(own.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended;
        try {
            ended = process.waitFor(timeoutMinutes, TimeUnit.MINUTES);
        } finally {
            process.destroyForcibly();
        }
        if (ended && process.exitValue() == 0) {
            return FigureFile.read(json, GraphJob.class);
        }
        job.failure = !ended
                ? "no end after " + timeoutMinutes + " minutes"
                : process.exitValue() == OUT_OF_MEMORY ? "out of memory" : "ends with an error";
        process.waitFor();
        Files.move(log, log(job), StandardCopyOption.REPLACE_EXISTING);
        return job;
    }

    /** What a job has printed that ended with an error. */
    Path log(GraphJob job) {
        return folder.resolve(String.format("giraph-%s-%s-%s.log", job.workload, job.graph, job.peer.optionName())
                .toLowerCase(Locale.ROOT));
    }

    /** A JVM in a group has the defaults of one without. */
    private static List<String> options(GraphJob job) {
        return List.of(
                "-Xms" + job.heapMegabytes + "m",
                "-Xmx" + job.heapMegabytes + "m",
                "-XX:+Use" + job.collector + "GC",
                "-XX:-UseContainerSupport",
                "-XX:+ExitOnOutOfMemoryError",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED");
    }
}
