package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A transfer to a keeper that is cut or damaged on its way, while another copy is intact. */
@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class FaultyTransferTest {
    private static final int MEGABYTE = 1 << 20;
    private static final String MARK = "a fault is here ";

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
