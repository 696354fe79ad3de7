package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large objects from another host are made while their bytes arrive, with a secret and without. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ArrivingObjectsTest {
    private static final int PARTS = 5;
    private static final int PART_BYTES = 1_000_001;
    private static final String LAST = "the text at the end";

    private static final AtomicInteger MADE = new AtomicInteger();
    private static final AtomicReference<@Nullable GlobalHeap> HEAP_OF_HOOK = new AtomicReference<>();

    /** Tells when it is read. */
    private static final class Part implements Serializable {
        private static final long serialVersionUID = 1L;

        private final byte[] bytes = bytes();

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            GlobalHeap heap = HEAP_OF_HOOK.get();
            if (heap != null) {
                heap.get("other", int[].class);
            }
            MADE.incrementAndGet();
        }
    }

    private interface Use {
        void use(ExchangeServer server, Relay relay, GlobalHeap heap) throws Exception;
    }

    /** A client with one connection, so that one that is lost would be missed. */
    private static void run(boolean withSecret, Use use) throws Exception {
        byte[] secret = new byte[16];
        ExchangeServerOptions options = Place.OTHER_HOST.server();
        try (ExchangeServer server = ExchangeServer.start(withSecret ? options.withSecret(secret) : options);
                Relay relay = new Relay(server.url());
                GlobalHeap heap = GlobalHeap.connect(relay.url(), client(withSecret))) {
            heap.put("k", graph());
            use.use(server, relay, heap);
            relay.mostReplyBytes = Long.MAX_VALUE;
            relay.cuts = false;
            heap.put("l", new byte[][] {bytes(), bytes()});
            assertThat(heap.get("l", byte[][].class)).isDeepEqualTo(new byte[][] {bytes(), bytes()});
        }
    }

    private static GlobalHeapOptions client(boolean withSecret) {
        GlobalHeapOptions options = Place.OTHER_HOST.client().withConnections(1);
        return withSecret ? options.withSecret(new byte[16]) : options;
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[PART_BYTES];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static Object[] graph() {
        Object[] graph = new Object[PARTS + 1];
        for (int i = 0; i < PARTS; i++) {
            graph[i] = new Part();
        }
        graph[PARTS] = LAST;
        return graph;
    }

    private static CompletableFuture<Object[]> read(GlobalHeap heap) {
        return CompletableFuture.supplyAsync(() -> heap.get("k", Object[].class));
    }

    /** Two of five megabytes pass. */
    private static CompletableFuture<Object[]> begin(Relay relay, GlobalHeap heap) {
        relay.mostReplyBytes = relay.replyBytes() + (2 << 20);
        return read(heap);
    }

    @BeforeEach
    void forget() {
        MADE.set(0);
        HEAP_OF_HOOK.set(null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anObjectIsMadeWhileItsBytesArrive(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            CompletableFuture<Object[]> reading = begin(relay, heap);
            Eventually.holds("the first object is made", () -> MADE.get() > 0);
            assertThat(reading).isNotDone();
            relay.mostReplyBytes = Long.MAX_VALUE;
            Object[] read = reading.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(MADE).hasValue(PARTS);
            assertThat(((Part) read[PARTS - 1]).bytes).isEqualTo(bytes());
            assertThat(read[PARTS]).isEqualTo(LAST);
        });
    }

    /** What was made is thrown away. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void damageAtTheEndIsNoticed(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            damage(server, LAST);
            fails(Reason.DAMAGED, () -> heap.get("k", Object[].class));
        });
    }

    /** Changes a byte of a text in the files of a server, in each place where it is. */
    private static void damage(ExchangeServer server, String text) throws IOException {
        int damaged = 0;
        try (Stream<Path> files = Files.list(Path.of(server.status().directory()))) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith("chunk-"))
                    .toList()) {
                int at = new String(Files.readAllBytes(file), ISO_8859_1).lastIndexOf(text);
                if (at >= 0) {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.wrap(new byte[] {'X'}), at);
                    }
                    damaged++;
                }
            }
        }
        assertThat(damaged).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransferThatEndsEarlyIsTold(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            CompletableFuture<Object[]> reading = begin(relay, heap);
            Eventually.holds("the first object is made", () -> MADE.get() > 0);
            relay.cuts = true;
            assertThatThrownBy(() -> reading.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ExchangeException.class)
                    .hasMessageContaining("has closed the connection");
        });
    }

    /** The connection is free when all bytes have come, so hooks of classes can use it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hooksOfClassesReadOtherObjectsMeanwhile(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            heap.put("other", new int[] {1, 2, 3});
            HEAP_OF_HOOK.set(heap);
            assertThat(heap.get("k", Object[].class)).hasSize(PARTS + 1);
            assertThat(MADE).hasValue(PARTS);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void classesAreFiltered(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            Heapspan careful = Heapspan.builder().allow("java.lang.String").build();
            try (GlobalHeap other =
                    GlobalHeap.connect(relay.url(), client(withSecret).withHeapspan(careful))) {
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> other.get("k", Object[].class))
                            .isInstanceOfSatisfying(
                                    HeapspanException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED));
                }
                assertThat(MADE).hasValue(0);
            }
            assertThatThrownBy(() -> heap.get("k", List.class)).hasMessageContaining("java.lang.Object");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytesBehindAnImageAreRefused(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            byte[] image = Heapspan.create().encode(new byte[][] {bytes(), bytes()});
            byte[] longer = new byte[image.length + 12 + 1];
            System.arraycopy(image, 0, longer, 0, image.length);
            heap.putImage("longer", new ByteArrayInputStream(longer), "byte[][]");
            assertThatThrownBy(() -> heap.get("longer", byte[][].class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoIsInterruptedReadsNoMore(boolean withSecret) throws Exception {
        run(withSecret, (server, relay, heap) -> {
            relay.mostReplyBytes = relay.replyBytes() + (2 << 20);
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            Thread reader = new Thread(
                    () -> {
                        try {
                            heap.get("k", Object[].class);
                        } catch (ExchangeException e) {
                            failure.set(e);
                        }
                    },
                    "reader");
            reader.start();
            Eventually.holds("the first object is made", () -> MADE.get() > 0);
            reader.interrupt();
            reader.join(Eventually.MOST_MILLIS);
            assertThat(failure.get()).isInstanceOf(ExchangeException.class);
        });
    }
}
