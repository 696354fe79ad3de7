package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.benchmarks.Jdk;

/** Submits applications to Spark as a user does, each by a process of its own. */
final class SparkProcess {
    private SparkProcess() {}

    /**
     * Runs an application to its end, and ends whatever it leaves.
     *
     * @param spark home of Spark
     * @param jdk of driver and executors
     * @param folder in which it runs; the file {@code output} there gets what it prints
     * @param command with all its arguments
     * @param timeoutMinutes after which it is given up
     * @return why it failed; empty if it did not
     */
    static String run(Path spark, Jdk jdk, Path folder, List<String> command, int timeoutMinutes)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output(folder).toFile());
        builder.environment().put("JAVA_HOME", jdk.home().toString());
        builder.environment().put("SPARK_HOME", spark.toString());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        boolean ended;
        try {
            ended = process.waitFor(timeoutMinutes, TimeUnit.MINUTES);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (!ended) {
            return "no end after " + timeoutMinutes + " minutes";
        }
        return process.exitValue() == 0 ? "" : "failed";
    }

    static Path output(Path folder) {
        return folder.resolve("output");
    }
}
