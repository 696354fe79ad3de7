package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(Eventually.TEST_SECONDS)
final class GlobalHeapTest {
    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    static void fails(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ExchangeException.class,
                        e -> assertThat(e.reason()).as(e.toString()).isEqualTo(reason));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsPutIsGot(Place place) throws Exception {
        place.run((server, heap) -> {
            assertThat(heap.sharesMemory()).isEqualTo(place != Place.OTHER_HOST);
            Model model = new Model("a", 1000);
            assertThat(heap.put("model/v1", model)).isEqualTo(1);
            assertThat(model.isSame(heap.get("model/v1", Model.class))).isTrue();
            assertThat(heap.get("model/v1", Model.class)).isNotSameAs(heap.get("model/v1", Model.class));
            heap.put("nothing", null);
            assertThat(heap.get("nothing", Object.class)).isNull();
            try (GlobalHeap other = place.connect(server)) {
                assertThat(model.isSame(other.get("model/v1", Model.class))).isTrue();
            }
        });
    }

    /** Lengths around pages, frames and chunks. */
    @ParameterizedTest
    @EnumSource
    void groupsHaveAnyLength(Place place) throws Exception {
        place.run((server, heap) -> {
            for (int length :
                    new int[] {0, 1, 4000, 4096, 4100, 262_000, 262_144, 263_000, 1 << 20, (1 << 20) + 1, (5 << 20) + 77
                    }) {
                byte[] bytes = new byte[length];
                for (int i = 0; i < length; i++) {
                    bytes[i] = (byte) (i * 7);
                }
                heap.put("bytes" + length, bytes);
                assertThat(heap.get("bytes" + length, byte[].class))
                        .as("%d bytes", length)
                        .isEqualTo(bytes);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aMissingKeyIsNamedWithServerAndDeadline(Place place) throws Exception {
        place.run((server, heap) -> {
            long start = System.nanoTime();
            assertThatThrownBy(() -> heap.get("no/such", String.class, Duration.ofMillis(60)))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("'no/such'")
                    .hasMessageContaining(server.url())
                    .hasMessageContaining("deadline of 60 ms");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(60));
            fails(Reason.KEY_MISSING, () -> heap.get("no/such", String.class, Duration.ZERO));
        });
    }

    /** Longer than the server waits at once. */
    @ParameterizedTest
    @EnumSource
    void aGetWaitsForTheCommit(Place place) throws Exception {
        place.run((server, heap) -> {
            CompletableFuture<String> waiting = CompletableFuture.supplyAsync(
                    () -> heap.get("late", String.class, Duration.ofSeconds(2 * Eventually.MOST_SECONDS)));
            TimeUnit.MILLISECONDS.sleep(1_200);
            assertThat(waiting).isNotDone();
            heap.put("late", "value");
            assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isEqualTo("value");
        });
    }

    @ParameterizedTest
    @EnumSource
    void aKeyIsCommittedOnceAndReplacedByVersion(Place place) throws Exception {
        place.run((server, heap) -> {
            heap.put("k", "one");
            fails(Reason.KEY_EXISTS, () -> heap.put("k", "two"));
            assertThat(heap.get("k", String.class)).isEqualTo("one");
            assertThat(heap.replace("k", "two", 1)).isEqualTo(2);
            assertThat(heap.get("k", String.class)).isEqualTo("two");
            fails(Reason.OTHER_VERSION, () -> heap.replace("k", "three", 1));
            assertThat(heap.remove("k")).isTrue();
            assertThat(heap.remove("k")).isFalse();
            fails(Reason.KEY_MISSING, () -> heap.get("k", String.class, Duration.ZERO));
        });
    }

    /** HotCloud's three stages. */
    @ParameterizedTest
    @EnumSource
    void anObjectIsReservedPopulatedCommittedAndReleased(Place place) throws Exception {
        place.run((server, heap) -> {
            Model model = new Model("staged", 2000);
            GObject<Model> object = heap.reserve("k", 64 << 10);
            object.populate(model);
            fails(Reason.KEY_MISSING, () -> heap.get("k", Model.class, Duration.ZERO));
            assertThat(object.commit()).isEqualTo(1);
            object.release();
            assertThat(model.isSame(heap.get("k", Model.class))).isTrue();
            fails(Reason.CLOSED, object::commit);
            fails(Reason.CLOSED, () -> object.populate(model));

            try (GObject<Model> opened = heap.open("k", Model.class)) {
                heap.remove("k");
                assertThat(model.isSame(opened.read())).isTrue();
                assertThat(model.isSame(opened.read())).isTrue();
                opened.release();
                fails(Reason.CLOSED, opened::read);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void theThreeStagesReplaceAVersion(Place place) throws Exception {
        place.run((server, heap) -> {
            Model first = new Model("first", 10);
            Model second = new Model("second", 20_000);
            heap.put("k", first);
            try (GObject<Model> object = heap.reserve("k", 64 << 10)) {
                assertThatThrownBy(() -> object.commit(0)).isInstanceOf(IllegalArgumentException.class);
                object.populate(second);
                assertThatThrownBy(() -> object.commit(-1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("expected 1 or more");
                try (GObject<Model> opened = heap.open("k", Model.class)) {
                    assertThat(object.commit(1)).isEqualTo(2);
                    assertThat(first.isSame(opened.read())).isTrue();
                }
            }
            assertThat(second.isSame(heap.get("k", Model.class))).isTrue();
            for (long version : new long[] {1, 3}) {
                fails(Reason.OTHER_VERSION, () -> commit(heap, "k", version));
            }
            fails(Reason.OTHER_VERSION, () -> commit(heap, "none", 1));
            assertThat(second.isSame(heap.get("k", Model.class))).isTrue();
            // Longer than the space that was reserved.
            assertThat(commit(heap, "k", 2)).isEqualTo(3);
            assertThat(heap.get("k", int[].class)).hasSize(100_000);
            heap.remove("k");
            settled(server);
        });
    }

    private static long commit(GlobalHeap heap, String key, long version) {
        try (GObject<int[]> object = heap.reserve(key, 1)) {
            object.populate(new int[100_000]);
            return object.commit(version);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHintMayBeTooSmallAndAReservationAbandoned(Place place) throws Exception {
        place.run((server, heap) -> {
            try (GObject<int[]> object = heap.reserve("k", 1)) {
                object.populate(new int[100_000]);
                object.commit();
            }
            assertThat(heap.get("k", int[].class)).hasSize(100_000);
            try (GObject<String> object = heap.reserve("other", 100)) {
                fails(Reason.CLOSED, object::commit);
                object.populate("never seen");
            }
            fails(Reason.KEY_MISSING, () -> heap.get("other", String.class, Duration.ZERO));
            heap.remove("k");
            settled(server);
        });
    }

    /** Waits until nothing is in use. */
    static void settled(ExchangeServer server) throws Exception {
        Eventually.holds("nothing is in use", () -> server.status().usedBytes() == 0);
        assertThat(server.status().groups()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aPublishedGroupHasAnAddress(Place place) throws Exception {
        place.run((server, heap) -> {
            Model model = new Model("published", 500);
            GroupHandle<Model> handle = heap.publish(model);
            long address = handle.address();
            try (GlobalHeap reader = place.connect(server)) {
                assertThat(model.isSame(reader.at(address, Model.class))).isTrue();
                GroupHandle<Model> second = reader.lease(address);
                handle.close();
                assertThat(model.isSame(second.read(Model.class))).isTrue();
                second.close();
                fails(Reason.CLOSED, () -> second.read(Model.class));
            }
            fails(Reason.CLOSED, () -> handle.read(Model.class));
            settled(server);
            fails(Reason.GROUP_GONE, () -> heap.at(address, Model.class));
        });
    }

    /** The lease of the last time goes on, and ends when the reading has ended. */
    @Test
    void whoWaitsForEverWaitsForAYear() throws Exception {
        Duration ever = ChronoUnit.FOREVER.getDuration();
        ExchangeServerOptions options =
                Place.SAME_HOST.server().withLease(ever).withHandOver(ever).withTimeout(ever);
        GlobalHeapOptions patient =
                GlobalHeapOptions.defaults().withDeadline(ever).withTimeout(ever);
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(server.url(), patient)) {
            heap.put("k", "v");
            assertThat(heap.get("k", String.class, ever)).isEqualTo("v");
            try (GObject<String> opened = heap.open("k", String.class)) {
                assertThat(opened.read()).isEqualTo("v");
            }
        }
    }

    @Test
    void aGroupThatIsReadAgainAndAgainNeedsFewMessages() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            Model model = new Model("again", 10);
            heap.put("again", model);
            long address = heap.find("again").orElseThrow().address();
            try (Relay relay = new Relay(server.url());
                    GlobalHeap reader = GlobalHeap.connect(relay.url())) {
                GroupHandle<Model> handle = reader.lease(address);
                // Every twentieth of a second there are some, so a machine must be fast enough once.
                Eventually.holds("few bytes of messages for a hundred reads", () -> {
                    int heard = relay.heard.size();
                    for (int i = 0; i < 100; i++) {
                        assertThat(model.isSame(reader.at(address, Model.class)))
                                .isTrue();
                    }
                    return relay.heard.size() - heard < 100 * 12;
                });
                Eventually.holds("only the handle is left", () -> leases(heap) == 1);
                handle.close();
                Eventually.holds("nothing is left", () -> leases(heap) == 0);
                heap.remove("again");
                settled(server);
                fails(Reason.GROUP_GONE, () -> reader.at(address, Model.class));
            }
        });
    }

    /** By shared memory up to 4 KB, by a connection up to 32 KB. Longer ones are leased, so that they can be read. */
    @Test
    void aShortObjectComesWithTheAnswerAndIsNotLeased() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            try (GlobalHeap remote = GlobalHeap.connect(
                    server.url(), GlobalHeapOptions.defaults().withoutMapping())) {
                int[] lengths = {0, 4_000, 4_100, 32_000, 33_000};
                int ofMapping = 2;
                int ofConnection = 4;
                for (int i = 0; i < lengths.length; i++) {
                    byte[] value = new byte[lengths[i]];
                    Arrays.fill(value, (byte) i);
                    heap.put("again", value);
                    assertThat(leasesWhile(heap, heap, value))
                            .as(lengths[i] + " bytes")
                            .isEqualTo(i >= ofMapping);
                    assertThat(leasesWhile(heap, remote, value))
                            .as(lengths[i] + " bytes by a connection")
                            .isEqualTo(i >= ofConnection);
                    heap.remove("again");
                }
            }
        });
    }

    /** Whether a lease was seen while an object is read again and again. */
    private static boolean leasesWhile(GlobalHeap heap, GlobalHeap reader, byte[] value) throws Exception {
        Eventually.holds("earlier leases have ended", () -> leases(heap) == 0);
        boolean seen = false;
        for (int i = 0; i < 30; i++) {
            assertThat(reader.get("again", byte[].class)).isEqualTo(value);
            seen |= leases(heap) > 0;
        }
        return seen;
    }

    private static int leases(GlobalHeap heap) {
        return heap.find("again").orElseThrow().leases();
    }

    /** ZCOT section 4.4: what a program forgets is released by the collector. */
    @Test
    void aForgottenHandleIsReleased() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            publishAndForget(server, heap);
            Eventually.holdsAfterCollection(
                    "the group is freed", () -> server.status().groups() == 0);
        });
    }

    @Test
    void aForgottenObjectIsReleased() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            heap.put("again", "value");
            openAndForget(heap);
            Eventually.holdsAfterCollection("its lease has ended", () -> leases(heap) == 0);
            assertThat(heap.get("again", String.class)).isEqualTo("value");
            reserveAndForget(server, heap);
            Eventually.holdsAfterCollection(
                    "its space is given back", () -> server.status().groups() == 1);
            assertThat(heap.find("reserved")).isEmpty();
        });
    }

    private static void openAndForget(GlobalHeap heap) {
        GObject<String> object = heap.open("again", String.class);
        assertThat(leases(heap)).isEqualTo(1);
        Reference.reachabilityFence(object);
    }

    private static void reserveAndForget(ExchangeServer server, GlobalHeap heap) {
        GObject<String> object = heap.reserve("reserved", 1_000);
        object.populate("never committed");
        assertThat(server.status().groups()).isEqualTo(2);
        Reference.reachabilityFence(object);
    }

    private static void publishAndForget(ExchangeServer server, GlobalHeap heap) {
        GroupHandle<String> handle = heap.publish("forgotten");
        assertThat(server.status().groups()).isEqualTo(1);
        Reference.reachabilityFence(handle);
    }

    @ParameterizedTest
    @EnumSource
    void keysAreFoundAndListed(Place place) throws Exception {
        place.run((server, heap) -> {
            for (int i = 0; i < 30; i++) {
                heap.put("a/" + (char) ('a' + i % 26) + i, "value " + i);
            }
            heap.put("b", new Model("m", 10));
            assertThat(heap.list("a/")).hasSize(30).extracting(KeyInfo::key).isSorted();
            assertThat(heap.list("")).hasSize(31);
            assertThat(heap.list("c")).isEmpty();
            KeyInfo info = heap.find("b").orElseThrow();
            assertThat(info.typeName()).isEqualTo(Model.class.getName());
            assertThat(info.version()).isEqualTo(1);
            assertThat(info.sizeBytes()).isPositive();
            Model model = heap.at(info.address(), Model.class);
            assertThat(model.name).isEqualTo("m");
            assertThat(heap.find("c")).isEmpty();
            ServerStatus status = heap.status();
            assertThat(status.keys()).isEqualTo(31);
            assertThat(status.sessions()).isEqualTo(1);
            assertThat(status.capacityBytes()).isEqualTo(64 << 20);
        });
    }

    @ParameterizedTest
    @EnumSource
    void fullMemoryIsAClearErrorAndUsableAgain(Place place) throws Exception {
        place.run((server, heap) -> {
            heap.put("half", new byte[40 << 20]);
            assertThatThrownBy(() -> heap.put("rest", new byte[40 << 20]))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessageContaining("of 67108864 bytes are in use")
                    .hasMessageContaining("'rest'");
            assertThat(heap.get("half", byte[].class)).hasSize(40 << 20);
            heap.remove("half");
            heap.put("rest", new byte[40 << 20]);
        });
    }

    /** What a client does not use any more is given back before memory counts as full. */
    @Test
    void releasesAreSentBeforeMemoryIsFull() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            for (int i = 0; i < 10; i++) {
                try (GroupHandle<byte[]> handle = heap.publish(new byte[40 << 20])) {
                    assertThat(handle.sizeBytes()).isGreaterThan(40 << 20);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void classesAreFiltered(Place place) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server());
                GlobalHeap heap = place.connect(server);
                GlobalHeap careful = GlobalHeap.connect(
                        server.url(),
                        place.client()
                                .withHeapspan(Heapspan.builder()
                                        .allow("java.lang.String")
                                        .build()))) {
            heap.put("text", "text");
            heap.put("model", new Model("m", 10));
            assertThat(careful.get("text", String.class)).isEqualTo("text");
            assertThatThrownBy(() -> careful.get("model", Model.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED));
            assertThat(careful.get("text", String.class)).isEqualTo("text");
            assertThatThrownBy(() -> heap.get("text", Model.class)).hasMessageContaining("java.lang.String");
        }
    }

    /** As the command line does. */
    @ParameterizedTest
    @EnumSource
    void imagesAreStoredAndCopiedWithoutDecoding(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] image = Heapspan.create().encode(new Model("image", 200_000));
            assertThat(heap.putImage("k", new ByteArrayInputStream(image), "some.Type"))
                    .isEqualTo(1);
            assertThat(heap.find("k").orElseThrow().typeName()).isEqualTo("some.Type");
            Model model = heap.get("k", Model.class);
            assertThat(model.name).isEqualTo("image");
            ByteArrayOutputStream copy = new ByteArrayOutputStream();
            assertThat(heap.copyImage("k", copy)).isEqualTo(image.length);
            assertThat(copy.toByteArray()).isEqualTo(image);
            OutputStream full = new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    throw new IOException("no space left");
                }
            };
            assertThatThrownBy(() -> heap.copyImage("k", full))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no space left");
            heap.putImage("nonsense", new ByteArrayInputStream(new byte[100]), "");
            assertThatThrownBy(() -> heap.get("nonsense", Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        });
    }

    /** The server can be reached, and a user who hears otherwise looks in the wrong place. */
    @Test
    void whoFindsAllConnectionsInUseIsToldSo() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                begun.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        };
        GlobalHeapOptions options = Place.OTHER_HOST.client().withConnections(1).withTimeout(Duration.ofSeconds(2));
        try (ExchangeServer server = ExchangeServer.start(Place.OTHER_HOST.server());
                GlobalHeap heap = GlobalHeap.connect(server.url(), options)) {
            heap.put("k", new byte[100]);
            Thread copying = new Thread(() -> {
                try {
                    heap.copyImage("k", slow);
                } catch (IOException | ExchangeException e) {
                    // What becomes of it is not looked at.
                    return;
                }
            });
            copying.start();
            begun.await();
            try {
                assertThatThrownBy(() -> heap.put("another", 1))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
                        .hasMessageContaining("the only connection of this client was in use")
                        .hasMessageContaining("2000 ms")
                        .hasMessageEndingWith("(GlobalHeapOptions.withConnections)");
            } finally {
                goOn.countDown();
                copying.join();
            }
        }
    }

    /** The server closes connections that are silent for so long. */
    @Test
    void anImageMayBeWrittenForLongerThanALease() throws Exception {
        byte[] image = Heapspan.builder().build().encode(new byte[700_000]);
        InputStream slow = new ByteArrayInputStream(image) {
            @Override
            public int readNBytes(byte[] bytes, int offset, int length) {
                try {
                    TimeUnit.MILLISECONDS.sleep(400);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return super.readNBytes(bytes, offset, length);
            }
        };
        try (ExchangeServer server =
                        ExchangeServer.start(Place.SAME_HOST.server().withLease(Duration.ofSeconds(1)));
                GlobalHeap heap = Place.connectAtLast(server.url(), GlobalHeapOptions.defaults())) {
            assertThat(heap.sharesMemory()).isTrue();
            heap.putImage("k", slow, "[B", image.length);
            assertThat(heap.get("k", byte[].class)).hasSize(700_000);
        }
    }

    /** A client may hear later that the server has closed a silent connection. */
    @Test
    void aConnectionThatWasSilentForTooLongIsNotUsed() throws Exception {
        try (ExchangeServer server =
                        ExchangeServer.start(Place.SAME_HOST.server().withLease(Duration.ofSeconds(1)));
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(4)))) {
            relay.hidesEnds = true;
            for (int round = 0; round < 2; round++) {
                // With signs of life the client uses one of two connections meanwhile.
                TimeUnit.MILLISECONDS.sleep(round * 2_000);
                CompletableFuture<Void> waiting = CompletableFuture.runAsync(
                        () -> fails(Reason.KEY_MISSING, () -> heap.get("none", String.class, Duration.ofMillis(300))));
                TimeUnit.MILLISECONDS.sleep(20);
                heap.status();
                waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            }
            relay.hidesEnds = false;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anImageIsStoredAsItIsRead(Place place) throws Exception {
        byte[] image = Heapspan.builder().build().encode(new byte[700_000]);
        place.run((server, heap) -> {
            heap.putImage("k", new ByteArrayInputStream(image), "[B", image.length);
            assertThat(heap.get("k", byte[].class)).hasSize(700_000);
            for (long length : new long[] {image.length - 1, image.length + 1, 3L << 20}) {
                assertThatThrownBy(() -> heap.putImage("l", new ByteArrayInputStream(image), "[B", length))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(length + " bytes that were announced");
            }
            assertThatThrownBy(() -> heap.putImage("l", new ByteArrayInputStream(image), "[B", 0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(heap.find("l")).isEmpty();
            heap.putImage("l", new ByteArrayInputStream(image), "[B", image.length);
            heap.remove("k");
            heap.remove("l");
            settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource
    void manyThreadsShareAHeap(Place place) throws Exception {
        place.run((server, heap) -> {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 12; t++) {
                int thread = t;
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < 30; i++) {
                                String key = thread + "/" + i;
                                heap.put(key, new int[] {thread, i});
                                assertThat(heap.get(key, int[].class)).containsExactly(thread, i);
                                heap.remove(key);
                            }
                        },
                        Threads.FOR_EACH));
            }
            for (CompletableFuture<Void> each : threads) {
                each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            }
            settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aClosedHeapAndAClosedServerAreClearErrors(Place place) throws Exception {
        ExchangeServer server = ExchangeServer.start(place.server());
        GlobalHeap closed = place.connect(server);
        GlobalHeap open = place.connect(server);
        GroupHandle<String> handle = open.publish("x");
        closed.close();
        closed.close();
        fails(Reason.CLOSED, () -> closed.get("k", String.class));
        CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return new AssertionError("got " + open.get("k", String.class));
            } catch (ExchangeException e) {
                return e;
            }
        });
        TimeUnit.MILLISECONDS.sleep(50);
        server.close();
        assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isInstanceOf(ExchangeException.class);
        fails(Reason.UNREACHABLE, () -> open.put("k", "v"));
        fails(Reason.UNREACHABLE, () -> open.at(handle.address(), String.class));
        open.close();
        fails(Reason.UNREACHABLE, () -> GlobalHeap.connect(server.url(), place.client()));
    }

    /** A client goes on with the next server at the same place; what it had is named as gone. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void aClientGoesOnWithARestartedServer(Place place) throws Exception {
        ExchangeServer server = ExchangeServer.start(place.server());
        String url = server.url();
        int port = place == Place.IN_PROCESS ? 0 : Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
        try (GlobalHeap heap = place.connect(server)) {
            GroupHandle<String> handle = heap.publish("x");
            heap.put("k", "v");
            server.close();
            ExchangeServerOptions same = place == Place.IN_PROCESS
                    ? place.server()
                    : ExchangeServerOptions.port(port).withMemory(1 << 20);
            try (ExchangeServer next = ExchangeServer.start(same)) {
                fails(Reason.KEY_MISSING, () -> heap.get("k", String.class, Duration.ZERO));
                heap.put("k", "again");
                assertThat(heap.get("k", String.class)).isEqualTo("again");
                fails(Reason.GROUP_GONE, () -> handle.read(String.class));
                fails(Reason.GROUP_GONE, () -> heap.at(handle.address(), String.class));
                assertThat(next.status().keys()).isEqualTo(1);
            }
        }
    }

    @Test
    void keysHaveALimit() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            heap.put("\u00e4".repeat(512), "v");
            for (String key : List.of("", "\u00e4".repeat(513), "x".repeat(100_000))) {
                assertThatThrownBy(() -> heap.put(key, "v")).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> heap.get(key, String.class)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> heap.list("x".repeat(2000))).isInstanceOf(IllegalArgumentException.class);
            // UTF-8 would have the same bytes for all of these.
            for (String key : List.of("a\ud800", "\udc00a", "\ud800\ud800", "\udc00\ud800")) {
                assertThatThrownBy(() -> heap.put(key, "v"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("half of a surrogate pair");
            }
            heap.put("\ud83d\ude00", "v");
            fails(Reason.LIMIT, () -> heap.put("a\nb", "v"));
        });
    }

    /** Of a server whose files have gone. */
    @Test
    void filesThatAreMissingAreAClearError() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            // Too long to come with the answer.
            heap.put("k", new byte[5_000]);
            try (GlobalHeap other = Place.SAME_HOST.connect(server);
                    var files = Files.list(Path.of(server.status().directory()))) {
                for (Path file : files.filter(
                                each -> each.getFileName().toString().startsWith("chunk-"))
                        .toList()) {
                    Files.delete(file);
                }
                fails(Reason.STORAGE, () -> other.get("k", byte[].class));
                fails(Reason.STORAGE, () -> other.put("l", new byte[100_000]));
            }
        });
    }

    @Test
    void connectionsAreLimitedAndTheRestIsTold() throws Exception {
        try (ExchangeServer server =
                        ExchangeServer.start(Place.SAME_HOST.server().withConnections(1));
                GlobalHeap first = GlobalHeap.connect(
                        server.url(), Place.SAME_HOST.client().withConnections(1))) {
            fails(Reason.BUSY, () -> Place.SAME_HOST.connect(server));
            first.put("k", "v");
        }
    }

    /** What no key leads to is limited for each client. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void aClientHasOnlySomeOfTheMemory(Place place) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server().withMemoryOfClient(1 << 20));
                GlobalHeap greedy = place.connect(server);
                GlobalHeap other = place.connect(server)) {
            GroupHandle<byte[]> handle = greedy.publish(new byte[600_000]);
            assertThatThrownBy(() -> greedy.publish(new byte[600_000]))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessageContaining("1048576 bytes that one client may take without a key");
            fails(Reason.LIMIT, () -> greedy.reserve("k", 600_000));
            other.publish(new byte[600_000]).close();
            // Keys are for all, and do not count.
            for (int i = 0; i < 3; i++) {
                greedy.put("key" + i, new byte[300_000]);
            }
            handle.close();
            greedy.publish(new byte[600_000]).close();
        }
    }

    @Test
    void objectsAreMadeOnlyOfBytesWhoseChecksumIsRight() throws Exception {
        GlobalHeapOptions options = Place.OTHER_HOST
                .client()
                .withHeapspan(Heapspan.builder().checksum(false).build());
        try (ExchangeServer server = ExchangeServer.start(Place.OTHER_HOST.server());
                GlobalHeap heap = GlobalHeap.connect(server.url(), options)) {
            heap.put("k", new Object[] {new Noticed(), "a text that is damaged"});
            heap.get("k", Object[].class);
            assertThat(Noticed.MADE.get()).isEqualTo(1);
            HostileBytesTest.damage(server, heap.find("k").orElseThrow());
            fails(Reason.DAMAGED, () -> heap.get("k", Object[].class));
            assertThat(Noticed.MADE.get()).isEqualTo(1);
            fails(Reason.DAMAGED, () -> heap.copyImage("k", new ByteArrayOutputStream()));
            heap.put("l", "the connection is of use");
            assertThat(heap.get("l", String.class)).isEqualTo("the connection is of use");
        }
    }

    /** Tells when it is read. */
    private static final class Noticed implements Serializable {
        static final AtomicInteger MADE = new AtomicInteger();
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            MADE.incrementAndGet();
        }
    }

    @Test
    void aServerThatOthersReachNeedsASecretOrPermission() throws Exception {
        ExchangeServerOptions open = Place.SAME_HOST.server().withHost("0.0.0.0");
        assertThatThrownBy(() -> ExchangeServer.start(open))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a secret");
        ExchangeServer.start(open.allowingAnyone()).close();
        ExchangeServer.start(open.withSecret(new byte[16])).close();
    }

    @Test
    void aServerWithinThisJvmListensAtNoAddress() {
        ExchangeServerOptions options = ExchangeServerOptions.inProcess("no-host");
        assertThatThrownBy(() -> options.withHost("127.0.0.1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a server at heapspan-local://no-host listens at no address");
    }

    @Test
    void addressesAreChecked() {
        for (String url :
                List.of("", "host:1", "http://host:1", "heapspan://host", "heapspan://host:0", "heapspan://h:1/x")) {
            assertThatThrownBy(() -> GlobalHeap.connect(url))
                    .as(url)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected heapspan://HOST:PORT");
        }
    }
}
