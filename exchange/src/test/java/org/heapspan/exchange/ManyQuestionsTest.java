package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several threads of one client ask questions at the same time. Each thread gets its own answer. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ManyQuestionsTest {
    private static final int KEYS = 20;
    private static final int THREADS = 10;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    private CompletableFuture<Void> start(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    private static void await(List<CompletableFuture<Void>> all) throws Exception {
        for (CompletableFuture<Void> each : all) {
            each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Short and long: some come with the answer. */
    private static int[] value(int key) {
        int[] value = new int[1 + key * 500];
        value[0] = key;
        return value;
    }

    @ParameterizedTest
    @EnumSource
    void eachThreadGetsItsOwnAnswer(Place place) throws Exception {
        place.run((server, heap) -> {
            for (int key = 0; key < KEYS; key++) {
                heap.put("k" + key, value(key));
            }
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                all.add(start(() -> {
                    for (int times = 0; times < 100; times++) {
                        ask(heap, random.nextInt(KEYS));
                    }
                }));
            }
            await(all);
            for (int key = 0; key < KEYS; key++) {
                heap.remove("k" + key);
            }
            GlobalHeapTest.settled(server);
        });
    }

    private static void ask(GlobalHeap heap, int key) {
        String name = "k" + key;
        KeyInfo found = heap.find(name).orElseThrow();
        assertThat(found.key()).isEqualTo(name);
        assertThat(heap.get(name, int[].class)).isEqualTo(value(key));
        assertThat(heap.at(found.address(), int[].class)).isEqualTo(value(key));
        try (GObject<int[]> opened = heap.open(name, int[].class)) {
            assertThat(opened.read()).isEqualTo(value(key));
        }
        assertThat(heap.find("missing" + key)).isEmpty();
        fails(Reason.KEY_MISSING, () -> heap.get("missing" + key, int[].class, Duration.ZERO));
    }

    /** Those that wait for a key do not keep others from their answers. */
    @ParameterizedTest
    @EnumSource
    void whoWaitsForAKeyKeepsNobodyWaiting(Place place) throws Exception {
        place.run((server, heap) -> {
            heap.put("k", 1);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(start(
                        () -> assertThat(heap.get("later", Integer.class, Duration.ofSeconds(Eventually.MOST_SECONDS)))
                                .isEqualTo(2)));
            }
            for (int i = 0; i < 200; i++) {
                assertThat(heap.get("k", Integer.class)).isEqualTo(1);
            }
            assertThat(all).noneMatch(CompletableFuture::isDone);
            heap.put("later", 2);
            await(all);
        });
    }
}
