package org.heapspan.tests.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Spark's own cluster manager: a master and a worker, each a process, which also starts drivers. Knows nothing of Heapspan. */
final class StandaloneCluster implements AutoCloseable {
    private final Path folder;
    private final Path jdk;
    private final String address;
    private final Map<String, String> configuration;
    private final List<Process> processes = new ArrayList<>();

    /** Starts it; executors of up to three cores find place beside a driver. */
    StandaloneCluster(Path folder, Path jdk) throws IOException, InterruptedException {
        this(folder, jdk, Map.of());
    }

    /** Starts it with settings of its own, such as those of the service that serves shuffle files. */
    StandaloneCluster(Path folder, Path jdk, Map<String, String> configuration)
            throws IOException, InterruptedException {
        this.configuration = configuration;
        this.folder = folder;
        this.jdk = jdk;
        String port = SparkRun.freePort();
        address = "spark://127.0.0.1:" + port;
        try {
            start("master", "I have been elected leader", "master.Master", "--port", port);
            start(
                    "worker",
                    "Successfully registered with master",
                    "worker.Worker",
                    "--cores",
                    "3",
                    "--memory",
                    "3g",
                    "--work-dir",
                    folder.resolve("work").toString(),
                    address);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** What {@code spark.master} is to be. */
    String address() {
        return address;
    }

    /** What the driver of the only application wrote to its standard error, in all its lives. */
    String driverLog() throws IOException {
        try (var files = Files.walk(folder.resolve("work"))) {
            StringBuilder log = new StringBuilder();
            for (Path file : files.filter(file -> file.endsWith("stderr")
                            && file.getParent().getFileName().toString().startsWith("driver-"))
                    .toList()) {
                log.append(Files.readString(file));
            }
            return log.toString();
        }
    }

    private void start(String name, String ready, String type, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                SparkRun.SPARK.resolve("bin/spark-class").toString(),
                "org.apache.spark.deploy." + type,
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0"));
        command.addAll(List.of(arguments));
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        SparkRun.clean(environment);
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("SPARK_HOME", SparkRun.SPARK.toString());
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        environment.put("SPARK_LOCAL_DIRS", folder.resolve("local").toString());
        environment.put("SPARK_DAEMON_MEMORY", "256m");
        environment.put(
                "SPARK_DAEMON_JAVA_OPTS",
                configuration.entrySet().stream()
                        .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                        .collect(Collectors.joining(" ")));
        Process process = builder.start();
        processes.add(process);
        SparkRun.awaitText(process, log, ready);
    }

    /** Ends it, with the drivers and executors that are left. */
    @Override
    public void close() throws InterruptedException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            Process process = processes.get(i);
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }
}
