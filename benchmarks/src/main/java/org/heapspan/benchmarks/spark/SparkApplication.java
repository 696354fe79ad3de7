package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Jdk;

/** One workload with one serializer in a Spark of its own: a driver and two executors, each a JVM, submitted as a user would do it. */
final class SparkApplication {
    private static final int TIMEOUT_MINUTES = 30;

    private final Path spark;
    private final Path root;
    private final Path data;
    private final Path folder;

    /**
     * Says where things are.
     *
     * @param spark home of Spark
     * @param root of the repository, built
     * @param data unpacked
     * @param folder for what the applications leave
     */
    SparkApplication(Path spark, Path root, Path data, Path folder) {
        this.spark = spark;
        this.root = root;
        this.data = data;
        this.folder = folder;
    }

    /**
     * Runs it.
     *
     * @param times how often the workload is run, one after the other in the same JVMs
     * @param sampled whether running code is sampled, which takes some time itself
     * @return its figures, or why there are none
     */
    SparkFigures.Application run(Jdk jdk, String workload, SparkPeer peer, double scale, int times, boolean sampled)
            throws IOException, InterruptedException {
        Path own = folder.resolve("application");
        delete(own);
        Files.createDirectories(own);
        Path figures = own.resolve("figures.json");
        Path output = own.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command(workload, peer, scale, times, sampled, own, figures))
                .directory(own.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", jdk.home().toString());
        builder.environment().put("SPARK_HOME", spark.toString());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        boolean ended;
        try {
            ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        SparkFigures.Application application;
        if (!ended || process.exitValue() != 0 || !Files.exists(figures)) {
            Path kept = folder.resolve(workload + "-" + peer.optionName() + ".log");
            Files.move(output, kept, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            application = new SparkFigures.Application();
            application.failure = ended ? "failed" : "no end after " + TIMEOUT_MINUTES + " minutes";
        } else {
            application = SparkFigures.application(figures);
            if (sampled) {
                application.serializationShare = SerializationShare.of(own);
            }
        }
        application.jdk = jdk.name();
        application.workload = workload;
        application.peer = peer.optionName();
        application.scale = scale;
        return application;
    }

    private List<String> command(
            String workload, SparkPeer peer, double scale, int times, boolean sampled, Path own, Path figures) {
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("spark.master", "local-cluster[2,1,3072]");
        configuration.put("spark.executor.memory", "3g");
        configuration.put("spark.executor.instances", "2");
        configuration.put("spark.driver.memory", "1g");
        configuration.put("spark.driver.host", "127.0.0.1");
        configuration.put("spark.driver.bindAddress", "127.0.0.1");
        configuration.put("spark.ui.enabled", "false");
        configuration.put("spark.local.dir", own.resolve("local").toString());
        configuration.put("spark.driver.extraClassPath", classPath());
        configuration.put("spark.executor.extraClassPath", classPath());
        if (sampled) {
            configuration.put(
                    "spark.executor.extraJavaOptions",
                    "-XX:StartFlightRecording=settings=" + SerializationShare.settings(own)
                            + ",dumponexit=true,filename=" + own + "/executor-%p.jfr");
        }
        configuration.putAll(peer.configuration());
        List<String> command =
                new ArrayList<>(List.of(spark.resolve("bin/spark-submit").toString()));
        configuration.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        command.addAll(List.of("--class", "org.heapspan.workloads.Run"));
        command.add(root.resolve("workloads/target/heapspan-workloads.jar").toString());
        command.addAll(List.of(
                workload, data.toString(), Double.toString(scale), Integer.toString(times), figures.toString()));
        return command;
    }

    /** The same for all peers: what is not used costs nothing. */
    private String classPath() {
        return root.resolve("dist/heapspan-spark.jar") + ":" + root.resolve("benchmarks/target/heapspan-benchmarks.jar")
                + ":" + root.resolve("benchmarks/target/lib") + "/*";
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
