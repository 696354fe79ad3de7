package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(Eventually.TEST_SECONDS)
final class SeveralProcessesTest {
    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(String... arguments) throws IOException {
        Process process = JavaProcess.of(ProcessRole.class)
                .options("-Xmx128m")
                .arguments(arguments)
                .start();
        processes.add(process);
        return process;
    }

    private static String line(Process process) throws IOException {
        BufferedReader reader = process.inputReader();
        return String.valueOf(reader.readLine());
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCommittedKeyOutlivesItsJvmAndIsReadByAnother() throws Exception {
        String url = line(start("serve", "0"));
        Process writer = start("put", url, "k");
        assertThat(line(writer)).isEqualTo("true");
        assertThat(writer.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(line(start("get", url, "k"))).isEqualTo("of another JVM 5000 true");
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            assertThat(new Model("of another JVM", 5000).isSame(heap.get("k", Model.class)))
                    .isTrue();
        }
    }

    @Tag("once")
    @Test
    void anObjectThatIsRefusedTakesNoMemory() throws Exception {
        Place.OTHER_HOST.run((server, heap) -> {
            byte[] bytes = new byte[28 << 20];
            new Random(3).nextBytes(bytes);
            heap.put("k", new Object[] {new Model("refused", 10), bytes});
            try (Relay relay = new Relay(server.url())) {
                relay.mostReplyBytes = 2 << 20;
                Process reader = JavaProcess.of(ProcessRole.class)
                        .options("-Xmx64m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")
                        .arguments("refuse", relay.url(), "k")
                        .start();
                processes.add(reader);
                BufferedReader lines = reader.inputReader();
                assertThat(lines.readLine()).isEqualTo("refused");
                relay.mostReplyBytes = Long.MAX_VALUE;
                assertThat(lines.readLine()).isEqualTo("CLASS_REJECTED");
            }
        });
    }

    @Tag("once")
    @Test
    void whatAKilledClientHadPublishedIsGivenBack() throws Exception {
        String url = line(start("serve", "0"));
        Process publisher = start("publish", url);
        long address = Long.parseLong(line(publisher));
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            assertThat(heap.at(address, Model.class).name).isEqualTo("published");
            kill(publisher);
            Eventually.holds("nothing is in use", () -> heap.status().usedBytes() == 0);
            fails(Reason.GROUP_GONE, () -> heap.at(address, Model.class));
        }
    }

    @Tag("once")
    @Test
    void filesOfAKilledServerAreDeletedOnRequestAndThoseOfOthersAreNot() throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withDirectory(folder);
        Process killed = start("serve", "0", folder.toString());
        line(killed);
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            assertThat(heap.sharesMemory()).isTrue();
            heap.put("k", "v");
            // Both servers run. This one has opened the files of its folder in all of its roles.
            assertThat(ExchangeServer.clean(options)).isZero();
            assertThat(line(start("clean", folder.toString()))).isEqualTo("0");
            kill(killed);
            assertThat(folder.toFile().list()).hasSize(2);
            assertThat(line(start("clean", folder.toString()))).isEqualTo("1");
            assertThat(folder.toFile().list()).hasSize(1);
            try (GlobalHeap other = Place.SAME_HOST.connect(server)) {
                assertThat(other.get("k", String.class)).isEqualTo("v");
            }
        }
    }

    @Tag("once")
    @Test
    void keysThatAreKeptOutliveAKilledServer() throws Exception {
        Process server = start("keep", folder.toString());
        String url = line(server);
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.put("k", new Model("kept", 5000));
            heap.put("removed", "v");
            heap.remove("removed");
            kill(server);
            fails(Reason.UNREACHABLE, () -> heap.find("k"));
            assertThat(ExchangeServer.clean(ExchangeServerOptions.port(0).withDirectory(folder)))
                    .isZero();
        }
        try (GlobalHeap heap = GlobalHeap.connect(line(start("keep", folder.toString())))) {
            assertThat(new Model("kept", 5000).isSame(heap.get("k", Model.class)))
                    .isTrue();
            assertThat(heap.list("")).hasSize(1);
        }
    }

    /** The writer ends, its server is killed, and two readers come one after the other. */
    @Tag("once")
    @Test
    void aPersistentStreamIsReadByOtherJvmsAfterItsServerWasKilled() throws Exception {
        String directory = Files.createDirectory(folder.resolve("server")).toString();
        String file = folder.resolve("objects").toString();
        Process server = start("keep", directory);
        Process writer = start("write-stream", line(server), file);
        assertThat(line(writer)).isEqualTo("true");
        assertThat(writer.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        kill(server);
        String url = line(start("keep", directory));
        for (int reader = 0; reader < 2; reader++) {
            assertThat(line(start("read-stream", url, file))).isEqualTo("of another JVM 5000 a text true");
        }
    }

    /** The new file of the keys is seen for a moment only, so the server is killed at once. */
    @Tag("once")
    @Test
    void aServerThatIsKilledWhileItWritesItsKeysAnewLosesNothing() throws Exception {
        Process server = start("keep", folder.toString());
        String url = line(server);
        Map<String, Long> acknowledged = new ConcurrentHashMap<>();
        Path files;
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            files = Path.of(heap.status().directory());
        }
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> replaceKeys(url, acknowledged));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(files.resolve("keys.new")) && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        kill(server);
        writing.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        assertThat(acknowledged).hasSize(500);
        try (GlobalHeap heap = GlobalHeap.connect(line(start("keep", folder.toString())))) {
            for (KeyInfo key : heap.list("")) {
                assertThat(heap.get(key.key(), Long.class)).isEqualTo(key.version());
                // One change may have been made without an answer.
                assertThat(key.version()).isBetween(acknowledged.get(key.key()), acknowledged.get(key.key()) + 1);
            }
            assertThat(heap.list("")).hasSize(500);
        }
    }

    /** Until the server has gone. */
    private static void replaceKeys(String url, Map<String, Long> acknowledged) {
        String prefix = "k".repeat(1000);
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            for (long version = 1; ; version++) {
                for (int i = 0; i < 500; i++) {
                    String key = prefix + i;
                    if (version == 1) {
                        heap.put(key, version);
                    } else {
                        heap.replace(key, version, version - 1);
                    }
                    acknowledged.put(key, version);
                }
            }
        } catch (ExchangeException e) {
            assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE);
        }
    }

    /** kill -9: the client does not hang, says so, and goes on with the next server, which cleans up. */
    @Tag("once")
    @Test
    void aKilledServerIsAClearErrorAndCanBeStartedAgain() throws Exception {
        // Nobody takes it while the server is away.
        String port = Integer.toString(Ports.take());
        Process server = start("serve", port);
        String url = line(server);
        GlobalHeapOptions options =
                GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
        try (GlobalHeap heap = GlobalHeap.connect(url, options)) {
            heap.put("k", "v");
            Path directory = Path.of(heap.status().directory());
            assertThat(directory).isDirectory();
            CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return new AssertionError(
                            "got " + heap.get("later", String.class, Duration.ofSeconds(2 * Eventually.MOST_SECONDS)));
                } catch (ExchangeException e) {
                    return e;
                }
            });
            TimeUnit.MILLISECONDS.sleep(100);
            kill(server);
            assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                    .hasMessageContaining(url)
                    .hasMessageContaining("'later'");
            fails(Reason.UNREACHABLE, () -> heap.get("k", String.class));
            // The client has deleted what the server left, because nobody can use it any more.
            assertThat(directory).doesNotExist();

            assertThat(line(start("serve", port))).isEqualTo(url);
            fails(Reason.KEY_MISSING, () -> heap.get("k", String.class, Duration.ZERO));
            heap.put("k", "again");
            assertThat(heap.get("k", String.class)).isEqualTo("again");
        }
    }
}
