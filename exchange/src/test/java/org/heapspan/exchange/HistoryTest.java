package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.testing.History.Kind.GET;
import static org.heapspan.testing.History.Kind.PUT;
import static org.heapspan.testing.History.Kind.REMOVE;
import static org.heapspan.testing.History.NOTHING;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.History;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.Ports;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever clients do with keys at the same time, and whenever their server is killed, looks as if they had done it one after the other. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class HistoryTest {
    private static final int KEYS = 4;
    private static final int KILLS = 3;
    private static final int OPERATIONS_BETWEEN_KILLS = 60;

    @TempDir
    Path folder;

    private static History history(Object[]... operations) {
        History history = new History();
        for (Object[] each : operations) {
            history.add("k", (History.Kind) each[0], (int) each[1], (boolean) each[2], (int) each[3], (int) each[4]);
        }
        return history;
    }

    private static Object[] of(Object... operation) {
        return operation;
    }

    @Test
    void linearizableHistoriesAreAccepted() {
        assertThat(history().violations()).isEmpty();
        assertThat(history(of(PUT, 1, true, 0, 1), of(GET, 1, true, 2, 3), of(REMOVE, 0, true, 4, 5))
                        .violations())
                .isEmpty();
        // At the same time, in either order.
        assertThat(history(of(PUT, 1, true, 0, 9), of(GET, NOTHING, true, 1, 2), of(GET, 1, true, 3, 4))
                        .violations())
                .isEmpty();
        assertThat(history(of(PUT, 1, true, 0, 9), of(PUT, 2, false, 1, 8), of(GET, 1, true, 2, 7))
                        .violations())
                .isEmpty();
        // Done late, or never.
        History unknown = history(of(GET, NOTHING, true, 5, 6), of(GET, 1, true, 7, 8));
        unknown.addUnknown("k", PUT, 1, 0);
        unknown.addUnknown("k", REMOVE, NOTHING, 0);
        assertThat(unknown.violations()).isEmpty();
    }

    @Test
    void historiesAreOfAnyLength() {
        History history = new History();
        for (int i = 0; i < 3_000; i++) {
            history.add("k", PUT, i + 1, true, 6L * i, 6L * i + 1);
            history.add("k", GET, i + 1, true, 6L * i + 2, 6L * i + 3);
            history.add("k", REMOVE, NOTHING, true, 6L * i + 4, 6L * i + 5);
        }
        assertThat(history.violations()).isEmpty();
        history.add("k", GET, 1, true, 20_000, 20_001);
        assertThat(history.violations()).startsWith("k: ");
    }

    @Test
    void othersAreNot() {
        // A lost put, an old value, two puts of one key, a value of nobody, a removal that came back.
        assertThat(history(of(PUT, 1, true, 0, 1), of(GET, NOTHING, true, 2, 3)).violations())
                .contains("k: ");
        assertThat(history(
                                of(PUT, 1, true, 0, 1),
                                of(REMOVE, 0, true, 2, 3),
                                of(PUT, 2, true, 4, 5),
                                of(GET, 1, true, 6, 7))
                        .violations())
                .isNotEmpty();
        assertThat(history(of(PUT, 1, true, 0, 9), of(PUT, 2, true, 0, 9)).violations())
                .isNotEmpty();
        assertThat(history(of(GET, 7, true, 0, 1)).violations()).isNotEmpty();
        History unknown = history(of(PUT, 1, true, 0, 1), of(GET, NOTHING, true, 5, 6), of(GET, 1, true, 7, 8));
        unknown.addUnknown("k", REMOVE, NOTHING, 2);
        assertThat(unknown.violations()).isNotEmpty();
    }

    private Process server(int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        JavaProcess.testClassPath(),
                        ProcessRole.class.getName(),
                        "keep",
                        folder.toString(),
                        Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String url(Process server) throws IOException {
        BufferedReader said = server.inputReader();
        return String.valueOf(said.readLine());
    }

    /** Half of the clients use the server, and half of them a keeper that has joined it. */
    @Test
    void keysAreLinearizableWhileTheirServerIsKilledAgainAndAgain() throws Exception {
        long seed = System.nanoTime();
        History history = new History();
        AtomicBoolean ended = new AtomicBoolean();
        // Nobody takes it while the server is away.
        int port = Ports.take();
        Process server = server(port);
        try {
            String url = url(server);
            try (ExchangeServer keeper = ExchangeServer.start(
                    ExchangeServerOptions.port(0).withMemory(64 << 20).joining(url))) {
                List<CompletableFuture<Void>> clients = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    int number = i;
                    // Before the server is killed for the first time.
                    GlobalHeap heap = GlobalHeap.connect(i % 2 == 0 ? url : keeper.url());
                    clients.add(CompletableFuture.runAsync(
                            () -> work(heap, new Random(seed + number), number, history, ended), Threads.FOR_EACH));
                }
                for (int i = 0; i < KILLS; i++) {
                    history.awaitMore(OPERATIONS_BETWEEN_KILLS, 600, clients);
                    server.destroyForcibly().waitFor();
                    server = server(port);
                    assertThat(url(server)).isEqualTo(url);
                }
                history.awaitMore(OPERATIONS_BETWEEN_KILLS, 600, clients);
                ended.set(true);
                for (CompletableFuture<Void> each : clients) {
                    each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
                }
            }
        } finally {
            ended.set(true);
            server.destroyForcibly().waitFor();
        }
        assertThat(history.violations()).as("seed %d", seed).isEmpty();
    }

    private static void work(GlobalHeap heap, Random random, int number, History history, AtomicBoolean ended) {
        int value = number;
        try (heap) {
            History.Keys keys = new NumbersOf(heap);
            while (!ended.get()) {
                value += 100;
                History.Kind kind = History.Kind.values()[random.nextInt(3)];
                String key = "k" + random.nextInt(KEYS);
                try {
                    history.perform(keys, kind, key, value);
                    // So that other keys and clients have their turn, and the search its end.
                    TimeUnit.MILLISECONDS.sleep(2);
                } catch (ExchangeException e) {
                    awaitServer(heap, ended);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Attempts without a server would only make the search longer. */
    private static void awaitServer(GlobalHeap heap, AtomicBoolean ended) throws InterruptedException {
        while (!ended.get()) {
            TimeUnit.MILLISECONDS.sleep(20);
            try {
                heap.find("k0");
                return;
            } catch (ExchangeException e) {
                assertThat(e.reason()).isNotEqualTo(Reason.DAMAGED);
            }
        }
    }

    private record NumbersOf(GlobalHeap heap) implements History.Keys {
        @Override
        public boolean put(String key, int value) {
            try {
                heap.put(key, value);
                return true;
            } catch (ExchangeException e) {
                return unless(Reason.KEY_EXISTS, e, false);
            }
        }

        @Override
        public int get(String key) {
            try {
                Integer got = heap.get(key, Integer.class, Duration.ZERO);
                return got == null ? NOTHING : got;
            } catch (ExchangeException e) {
                return unless(Reason.KEY_MISSING, e, NOTHING);
            }
        }

        @Override
        public boolean remove(String key) {
            return heap.remove(key);
        }

        private static <T> T unless(Reason expected, ExchangeException e, T answer) {
            if (e.reason() != expected) {
                throw e;
            }
            return answer;
        }
    }
}
