package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import org.heapspan.Heapspan;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.TcpTransport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A transfer to a keeper, or to a client without one, that is cut or damaged on its way, while another copy is intact. */
@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class FaultyTransferTest {
    private static final int MEGABYTE = 1 << 20;
    private static final String MARK = "a fault is here ";

    /** Short objects come in one message, long ones are decoded while they arrive. */
    private static final int[] LENGTHS = {20_000, 100_000, 2 * MEGABYTE};

    /** Whoever is asked first is chosen by chance: the other one each time is as good as impossible. */
    private static final int MOST_ATTEMPTS = 40;

    @TempDir
    Path folder;

    private ExchangeServer origin;
    private GlobalHeap writer;

    @BeforeEach
    void start() throws IOException {
        origin = ExchangeServer.start(Place.SAME_HOST.server());
        writer = GlobalHeap.connect(origin.url());
    }

    @AfterEach
    void end() throws IOException {
        writer.close();
        origin.close();
    }

    private interface Use {
        void use(ExchangeServer keeper, GlobalHeap heap) throws Exception;
    }

    private void withKeeper(String url, Use use) throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(0)
                .withDirectory(folder)
                .withMemory(64 << 20)
                .joining(url);
        GlobalHeapOptions patient =
                GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
        try (ExchangeServer keeper = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(keeper.url(), patient)) {
            use.use(keeper, heap);
        }
    }

    /** Bytes with marks in the second half. */
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        byte[] marks = MARK.repeat(length / 2 / MARK.length()).getBytes(US_ASCII);
        System.arraycopy(marks, 0, bytes, length - marks.length, marks.length);
        return bytes;
    }

    /** A short object, which a keeper always asks the server for. */
    @ParameterizedTest
    @EnumSource
    void whatTheServerSendsInVainComesFromAKeeper(Relay.Fault fault) throws Exception {
        writer.put("k", bytes(100_000));
        try (Relay relay = new Relay(origin.url())) {
            withKeeper(origin.url(), (first, atFirst) -> {
                assertThat(atFirst.get("k", byte[].class)).isEqualTo(bytes(100_000));
                withKeeper(relay.url(), (second, atSecond) -> {
                    relay.fault = fault;
                    relay.faultAt = MARK;
                    assertThat(atSecond.get("k", byte[].class)).isEqualTo(bytes(100_000));
                    assertThat(relay.faults).hasPositiveValue();
                });
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLongObjectComesFromAKeeperToo(Relay.Fault fault) throws Exception {
        try (Relay relay = new Relay(origin.url())) {
            withKeeper(
                    origin.url(),
                    (first, atFirst) -> withKeeper(relay.url(), (second, atSecond) -> {
                        relay.fault = fault;
                        relay.faultAt = MARK;
                        for (int i = 0; i < MOST_ATTEMPTS && relay.faults.get() == 0; i++) {
                            writer.put("k" + i, bytes(MEGABYTE));
                            assertThat(atFirst.get("k" + i, byte[].class)).isEqualTo(bytes(MEGABYTE));
                            assertThat(atSecond.get("k" + i, byte[].class)).isEqualTo(bytes(MEGABYTE));
                            writer.remove("k" + i);
                        }
                        assertThat(relay.faults).hasPositiveValue();
                    }));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatNobodyElseHasIsTold(Relay.Fault fault) throws Exception {
        writer.put("k", bytes(100_000));
        try (Relay relay = new Relay(origin.url())) {
            withKeeper(relay.url(), (keeper, heap) -> {
                relay.fault = fault;
                relay.faultAt = MARK;
                fails(
                        fault == Relay.Fault.CUT ? Reason.UNREACHABLE : Reason.DAMAGED,
                        () -> heap.get("k", byte[].class));
                relay.faultAt = "";
                assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(100_000));
                writer.remove("k");
                settled(keeper);
            });
        }
    }

    /** As if the keeper is killed while it sends, or its network changes bytes. */
    @ParameterizedTest
    @EnumSource
    void whatAKeeperSendsInVainComesFromAnotherPlace(Relay.Fault fault) throws Exception {
        withKeeper(origin.url(), (first, atFirst) -> {
            try (Relay relay = new Relay(first.url());
                    FrameLink namesRelay = joined(relay.url())) {
                relay.fault = fault;
                relay.faultAt = MARK;
                withKeeper(origin.url(), (second, atSecond) -> {
                    for (int i = 0; i < MOST_ATTEMPTS && relay.faults.get() == 0; i++) {
                        writer.put("k" + i, bytes(MEGABYTE));
                        assertThat(atFirst.get("k" + i, byte[].class)).isEqualTo(bytes(MEGABYTE));
                        hasCopy(namesRelay, writer.find("k" + i).orElseThrow().address());
                        assertThat(atSecond.get("k" + i, byte[].class)).isEqualTo(bytes(MEGABYTE));
                        writer.remove("k" + i);
                    }
                });
                assertThat(relay.faults).hasPositiveValue();
            }
        });
    }

    private static GlobalHeapOptions ofOtherHost() {
        return Place.OTHER_HOST.client().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void whatAClientWithoutKeeperMissesComesFromAKeeper(Relay.Fault fault) throws Exception {
        withKeeper(origin.url(), (keeper, atKeeper) -> {
            try (Relay relay = new Relay(origin.url());
                    GlobalHeap direct = relay.connect(ofOtherHost())) {
                relay.fault = fault;
                relay.faultAt = MARK;
                for (int length : LENGTHS) {
                    writer.put("k", bytes(length));
                    assertThat(atKeeper.get("k", byte[].class)).isEqualTo(bytes(length));
                    relay.faults.set(0);
                    assertThat(direct.get("k", byte[].class)).isEqualTo(bytes(length));
                    assertThat(relay.faults).hasPositiveValue();
                    writer.remove("k");
                }
            }
        });
    }

    /** The bytes of the server, or of a keeper, in files that its clients read themselves. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsDamagedInSharedMemoryComesFromAnotherCopy(boolean ofKeeper) throws Exception {
        withKeeper(origin.url(), (keeper, atKeeper) -> {
            ExchangeServer damaged = ofKeeper ? keeper : origin;
            for (int length : LENGTHS) {
                writer.put("k", bytes(length));
                assertThat(atKeeper.get("k", byte[].class)).isEqualTo(bytes(length));
                JoinedServerTest.damage(damaged, writer.find("k").orElseThrow().address());
                // Each client compares the checksum once.
                try (GlobalHeap heap = GlobalHeap.connect(damaged.url());
                        GlobalHeap copying = GlobalHeap.connect(damaged.url())) {
                    assertThat(heap.sharesMemory()).isTrue();
                    assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(length));
                    ByteArrayOutputStream image = new ByteArrayOutputStream();
                    copying.copyImage("k", image);
                    assertThat(Heapspan.create().decode(image.toByteArray(), byte[].class))
                            .isEqualTo(bytes(length));
                }
                writer.remove("k");
            }
        });
    }

    @Test
    void whatIsDamagedInSharedMemoryAndHasNoOtherCopyIsTold() throws Exception {
        writer.put("k", bytes(MEGABYTE));
        JoinedServerTest.damage(origin, writer.find("k").orElseThrow().address());
        assertThatThrownBy(() -> writer.get("k", byte[].class))
                .isInstanceOfSatisfying(
                        ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                .hasMessageContaining("no keeper has another copy");
        assertThatThrownBy(() -> writer.copyImage("k", OutputStream.nullOutputStream()))
                .isInstanceOfSatisfying(
                        ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                .hasMessageContaining("no keeper has another copy");
    }

    /** The rest of a copy: what the stream has taken already is not written again. */
    @Test
    void theRestOfAnImageComesFromAKeeper() throws Exception {
        writer.put("k", bytes(MEGABYTE));
        withKeeper(origin.url(), (keeper, atKeeper) -> {
            assertThat(atKeeper.get("k", byte[].class)).isEqualTo(bytes(MEGABYTE));
            try (Relay relay = new Relay(origin.url());
                    GlobalHeap direct = relay.connect(ofOtherHost())) {
                relay.faultAt = MARK;
                ByteArrayOutputStream image = new ByteArrayOutputStream();
                direct.copyImage("k", image);
                assertThat(relay.faults).hasPositiveValue();
                assertThat(Heapspan.create().decode(image.toByteArray(), byte[].class))
                        .isEqualTo(bytes(MEGABYTE));
                // Damaged bytes cannot be taken back.
                relay.fault = Relay.Fault.DAMAGE;
                assertThatThrownBy(() -> direct.copyImage("k", OutputStream.nullOutputStream()))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                        .hasMessageContaining(keeper.url().replaceAll(".*:", ":"))
                        .hasMessageContaining("which were passed on already, copies differ");
            }
        });
    }

    /** Its client has no shared memory, and learns of the server from it. */
    @ParameterizedTest
    @EnumSource
    void whatAKeeperSendsItsClientInVainComesFromTheServer(Relay.Fault fault) throws Exception {
        withKeeper(origin.url(), (keeper, atKeeper) -> {
            try (Relay relay = new Relay(keeper.url());
                    GlobalHeap direct = relay.connect(ofOtherHost())) {
                relay.fault = fault;
                relay.faultAt = MARK;
                for (int length : LENGTHS) {
                    writer.put("k", bytes(length));
                    relay.faults.set(0);
                    assertThat(direct.get("k", byte[].class)).isEqualTo(bytes(length));
                    assertThat(relay.faults).hasPositiveValue();
                    writer.remove("k");
                }
            }
        });
    }

    /** A place that nobody listens at, and one whose secret the client does not know. */
    @ParameterizedTest
    @EnumSource
    void copiesThatWereTriedInVainAreNamed(Relay.Fault fault) throws Exception {
        byte[] secret = new byte[16];
        try (ExchangeServer stranger =
                        ExchangeServer.start(Place.SAME_HOST.server().withSecret(secret));
                FrameLink namesNobody = joined("heapspan://127.0.0.1:1");
                FrameLink namesStranger = joined(stranger.url());
                Relay relay = new Relay(origin.url());
                GlobalHeap direct = relay.connect(ofOtherHost())) {
            relay.fault = fault;
            relay.faultAt = MARK;
            for (int length : LENGTHS) {
                writer.put("k", bytes(length));
                Reason reason = fault == Relay.Fault.CUT ? Reason.UNREACHABLE : Reason.DAMAGED;
                assertThatThrownBy(() -> direct.get("k", byte[].class))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(reason))
                        .hasMessageContaining("no keeper has another copy");
                long address = writer.find("k").orElseThrow().address();
                hasCopy(namesNobody, address);
                hasCopy(namesStranger, address);
                assertThatThrownBy(() -> direct.get("k", byte[].class))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(reason))
                        .hasMessageContaining("other copies were tried in vain: ")
                        .hasMessageContaining("heapspan://127.0.0.1:1 (")
                        .hasMessageContaining(stranger.url() + " (the server needs a secret");
                withKeeper(origin.url(), (keeper, atKeeper) -> {
                    assertThat(atKeeper.get("k", byte[].class)).isEqualTo(bytes(length));
                    assertThat(direct.get("k", byte[].class)).isEqualTo(bytes(length));
                });
                writer.remove("k");
            }
        }
    }

    /** Bytes that were changed on their way are not decoded, and the keeper has the same secret. */
    @ParameterizedTest
    @EnumSource
    void aCopyComesWithTheSameSecret(Relay.Fault fault) throws Exception {
        byte[] secret = new byte[16];
        GlobalHeapOptions options = ofOtherHost().withSecret(secret);
        ExchangeServerOptions server = Place.SAME_HOST.server().withSecret(secret);
        try (ExchangeServer main = ExchangeServer.start(server);
                ExchangeServer keeper = ExchangeServer.start(server.joining(main.url()));
                GlobalHeap atKeeper = GlobalHeap.connect(
                        keeper.url(), GlobalHeapOptions.defaults().withSecret(secret));
                Relay relay = new Relay(main.url());
                GlobalHeap direct = relay.connect(options)) {
            relay.fault = fault;
            relay.faultAt = MARK;
            for (int length : LENGTHS) {
                atKeeper.put("k", bytes(length));
                // The keeper has a copy of what its clients read.
                assertThat(atKeeper.get("k", byte[].class)).isEqualTo(bytes(length));
                assertThat(direct.get("k", byte[].class)).isEqualTo(bytes(length));
                atKeeper.remove("k");
            }
            assertThat(relay.faults).hasPositiveValue();
        }
    }

    private static final class FailingStream extends OutputStream {
        private int calls;

        @Override
        public void write(int value) throws IOException {
            calls++;
            throw new IOException("this stream takes nothing");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            write(0);
        }
    }

    /** No other copy helps. */
    @ParameterizedTest
    @EnumSource(names = {"SAME_HOST", "OTHER_HOST"})
    void aStreamThatFailsIsAskedOnce(Place place) throws Exception {
        writer.put("k", bytes(MEGABYTE));
        try (GlobalHeap heap = GlobalHeap.connect(origin.url(), place.client())) {
            FailingStream stream = new FailingStream();
            assertThatThrownBy(() -> heap.copyImage("k", stream))
                    .isInstanceOf(IOException.class)
                    .hasMessage("this stream takes nothing");
            assertThat(stream.calls).isOne();
        }
    }

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    /** A connection that has joined the server as a keeper at another place. */
    private FrameLink joined(String url) throws IOException {
        FrameLink frames = new FrameLink(new TcpTransport().connect(Endpoint.parse(origin.url()), soon()));
        frames.send(new Handshake.Hello(new byte[32], new byte[16]), soon());
        assertThat(frames.receive(soon())).isInstanceOf(Handshake.Challenge.class);
        frames.send(new Handshake.Proof(new byte[32]), soon());
        assertThat(frames.receive(soon())).isInstanceOf(Handshake.Welcome.class);
        frames.establish(null, true);
        isDone(frames, new Request.Join(Endpoint.parse(url).port()));
        return frames;
    }

    private static void hasCopy(FrameLink keeper, long address) throws IOException {
        isDone(keeper, new Request.AddCopy(address));
    }

    private static void isDone(FrameLink frames, Request request) throws IOException {
        frames.send(request, soon());
        Message reply = frames.receive(soon());
        assertThat(reply).isInstanceOf(Reply.Done.class);
    }
}
