package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.heapspan.Heapspan;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.client.Lease;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of a group stay as they are while somebody reads them, and who reads bytes that have gone hears of it. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class LeaseInUseTest {
    /** More than fit into one frame of an image. */
    private static final int NUMBERS = 100_000;

    /** Few enough to be read as zeros without an error. */
    private static final int FEW_NUMBERS = 10_000;

    private interface Work {
        void run() throws Exception;
    }

    private static final AtomicReference<@Nullable Work> MEANWHILE = new AtomicReference<>();

    /** Does something else once, in the middle of the reading of an object. */
    private static final class Interlude implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            Work work = MEANWHILE.getAndSet(null);
            if (work != null) {
                try {
                    work.run();
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        }
    }

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    /** What is read after the interlude would be zeros if it had gone. */
    private static Object[] graph() {
        return graph(NUMBERS);
    }

    private static Object[] graph(int length) {
        return new Object[] {new Interlude(), numbers(length)};
    }

    private static long[] numbers(int length) {
        long[] numbers = new long[length];
        Arrays.setAll(numbers, i -> i + 1L);
        return numbers;
    }

    private static void isWhole(Object @Nullable [] read) {
        assertThat(read).hasSize(2);
        assertThat((long[]) read[1]).isEqualTo(numbers(NUMBERS));
    }

    private static void flush(GlobalHeap heap) {
        heap.access().client().flush();
    }

    @ParameterizedTest
    @EnumSource
    void aHandleThatIsClosedMeanwhileIsReadToTheEnd(Place place) throws Exception {
        place.run((server, heap) -> {
            GroupHandle<Object[]> handle = heap.publish(graph());
            AtomicInteger groups = new AtomicInteger();
            MEANWHILE.set(() -> {
                handle.close();
                flush(heap);
                groups.set(server.status().groups());
            });
            isWhole(handle.read(Object[].class));
            assertThat(groups).hasValue(1);
            fails(Reason.CLOSED, () -> handle.read(Object[].class));
            settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theLastOfSeveralReadersEndsTheLease(Place place) throws Exception {
        place.run((server, heap) -> {
            GObject<Object[]> opened = opened(heap);
            MEANWHILE.set(() -> {
                MEANWHILE.set(() -> {
                    opened.release();
                    fails(Reason.CLOSED, opened::read);
                });
                isWhole(opened.read());
                flush(heap);
            });
            isWhole(opened.read());
            settled(server);
        });
    }

    private static GObject<Object[]> opened(GlobalHeap heap) {
        heap.put("k", graph());
        GObject<Object[]> opened = heap.open("k", Object[].class);
        heap.remove("k");
        return opened;
    }

    /** The handle may be closed just before its reader begins. */
    @ParameterizedTest
    @EnumSource
    void aLeaseThatHasEndedIsNotRead(Place place) throws Exception {
        place.run((server, heap) -> {
            GroupHandle<Object[]> handle = heap.publish(graph());
            HeapAccess access = heap.access();
            Lease lease = access.locate("lease", handle.address());
            access.client().release(lease);
            fails(Reason.CLOSED, () -> access.read("read", lease, Object[].class));
            isWhole(handle.read(Object[].class));
            handle.close();
            settled(server);
        });
    }

    /** A client that was not heard, as one that was stopped for a while. It may have another session by the end. */
    @ParameterizedTest
    @CsvSource({FEW_NUMBERS + ",true", FEW_NUMBERS + ",false", NUMBERS + ",true", NUMBERS + ",false"})
    void bytesThatHaveGoneMeanwhileAreNoticed(int length, boolean goesOn) throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withLease(Duration.ofMillis(500));
        try (ExchangeServer server = ExchangeServer.start(options);
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(2)))) {
            assertThat(heap.sharesMemory()).isTrue();
            GroupHandle<Object[]> handle = heap.publish(graph(length));
            MEANWHILE.set(() -> {
                relay.losesRequests = true;
                settled(server);
                // Their space counts as free before they go.
                Eventually.holds("the bytes have gone", () -> !hasChunks(server));
                relay.losesRequests = !goesOn;
                if (goesOn) {
                    heap.status();
                }
            });
            fails(Reason.GROUP_GONE, () -> handle.read(Object[].class));
            relay.losesRequests = false;
        }
    }

    /** The next server with the same folder does not need these bytes, and the client does not know of it yet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytesStayForAClientOfAServerThatWasStartedAgain(boolean withKey, @TempDir Path folder) throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(Ports.take())
                .withChunkBytes(1 << 20)
                .withMemory(64 << 20)
                .withDirectory(folder)
                .keepingKeys(Duration.ZERO);
        List<ExchangeServer> servers = new ArrayList<>(List.of(ExchangeServer.start(options)));
        try (GlobalHeap heap = GlobalHeap.connect(servers.get(0).url())) {
            // In the same file, which stays.
            heap.put("kept", "value");
            if (withKey) {
                heap.put("k", graph());
            }
            GroupHandle<Object[]> handle =
                    withKey ? heap.lease(heap.find("k").orElseThrow().address()) : heap.publish(graph());
            isWhole(handle.read(Object[].class));
            MEANWHILE.set(() -> {
                servers.get(0).close();
                servers.add(ExchangeServer.start(options));
                try (GlobalHeap other = GlobalHeap.connect(servers.get(1).url())) {
                    assertThat(other.remove("k")).isEqualTo(withKey);
                    assertThat(other.remove("kept")).isTrue();
                }
            });
            isWhole(handle.read(Object[].class));
            heap.status();
            fails(Reason.GROUP_GONE, () -> handle.read(Object[].class));
        } finally {
            for (ExchangeServer each : servers) {
                each.close();
            }
        }
    }

    /** The server hears of a client over the only connection that it may have, while its image is written to the files. */
    @Test
    void aWriterWithOneConnectionMayTakeLongerThanALease() throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withLease(Duration.ofSeconds(1));
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.connectAtLast(
                        server.url(), GlobalHeapOptions.defaults().withConnections(1))) {
            assertThat(heap.sharesMemory()).isTrue();
            byte[] image = Heapspan.builder().build().encode(numbers(NUMBERS));
            InputStream slow = new FilterInputStream(new ByteArrayInputStream(image)) {
                private boolean hasWaited;

                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    if (!hasWaited) {
                        hasWaited = true;
                        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(4));
                    }
                    return super.read(target, offset, length);
                }
            };
            assertThat(heap.putImage("k", slow, "", image.length)).isEqualTo(1);
            assertThat(heap.get("k", long[].class)).isEqualTo(numbers(NUMBERS));
        }
    }

    /** Files may go while they are listed. */
    private static boolean hasChunks(ExchangeServer server) {
        String[] files = new File(server.status().directory()).list();
        return files == null || Arrays.stream(files).anyMatch(each -> each.startsWith("chunk-"));
    }

    @Test
    void closingAHeapDoesNotTakeAwayWhatIsStillRead() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap = Place.connectAtLast(
                        server.url(), GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(1)))) {
            GroupHandle<Object[]> handle = heap.publish(graph());
            AtomicInteger groups = new AtomicInteger();
            MEANWHILE.set(() -> {
                CompletableFuture.runAsync(heap::close).get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
                groups.set(server.status().groups());
                fails(Reason.CLOSED, () -> handle.read(Object[].class));
            });
            isWhole(handle.read(Object[].class));
            assertThat(groups).hasValue(1);
        }
    }
}
