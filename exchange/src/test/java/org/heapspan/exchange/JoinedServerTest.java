package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.Encoding;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.TcpTransport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keepers that have joined a server: copies of its groups, and what becomes of them. */
@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class JoinedServerTest {
    private static final int MEGABYTE = 1 << 20;
    private static final byte[] SECRET = "0123456789abcdef-joined".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private ExchangeServer origin;
    private GlobalHeap writer;

    @BeforeEach
    void start() throws IOException {
        // Nobody else takes the port when the server is away.
        origin = ExchangeServer.start(ExchangeServerOptions.port(Ports.take())
                .withChunkBytes(MEGABYTE)
                .withMemory(64 << 20)
                .withLease(Duration.ofSeconds(10)));
        writer = GlobalHeap.connect(origin.url());
    }

    @AfterEach
    void end() throws IOException {
        writer.close();
        origin.close();
    }

    private ExchangeServerOptions keeper() {
        return ExchangeServerOptions.port(0)
                .withDirectory(folder)
                .withMemory(64 << 20)
                .withLease(Duration.ofSeconds(2))
                .joining(origin.url());
    }

    private static GlobalHeapOptions patient() {
        return GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
    }

    private interface Use {
        void use(ExchangeServer keeper, GlobalHeap heap) throws Exception;
    }

    private static void with(ExchangeServerOptions options, Use use) throws Exception {
        try (ExchangeServer keeper = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(keeper.url(), patient())) {
            use.use(keeper, heap);
        }
    }

    private static int length(Relay relay) {
        synchronized (relay.heard) {
            return relay.heard.size();
        }
    }

    @Test
    void aGroupIsFetchedOnceForAllOfTheHost() throws Exception {
        writer.put("k", new byte[3 * MEGABYTE]);
        try (Relay relay = new Relay(origin.url())) {
            with(keeper().joining(relay.url()), (keeper, heap) -> {
                assertThat(heap.sharesMemory()).isTrue();
                for (int i = 0; i < 3; i++) {
                    try (GlobalHeap other = GlobalHeap.connect(keeper.url())) {
                        assertThat(heap.get("k", byte[].class)).hasSize(3 * MEGABYTE);
                        assertThat(other.get("k", byte[].class)).hasSize(3 * MEGABYTE);
                    }
                }
                assertThat(length(relay)).isBetween(3 * MEGABYTE, 3 * MEGABYTE + 100_000);
            });
        }
    }

    /** The keeper has one session at the server for all its clients. */
    @Test
    void aCommitWhoseReplyTheKeeperHasNotGotEndsNoLeaseOfAnotherClient() throws Exception {
        try (Relay relay = new Relay(origin.url())) {
            ExchangeServerOptions impatient = keeper().joining(relay.url())
                    .withTimeout(Duration.ofSeconds(2))
                    .withLease(Duration.ofSeconds(20));
            with(impatient, (keeper, heap) -> {
                GObject<byte[]> reserved = heap.reserve("k", 100_000);
                reserved.populate(new byte[50_000]);
                relay.losesReplies = true;
                fails(Reason.UNREACHABLE, reserved::commit);
                // What the keeper says is told later.
                relay.losesRequests = true;
                relay.losesReplies = false;
                assertThat(writer.find("k")).isPresent();
                TimeUnit.MILLISECONDS.sleep(200);
                relay.losesRequests = false;
                try (GlobalHeap other = GlobalHeap.connect(keeper.url(), patient());
                        GObject<byte[]> opened = other.open("k", byte[].class)) {
                    // A quarter of a lease after the last attempt, it is told.
                    TimeUnit.SECONDS.sleep(6);
                    assertThat(writer.find("k").orElseThrow().leases()).isEqualTo(1);
                    assertThat(opened.read()).hasSize(50_000);
                }
            });
        }
    }

    /** As a server does if a keeper does not confirm what it is told: the keeper has connections still. */
    @Test
    void aKeeperWhoseSessionTheServerHasEndedJoinsAgain() throws Exception {
        writer.put("k", "value");
        try (Relay relay = new Relay(origin.url())) {
            with(keeper().joining(relay.url()), (keeper, heap) -> {
                assertThat(heap.get("k", String.class)).isEqualTo("value");
                String first = keeper.status().directory();
                Eventually.holds(
                        "the keeper has said everything",
                        () -> writer.find("k").orElseThrow().leases() == 0);
                endSession(firstSession(relay));
                // Nobody asks the keeper meanwhile.
                Eventually.holds("the keeper has joined again", () -> !Files.exists(Path.of(first)));
                assertThat(heap.get("k", String.class)).isEqualTo("value");
            });
        }
    }

    /** What the first WELCOME says. */
    private static byte[] firstSession(Relay relay) {
        byte[] heard;
        synchronized (relay.heard) {
            heard = relay.heard.toByteArray();
        }
        int welcome = new String(heard, StandardCharsets.ISO_8859_1).indexOf("HX\u0002\u0004");
        int token = welcome + 12 + 32;
        return Arrays.copyOfRange(heard, token, token + 16);
    }

    private void endSession(byte[] token) throws IOException {
        Deadline soon = Deadline.afterMillis(Eventually.MOST_MILLIS);
        try (FrameLink frames = new FrameLink(new TcpTransport().connect(Endpoint.parse(origin.url()), soon))) {
            frames.send(new Handshake.Hello(new byte[32], token), soon);
            frames.receive(soon);
            frames.send(new Handshake.Proof(new byte[32]), soon);
            assertThat(((Handshake.Welcome) frames.receive(soon)).session()).isEqualTo(token);
            frames.establish(null, true);
            frames.send(new Request.Goodbye(), soon);
            assertThat(frames.receive(soon)).isInstanceOf(Reply.Done.class);
        }
    }

    @Test
    void manyReadersOfANewGroupWaitForOneTransfer() throws Exception {
        writer.put("k", new byte[2 * MEGABYTE]);
        try (Relay relay = new Relay(origin.url())) {
            with(keeper().joining(relay.url()), (keeper, heap) -> {
                List<CompletableFuture<byte[]>> readers = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    readers.add(CompletableFuture.supplyAsync(() -> heap.get("k", byte[].class), Threads.FOR_EACH));
                }
                for (CompletableFuture<byte[]> each : readers) {
                    assertThat(each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                            .hasSize(2 * MEGABYTE);
                }
                assertThat(length(relay)).isBetween(2 * MEGABYTE, 2 * MEGABYTE + 100_000);
            });
        }
    }

    @Test
    void copiesGoWithTheirGroup() throws Exception {
        writer.put("k", new byte[3 * MEGABYTE]);
        with(keeper(), (keeper, heap) -> {
            GObject<byte[]> kept = heap.open("k", byte[].class);
            assertThat(keeper.status().groups()).isEqualTo(1);
            writer.remove("k");
            fails(Reason.KEY_MISSING, () -> heap.get("k", byte[].class, Duration.ZERO));
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(kept.read()).hasSize(3 * MEGABYTE);
            kept.release();
            settled(keeper);
            settled(origin);
            Eventually.holds("no files of chunks", () -> chunkFiles().isEmpty());
            Eventually.holdsAfterCollection("no mappings", () -> mappings().isEmpty());
        });
        assertThat(folder).isEmptyDirectory();
    }

    private List<String> chunkFiles() throws IOException {
        List<String> found = new ArrayList<>();
        for (File server : folder.toFile().listFiles()) {
            for (String file : server.list()) {
                if (file.startsWith("chunk-")) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private List<String> mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.getFileName().toString()))
                    .toList();
        }
    }

    /** The other end of the cluster reads it at once, and the host of the writer does not fetch it back. */
    @Test
    void whatIsPutThroughAKeeperIsOnTheServer() throws Exception {
        try (Relay relay = new Relay(origin.url())) {
            with(keeper().joining(relay.url()), (keeper, heap) -> {
                heap.put("long", new byte[2 * MEGABYTE]);
                heap.put("short", "value");
                GroupHandle<String> handle = heap.publish("published");
                assertThat(writer.get("long", byte[].class)).hasSize(2 * MEGABYTE);
                assertThat(writer.get("short", String.class)).isEqualTo("value");
                assertThat(writer.at(handle.address(), String.class)).isEqualTo("published");
                assertThat(handle.read(String.class)).isEqualTo("published");
                assertThat(heap.get("long", byte[].class)).hasSize(2 * MEGABYTE);
                assertThat(length(relay)).isLessThan(2 * MEGABYTE + 100_000);
                fails(Reason.KEY_EXISTS, () -> heap.put("short", "other"));
                assertThat(heap.replace("short", "other", 1)).isEqualTo(2);
                assertThat(writer.get("short", String.class)).isEqualTo("other");
                heap.remove("long");
                heap.remove("short");
                handle.close();
                settled(keeper);
                settled(origin);
            });
        }
    }

    @Test
    void copiesThatNobodyUsesMakeRoom() throws Exception {
        for (int i = 0; i < 8; i++) {
            writer.put("k" + i, new byte[MEGABYTE - 5000]);
        }
        with(keeper().withMemory(3 * MEGABYTE), (keeper, heap) -> {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 8; i++) {
                    assertThat(heap.get("k" + i, byte[].class)).hasSize(MEGABYTE - 5000);
                    assertThat(keeper.status().usedBytes()).isLessThanOrEqualTo(3 * MEGABYTE);
                }
            }
            List<GObject<byte[]>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(heap.open("k" + i, byte[].class));
            }
            assertThatThrownBy(() -> heap.open("k3", byte[].class))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FULL))
                    .hasMessageContaining("of 3145728 bytes of their keeper");
            all.remove(0).release();
            Eventually.holds("there is room", () -> heap.get("k3", byte[].class) != null);
            for (GObject<byte[]> each : all) {
                assertThat(each.read()).hasSize(MEGABYTE - 5000);
                each.release();
            }
            for (int i = 0; i < 8; i++) {
                writer.remove("k" + i);
            }
            settled(origin);
            settled(keeper);
        });
    }

    /** A second keeper takes a part of what it needs from the first, and all of it from the server when the first has gone. */
    @Test
    void keepersFetchFromEachOther() throws Exception {
        int groups = 24;
        for (int i = 0; i < groups; i++) {
            writer.put("k" + i, new byte[MEGABYTE]);
        }
        try (Relay relay = new Relay(origin.url())) {
            with(keeper(), (first, atFirst) -> {
                for (int i = 0; i < groups; i++) {
                    atFirst.get("k" + i, byte[].class);
                }
                with(keeper().joining(relay.url()), (second, atSecond) -> {
                    for (int i = 0; i < groups; i++) {
                        assertThat(atSecond.get("k" + i, byte[].class)).hasSize(MEGABYTE);
                    }
                    assertThat(length(relay)).isLessThan(groups * MEGABYTE - MEGABYTE);
                });
                Eventually.holds("the second is forgotten", () -> first.status().sessions() == 1);
                atFirst.close();
                first.close();
            });
            with(keeper().joining(relay.url()), (third, atThird) -> {
                for (int i = 0; i < groups; i++) {
                    assertThat(atThird.get("k" + i, byte[].class)).hasSize(MEGABYTE);
                }
            });
        }
    }

    /** A copy that is damaged is found out by its checksum, and another one is used. */
    @Test
    void aDamagedCopyIsNotPassedOn() throws Exception {
        int groups = 12;
        with(keeper(), (first, atFirst) -> {
            for (int i = 0; i < groups; i++) {
                writer.put("k" + i, new byte[MEGABYTE]);
                atFirst.get("k" + i, byte[].class);
                damage(first, atFirst.find("k" + i).orElseThrow().address());
            }
            with(keeper(), (second, atSecond) -> {
                for (int i = 0; i < groups; i++) {
                    assertThat(atSecond.get("k" + i, byte[].class)).isEqualTo(new byte[MEGABYTE]);
                }
            });
        });
    }

    /** Changes a byte of a group of a server with chunks of 1 MB. */
    static void damage(ExchangeServer keeper, long address) throws IOException {
        Path file = Path.of(keeper.status().directory()).resolve(String.format("chunk-%016x", address / MEGABYTE));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'X'}), address % MEGABYTE + 500);
        }
    }

    @Test
    void groupsThatAreNeededLiveAndComeAlong() throws Exception {
        with(keeper(), (keeper, heap) -> {
            GroupHandle<String> first = writer.publish("first");
            GroupHandle<String> second = writer.publish("second", List.of(first));
            writer.put("k", new long[] {first.address(), second.address()}, List.of(second));
            first.close();
            second.close();
            long[] addresses = heap.get("k", long[].class);
            Eventually.holds("they come along", () -> keeper.status().groups() == 3);
            assertThat(heap.at(addresses[0], String.class)).isEqualTo("first");
            assertThat(heap.at(addresses[1], String.class)).isEqualTo("second");
            fails(Reason.GROUP_GONE, () -> heap.put("l", "v", List.of(gone())));
            assertThat(heap.find("l")).isEmpty();
            // Through the keeper too.
            GroupHandle<String> third = heap.publish("third");
            heap.put("m", "needs the third", List.of(third));
            long address = third.address();
            third.close();
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(writer.at(address, String.class)).isEqualTo("third");
            writer.remove("k");
            writer.remove("m");
            settled(origin);
            settled(keeper);
        });
    }

    private GroupHandle<String> gone() {
        GroupHandle<String> handle = writer.publish("x");
        handle.close();
        writer.access().client().flush();
        return handle;
    }

    @Test
    void aServerThatKeepsItsKeysDoesNotAcceptThatTheyNeedOthers() throws Exception {
        try (ExchangeServer keeping = ExchangeServer.start(
                        Place.SAME_HOST.server().withDirectory(folder).keepingKeys());
                GlobalHeap heap = GlobalHeap.connect(keeping.url());
                GroupHandle<String> needed = heap.publish("needed")) {
            fails(Reason.LIMIT, () -> heap.put("k", "v", List.of(needed)));
            heap.publish("v", List.of(needed)).close();
        }
    }

    /** As long as bytes come, no time is over. */
    @Test
    void aTransferMayTakeLongerThanTheTimeout() throws Exception {
        Duration timeout = Duration.ofSeconds(2);
        // The lease is longer than the bytes are on their way: a server closes a connection that is silent for so long.
        try (ExchangeServer patient =
                        ExchangeServer.start(Place.SAME_HOST.server().withLease(Duration.ofSeconds(60)));
                GlobalHeap first = GlobalHeap.connect(patient.url());
                Relay relay = new Relay(patient.url());
                ExchangeServer keeper = ExchangeServer.start(keeper().joining(relay.url()));
                GlobalHeap heap = GlobalHeap.connect(
                        keeper.url(), GlobalHeapOptions.defaults().withTimeout(timeout))) {
            first.put("k", new byte[MEGABYTE]);
            // There are 128 pieces and more.
            relay.pauseMillis = 20;
            long start = System.nanoTime();
            assertThat(heap.get("k", byte[].class)).hasSize(MEGABYTE);
            heap.put("l", new byte[MEGABYTE]);
            assertThat(System.nanoTime() - start)
                    .isGreaterThan(timeout.multipliedBy(2).toNanos());
        }
    }

    @Test
    void aServerOutOfReachIsNamedAndWhatIsLeasedStays() throws Exception {
        writer.put("k", new byte[MEGABYTE]);
        with(keeper(), (keeper, heap) -> {
            GObject<byte[]> kept = heap.open("k", byte[].class);
            String url = origin.url();
            origin.close();
            assertThatThrownBy(() -> heap.get("k", byte[].class))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                    .hasMessageContaining("the server " + url + ", which this keeper has joined, cannot be reached");
            fails(Reason.UNREACHABLE, () -> heap.put("l", "v"));
            assertThat(kept.read()).hasSize(MEGABYTE);

            int port = Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
            try (ExchangeServer next = ExchangeServer.start(ExchangeServerOptions.port(port));
                    GlobalHeap other = GlobalHeap.connect(next.url())) {
                other.put("l", "of the next server");
                Eventually.holds("the keeper has joined it", () -> {
                    try {
                        return heap.find("l").isPresent();
                    } catch (ExchangeException e) {
                        return false;
                    }
                });
                assertThat(heap.get("l", String.class)).isEqualTo("of the next server");
                fails(Reason.GROUP_GONE, kept::read);
            }
        });
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aKeeperThatCannotJoinDoesNotStart() throws Exception {
        fails(Reason.SECRET, () -> ExchangeServer.start(keeper().withSecret(SECRET)));
        String url = origin.url();
        origin.close();
        assertThatThrownBy(() -> ExchangeServer.start(keeper())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ExchangeServer.start(keeper().joining(url).keepingKeys()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no keys to keep");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aKeeperIsNoServerToJoin() throws Exception {
        with(
                keeper(),
                (keeper, heap) -> fails(Reason.PROTOCOL, () -> ExchangeServer.start(keeper().joining(keeper.url()))));
    }

    @Test
    void rawImagesStayOnTheirHost() throws Exception {
        GlobalHeapOptions raw = GlobalHeapOptions.defaults().withSecret(SECRET).withEncoding(Encoding.RAW);
        try (ExchangeServer safe = ExchangeServer.start(Place.SAME_HOST.server().withSecret(SECRET));
                GlobalHeap atServer = GlobalHeap.connect(safe.url(), raw);
                ExchangeServer keeper =
                        ExchangeServer.start(keeper().withSecret(SECRET).joining(safe.url()));
                GlobalHeap atKeeper = GlobalHeap.connect(keeper.url(), raw)) {
            atServer.put("raw", "value");
            fails(Reason.PROTOCOL, () -> atKeeper.get("raw", String.class));
            fails(Reason.PROTOCOL, () -> atKeeper.put("also", "value"));
            try (GlobalHeap compact = GlobalHeap.connect(keeper.url(), raw.withEncoding(Encoding.COMPACT))) {
                compact.put("compact", new byte[100_000]);
                assertThat(atServer.get("compact", byte[].class)).hasSize(100_000);
            }
        }
    }
}
