package org.heapspan.flink;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.Ports;

/**
 * A JobManager and TaskManagers of Flink, each of which is a process with the class path of this JVM but for the classes of tests. Those are the job's: a
 * TaskManager loads them by Flink's loader for the classes of users. The processes end with this object.
 *
 * <p>Flink's scripts compute the sizes of all parts of the memory. Without the scripts they must be in the configuration, or a TaskManager ends
 * at its start.
 */
final class ProcessCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final URL CLASSES_OF_JOBS =
            ProcessCluster.class.getProtectionDomain().getCodeSource().getLocation();

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Started> started = new ArrayList<>();
    private final Path configuration;
    private final int restPort;

    private record Started(Process process, Path output) {}

    /** Starts a JobManager. */
    ProcessCluster(Path folder) throws IOException {
        restPort = Ports.take();
        configuration = Files.createDirectory(folder.resolve("configuration"));
        Files.writeString(configuration.resolve("config.yaml"), """
                jobmanager.rpc.address: localhost
                jobmanager.rpc.port: %d
                jobmanager.bind-host: localhost
                rest.address: localhost
                rest.bind-address: localhost
                rest.port: %d
                taskmanager.host: localhost
                taskmanager.bind-host: localhost
                taskmanager.numberOfTaskSlots: 4
                taskmanager.load-balance.mode: SLOTS
                taskmanager.cpu.cores: 1
                taskmanager.memory.framework.heap.size: 32mb
                taskmanager.memory.framework.off-heap.size: 64mb
                taskmanager.memory.task.heap.size: 64mb
                taskmanager.memory.task.off-heap.size: 0mb
                taskmanager.memory.network.min: 8mb
                taskmanager.memory.network.max: 8mb
                taskmanager.memory.managed.size: 64mb
                taskmanager.memory.jvm-metaspace.size: 64mb
                taskmanager.memory.jvm-overhead.min: 64mb
                taskmanager.memory.jvm-overhead.max: 64mb
                heartbeat.interval: 300
                heartbeat.timeout: 20000
                io.tmp.dirs: %s
                """.formatted(
                        Ports.take(), restPort, Files.createDirectory(folder.resolve("tmp"))));
        start(StandaloneSessionClusterEntrypoint.class);
    }

    private Process start(Class<?> mainClass) throws IOException {
        Process process = JavaProcess.of(mainClass)
                .classPath(classPath())
                .options("-Xmx256m", "-XX:+UseSerialGC")
                .options("--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED")
                .arguments("--configDir", configuration.toString())
                .startWithErrorsInOutput();
        Path output = configuration.resolveSibling(mainClass.getSimpleName() + "-" + process.pid());
        started.add(new Started(process, output));
        Thread reader = new Thread(() -> copy(process, output));
        reader.setDaemon(true);
        reader.start();
        return process;
    }

    private static String classPath() {
        Path classesOfJobs = Path.of(URI.create(CLASSES_OF_JOBS.toString()));
        String[] all = JavaProcess.testClassPath().split(File.pathSeparator, -1);
        List<String> others = Stream.of(all)
                .filter(entry -> !Path.of(entry).equals(classesOfJobs))
                .toList();
        if (others.size() != all.length - 1) {
            throw new IllegalStateException(classesOfJobs + " is not on the class path " + List.of(all));
        }
        return String.join(File.pathSeparator, others);
    }

    private static void copy(Process process, Path output) {
        try {
            Files.copy(process.getInputStream(), output);
        } catch (IOException e) {
            // The process was killed. What it has printed before is there.
        }
    }

    Process startTaskManager() throws IOException {
        return start(TaskManagerRunner.class);
    }

    /** Waits until so many TaskManagers have registered. */
    void awaitTaskManagers(int count) throws InterruptedException {
        await("there are " + count + " TaskManagers", () -> overview().contains("\"taskmanagers\":" + count + ","));
    }

    private String overview() {
        try {
            URI uri = URI.create("http://localhost:" + restPort + "/overview");
            return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            // The JobManager is not ready yet.
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** Waits for a condition. If it does not come, the error has what all processes have printed. */
    void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("within " + PATIENCE + " it was not true that " + what + "; " + printed());
            }
            Thread.sleep(20);
        }
    }

    private String printed() {
        StringBuilder text = new StringBuilder();
        for (Started each : started) {
            text.append(each.output)
                    .append(
                            each.process.isAlive()
                                    ? ", which is alive:\n"
                                    : ", which has ended with " + each.process.exitValue() + ":\n");
            try {
                text.append(Files.readString(each.output));
            } catch (IOException e) {
                text.append(e);
            }
        }
        return text.toString();
    }

    /** The environment of a job that will run on this cluster. */
    StreamExecutionEnvironment environment(Configuration ofJob) {
        Configuration withClasses = new Configuration(ofJob);
        withClasses.setString("pipeline.classpaths", CLASSES_OF_JOBS.toString());
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment("localhost", restPort, withClasses);
        environment.setParallelism(2);
        return environment;
    }

    @Override
    public void close() throws InterruptedException {
        for (Started each : started) {
            each.process.destroyForcibly().waitFor();
        }
    }
}
