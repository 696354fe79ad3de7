package org.heapspan.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Servers that replicate their keys, as {@code dist/bin/heapspan serve --peers} starts them: from the two jars beside the script. */
@Timeout(Eventually.TEST_SECONDS)
final class ServePeersIT {
    private static final int SERVERS = 3;
    private static final Path SCRIPT =
            Path.of(System.getProperty("heapspan.root", ".."), "build-support/assembly/src/main/bin/heapspan");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final Process[] servers = new Process[SERVERS];
    private List<Integer> ports;
    private String places;

    @BeforeEach
    void makeDist() throws IOException {
        Path script = Files.copy(
                SCRIPT, Files.createDirectories(folder.resolve("dist/bin")).resolve("heapspan"));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        for (String property : List.of("heapspan.jar", "heapspan.replication.jar")) {
            Path jar = Path.of(System.getProperty(property));
            Files.copy(jar, folder.resolve("dist").resolve(jar.getFileName()));
        }
        ports = Ports.take(SERVERS);
        places = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process each : servers) {
            if (each != null) {
                each.destroyForcibly().waitFor();
            }
        }
    }

    private void start(int server) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        folder.resolve("dist/bin/heapspan").toString(),
                        "serve",
                        "--peers=" + places,
                        "--port=" + ports.get(server),
                        "--dir=" + folder.resolve("files-" + server),
                        "--memory=64m")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output(server).toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HEAPSPAN_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Xmx256m");
        servers[server] = builder.start();
    }

    private Path output(int server) {
        return folder.resolve("output-" + server);
    }

    private void kill(int server) throws InterruptedException {
        servers[server].destroyForcibly();
        assertThat(servers[server].waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    /** The server that answers questions about keys. */
    private int leader() throws Exception {
        Set<Integer> found = new TreeSet<>();
        Eventually.holds("a server leads", () -> {
            for (int server = 0; server < SERVERS; server++) {
                if (leads(server)) {
                    found.add(server);
                }
            }
            return !found.isEmpty();
        });
        return found.iterator().next();
    }

    private boolean leads(int server) {
        if (!servers[server].isAlive()) {
            return false;
        }
        try (GlobalHeap heap = GlobalHeap.connect("heapspan://127.0.0.1:" + ports.get(server))) {
            return heap.find("none").isEmpty();
        } catch (ExchangeException e) {
            return false;
        }
    }

    private String said() throws IOException {
        List<String> all = new ArrayList<>();
        for (int server = 0; server < SERVERS; server++) {
            all.add(Files.readString(output(server)));
        }
        return String.join("\n", all);
    }

    @Test
    void keysOutliveTheLeader() throws Exception {
        for (int server = 0; server < SERVERS; server++) {
            start(server);
        }
        GlobalHeapOptions patient =
                GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
        byte[] large = new byte[3 << 20];
        large[large.length - 1] = 7;
        try (GlobalHeap heap = GlobalHeap.connect("heapspan://" + places, patient)) {
            heap.put("short", "value");
            heap.put("long", large);

            int first = leader();
            kill(first);
            assertThat(heap.get("short", String.class)).isEqualTo("value");
            assertThat(heap.get("long", byte[].class)).isEqualTo(large);
            heap.put("later", "of the second leader");

            // It reads its files, and gets what it has missed.
            start(first);
            Eventually.holds(
                    "the first server is back",
                    () -> Files.readString(output(first))
                                    .lines()
                                    .filter(line -> line.startsWith("serving "))
                                    .count()
                            == 2);
            kill(leader());
            assertThat(heap.get("long", byte[].class)).isEqualTo(large);
            assertThat(heap.get("later", String.class)).isEqualTo("of the second leader");
        } catch (ExchangeException | AssertionError e) {
            throw new AssertionError(said(), e);
        }
        assertThat(said())
                .contains(" as one of " + places)
                .doesNotContain("NoClassDefFoundError", "ClassNotFoundException", "SLF4J");
    }
}
