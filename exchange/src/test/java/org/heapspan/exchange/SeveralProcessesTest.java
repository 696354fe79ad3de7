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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException.Reason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
final class SeveralProcessesTest {
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                ProcessRole.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
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
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCommittedKeyOutlivesItsJvmAndIsReadByAnother() throws Exception {
        String url = line(start("serve", "0"));
        Process writer = start("put", url, "k");
        assertThat(line(writer)).isEqualTo("true");
        assertThat(writer.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(line(start("get", url, "k"))).isEqualTo("of another JVM 5000 true");
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            assertThat(new Model("of another JVM", 5000).isSame(heap.get("k", Model.class)))
                    .isTrue();
        }
    }

    @Test
    void whatAKilledClientHadPublishedIsGivenBack() throws Exception {
        String url = line(start("serve", "0"));
        Process publisher = start("publish", url);
        long address = Long.parseLong(line(publisher));
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            assertThat(heap.at(address, Model.class).name).isEqualTo("published");
            kill(publisher);
            for (int i = 0; i < 300 && heap.status().usedBytes() > 0; i++) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(heap.status().usedBytes()).isZero();
            fails(Reason.GROUP_GONE, () -> heap.at(address, Model.class));
        }
    }

    /** kill -9: the client does not hang, says so, and goes on with the next server, which cleans up. */
    @Test
    void aKilledServerIsAClearErrorAndCanBeStartedAgain() throws Exception {
        Process server = start("serve", "0");
        String url = line(server);
        String port = url.substring(url.lastIndexOf(':') + 1);
        GlobalHeapOptions options = GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(5));
        try (GlobalHeap heap = GlobalHeap.connect(url, options)) {
            heap.put("k", "v");
            Path directory = Path.of(heap.status().directory());
            assertThat(directory).isDirectory();
            CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return new AssertionError("got " + heap.get("later", String.class, Duration.ofSeconds(60)));
                } catch (ExchangeException e) {
                    return e;
                }
            });
            TimeUnit.MILLISECONDS.sleep(100);
            kill(server);
            assertThat(waiting.get(10, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                    .hasMessageContaining(url)
                    .hasMessageContaining("'later'");
            fails(Reason.UNREACHABLE, () -> heap.get("k", String.class));

            assertThat(line(start("serve", port))).isEqualTo(url);
            assertThat(Files.exists(directory)).isFalse();
            fails(Reason.KEY_MISSING, () -> heap.get("k", String.class, Duration.ZERO));
            heap.put("k", "again");
            assertThat(heap.get("k", String.class)).isEqualTo("again");
        }
    }
}
