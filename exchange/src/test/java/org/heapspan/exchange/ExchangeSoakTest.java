package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The global heap with as much as it is made for: {@code ./dev soak exchange}. */
@Tag("soak")
@Timeout(1_800)
final class ExchangeSoakTest {
    private static final int CLIENTS = 1_000;
    private static final int KEYS = 1_000_000;
    private static final int THREADS = 8;
    private static final long GIGABYTES = Integer.getInteger("heapspan.exchange.soak.gigabytes", 2);

    private interface Work {
        void run(int number) throws Exception;
    }

    /** Runs work in some threads, each with its number. */
    private static void inThreads(int count, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                all.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                work.run(number);
                            } catch (Exception e) {
                                throw new AssertionError("thread " + number, e);
                            }
                        },
                        threads));
            }
            for (CompletableFuture<Void> each : all) {
                each.get(20, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** All of them are connected at the same time. Half of them are clients of a keeper. */
    @Test
    void aThousandClients() throws Exception {
        ExchangeServerOptions many = ExchangeServerOptions.port(0)
                .withMemory(1L << 30)
                .withConnections(4 * CLIENTS)
                .withConnectionsOfClient(4 * CLIENTS);
        try (ExchangeServer server = ExchangeServer.start(many);
                ExchangeServer keeper = ExchangeServer.start(many.joining(server.url()))) {
            GlobalHeap[] heaps = new GlobalHeap[CLIENTS];
            GlobalHeapOptions options = GlobalHeapOptions.defaults().withConnections(1);
            inThreads(THREADS, thread -> {
                for (int i = thread; i < CLIENTS; i += THREADS) {
                    heaps[i] = GlobalHeap.connect((i % 2 == 0 ? server : keeper).url(), options);
                }
            });
            assertThat(server.status().sessions() + keeper.status().sessions()).isEqualTo(CLIENTS + 1);
            inThreads(64, thread -> {
                for (int i = thread; i < CLIENTS; i += 64) {
                    for (int round = 0; round < 5; round++) {
                        String key = "k" + i;
                        heaps[i].put(key, new int[] {i, round});
                        assertThat(heaps[(i + 1) % CLIENTS].get(key, int[].class))
                                .containsExactly(i, round);
                        assertThat(heaps[(i + 2) % CLIENTS].remove(key)).isTrue();
                    }
                }
            });
            inThreads(THREADS, thread -> {
                for (int i = thread; i < CLIENTS; i += THREADS) {
                    heaps[i].close();
                }
            });
            settled(keeper);
            settled(server);
            Eventually.holds(
                    "no sessions",
                    () -> keeper.status().sessions() == 0 && server.status().sessions() == 1);
        }
    }

    /** Each takes a page, so that is 4 GB. */
    @Test
    void aMillionKeys() throws Exception {
        try (ExchangeServer server =
                        ExchangeServer.start(ExchangeServerOptions.port(0).withMemory(5L << 30));
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            inThreads(THREADS, thread -> {
                for (int i = thread; i < KEYS; i += THREADS) {
                    heap.put("key/" + i, i);
                }
            });
            assertThat(server.status().keys()).isEqualTo(KEYS);
            inThreads(THREADS, thread -> {
                Random random = new Random(thread);
                for (int i = 0; i < 10_000; i++) {
                    int key = random.nextInt(KEYS);
                    assertThat(heap.get("key/" + key, Integer.class)).isEqualTo(key);
                }
            });
            assertThat(heap.list("key/99999")).hasSize(11);
            assertThat(heap.list("")).hasSize(KEYS);
            inThreads(THREADS, thread -> {
                for (int i = thread; i < KEYS; i += THREADS) {
                    heap.remove("key/" + i);
                }
            });
            settled(server);
        }
    }

    /** Bytes that only their place tells, so that nothing needs to hold them. */
    private static final class Bytes extends InputStream {
        private long at;

        @Override
        public int read() {
            return at < GIGABYTES << 30 ? next() : -1;
        }

        private int next() {
            long place = at++;
            return (int) (place * 31 + (place >>> 20)) & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            Objects.checkFromIndexSize(offset, length, target.length);
            int count = (int) Math.min(length, (GIGABYTES << 30) - at);
            for (int i = 0; i < count; i++) {
                target[offset + i] = (byte) next();
            }
            return count == 0 ? -1 : count;
        }
    }

    private static final class Sum extends OutputStream {
        private final CRC32C checksum = new CRC32C();

        @Override
        public void write(int value) {
            checksum.update(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            checksum.update(bytes, offset, length);
        }
    }

    /** Through shared memory, through a connection, and from the copy of a keeper. */
    @Test
    void aLargeGroup() throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(0).withMemory((GIGABYTES << 30) + (1 << 20));
        Sum expected = new Sum();
        new Bytes().transferTo(expected);
        try (ExchangeServer server = ExchangeServer.start(options);
                ExchangeServer keeper = ExchangeServer.start(options.joining(server.url()));
                GlobalHeap heap = GlobalHeap.connect(server.url());
                GlobalHeap fetching = GlobalHeap.connect(
                        server.url(), GlobalHeapOptions.defaults().withoutMapping());
                GlobalHeap atKeeper = GlobalHeap.connect(keeper.url())) {
            heap.putImage("large", new Bytes(), "", GIGABYTES << 30);
            for (GlobalHeap reader : List.of(heap, fetching, atKeeper, atKeeper)) {
                Sum found = new Sum();
                assertThat(reader.copyImage("large", found)).isEqualTo(GIGABYTES << 30);
                assertThat(found.checksum.getValue()).isEqualTo(expected.checksum.getValue());
            }
            heap.remove("large");
            settled(server);
            settled(keeper);
        }
    }
}
