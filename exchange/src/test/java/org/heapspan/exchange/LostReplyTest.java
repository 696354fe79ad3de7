package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.IOException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.TcpTransport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that has not heard what it was given says so, and it is not lost. */
@Timeout(120)
final class LostReplyTest {
    private static Deadline soon() {
        return Deadline.afterMillis(20_000);
    }

    private static FrameLink connect(ExchangeServer server) throws IOException {
        Endpoint place = Endpoint.parse(server.url());
        return new FrameLink(new TcpTransport().connect(place, soon()));
    }

    private static Message ask(FrameLink frames, Message request) throws IOException {
        frames.send(request, soon());
        return frames.receive(soon());
    }

    private static byte[] nonce(int number) {
        byte[] nonce = new byte[32];
        nonce[0] = (byte) number;
        return nonce;
    }

    /** The token of the session. */
    private static byte[] greet(FrameLink frames, int number, byte[] session) throws IOException {
        ask(frames, new Handshake.Hello(nonce(number), session));
        return ((Handshake.Welcome) ask(frames, new Handshake.Proof(new byte[32]))).session();
    }

    private interface Use {
        void use(ExchangeServer server, GlobalHeap heap, FrameLink first, FrameLink second) throws Exception;
    }

    /** Two connections of one client, with the numbers 1 and 2. */
    private static void with(Use use) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap = GlobalHeap.connect(server.url());
                FrameLink first = connect(server);
                FrameLink second = connect(server)) {
            heap.put("k", "v");
            greet(second, 2, greet(first, 1, new byte[16]));
            use.use(server, heap, first, second);
        }
    }

    private static void abandonFirst(FrameLink second) throws IOException {
        assertThat(ask(second, new Request.Abandon(nonce(1)))).isInstanceOf(Reply.Done.class);
    }

    @Test
    void aLeaseIsTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            assertThat(ask(first, new Request.LocateKey("k", 0))).isInstanceOf(Reply.Located.class);
            abandonFirst(second);
            abandonFirst(second);
            heap.remove("k");
            settled(server);
        });
    }

    @Test
    void spaceIsTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            assertThat(ask(first, new Request.Reserve(100))).isInstanceOf(Reply.Reserved.class);
            heap.remove("k");
            abandonFirst(second);
            settled(server);
        });
    }

    @Test
    void theNextRequestShowsThatAReplyHasCome() throws Exception {
        with((server, heap, first, second) -> {
            Reply.Located located = (Reply.Located) ask(first, new Request.LocateKey("k", 0));
            ask(first, new Request.Ping());
            abandonFirst(second);
            heap.remove("k");
            assertThat(heap.at(located.group().address(), String.class)).isEqualTo("v");
        });
    }

    @Test
    void whatComesLaterIsNotGiven() throws Exception {
        with((server, heap, first, second) -> {
            abandonFirst(second);
            assertThat(ask(first, new Request.LocateKey("k", 0)))
                    .isInstanceOfSatisfying(
                            Reply.Refusal.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.GROUP_GONE));
            heap.remove("k");
            settled(server);
        });
    }

    @Test
    void aClientWhoseNetworkWasCutLeavesNothingBehind() throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withLease(Duration.ofSeconds(20));
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap other = GlobalHeap.connect(server.url());
                Relay relay = new Relay(server.url());
                GlobalHeap heap = GlobalHeap.connect(
                        relay.url(), GlobalHeapOptions.defaults().withTimeout(Duration.ofMillis(500)))) {
            other.put("k", "v");
            loses(relay, heap, () -> heap.open("k", String.class));
            loses(relay, heap, () -> heap.publish("published"));
            loses(relay, heap, () -> heap.reserve("l", 5_000));
            assertThat(server.status().groups()).isEqualTo(3);
            other.remove("k");
            settled(server);
            heap.put("m", "v");
            assertThat(heap.get("m", String.class)).isEqualTo("v");
        }
    }

    /** Loses the reply of one call, which has a connection already. */
    private static void loses(Relay relay, GlobalHeap heap, ThrowingCallable call) {
        heap.status();
        relay.losesReplies = true;
        fails(Reason.DEADLINE, call);
        relay.losesReplies = false;
    }
}
