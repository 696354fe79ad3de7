package org.heapspan.tests.artifacts;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.testing.Ports;

/**
 * A session cluster of Flink, as its scripts start it: a JobManager, two TaskManagers with one slot each, and the program behind {@code flink run}. All
 * are processes that have the same jars, as those in the folder {@code lib} of Flink. None of them has the classes of a job.
 *
 * <p>Flink's scripts compute the sizes of all parts of the memory. Here they are in the configuration.
 */
final class FlinkProcesses implements AutoCloseable {
    private static final List<String> OPEN_PACKAGES = List.of("java.util", "java.lang");
    private static final int TASK_MANAGERS = 2;
    private static final int PATIENCE_SECONDS = 180;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Process> started = new ArrayList<>();
    private final Path folder;
    private final Path configuration;
    private final String lib;
    private final int restPort;

    /** Starts all processes, and waits until the TaskManagers have registered. */
    FlinkProcesses(Path folder, String lib) throws IOException, InterruptedException {
        this.folder = folder;
        this.lib = lib;
        configuration = Files.createDirectory(folder.resolve("conf"));
        restPort = Ports.take();
        Files.writeString(configuration.resolve("config.yaml"), """
                jobmanager.rpc.address: localhost
                jobmanager.rpc.port: %d
                jobmanager.bind-host: localhost
                rest.address: localhost
                rest.bind-address: localhost
                rest.port: %d
                taskmanager.host: localhost
                taskmanager.bind-host: localhost
                taskmanager.numberOfTaskSlots: 1
                taskmanager.cpu.cores: 1
                taskmanager.memory.framework.heap.size: 32mb
                taskmanager.memory.framework.off-heap.size: 64mb
                taskmanager.memory.task.heap.size: 64mb
                taskmanager.memory.task.off-heap.size: 0mb
                taskmanager.memory.network.min: 64mb
                taskmanager.memory.network.max: 64mb
                taskmanager.memory.managed.size: 64mb
                taskmanager.memory.jvm-metaspace.size: 64mb
                taskmanager.memory.jvm-overhead.min: 64mb
                taskmanager.memory.jvm-overhead.max: 64mb
                io.tmp.dirs: %s
                """.formatted(
                        Ports.take(), restPort, Files.createDirectory(folder.resolve("tmp"))));
        try {
            start("org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
            for (int i = 0; i < TASK_MANAGERS; i++) {
                start("org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
            }
            awaitTaskManagers();
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    private void start(String main) throws IOException {
        Path output = folder.resolve("process-" + started.size());
        List<String> command = Command.java(OPEN_PACKAGES, lib, main, "--configDir", configuration.toString());
        command.add(1, "-Xmx256m");
        started.add(Command.of(folder, command, output, folder.resolve(output.getFileName() + "-errors"))
                .start());
    }

    private void awaitTaskManagers() throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
        while (!overview().contains("\"taskmanagers\":" + TASK_MANAGERS + ",")) {
            if (System.nanoTime() - end > 0 || !started.stream().allMatch(Process::isAlive)) {
                StringBuilder printed = new StringBuilder("Flink has not started:\n");
                for (int i = 0; i < started.size(); i++) {
                    printed.append(Files.readString(folder.resolve("process-" + i)))
                            .append(Files.readString(folder.resolve("process-" + i + "-errors")));
                }
                throw new AssertionError(printed);
            }
            Thread.sleep(50);
        }
    }

    private String overview() throws InterruptedException {
        try {
            URI uri = URI.create("http://localhost:" + restPort + "/overview");
            return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            // The JobManager does not listen yet.
            return "";
        }
    }

    /** What {@code flink run} prints to its output, with these arguments. */
    String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = Command.java(OPEN_PACKAGES, lib, "org.apache.flink.client.cli.CliFrontend", "run");
        command.addAll(List.of(arguments));
        return Command.output(folder, command, Map.of("FLINK_CONF_DIR", configuration.toString()));
    }

    @Override
    public void close() throws InterruptedException {
        for (Process each : started) {
            each.destroyForcibly().waitFor();
        }
    }
}
