package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
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
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that has not heard what it was given says so, and it is not lost. */
@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class LostReplyTest {
    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
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

    /** The first connection, over which so many replies have come. */
    private static void abandonFirst(FrameLink second, long replies) throws IOException {
        assertThat(ask(second, new Request.Abandon(nonce(1), replies))).isInstanceOf(Reply.Done.class);
    }

    @Test
    void aLeaseIsTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            assertThat(ask(first, new Request.LocateKey("k", 0))).isInstanceOf(Reply.Located.class);
            abandonFirst(second, 0);
            abandonFirst(second, 0);
            heap.remove("k");
            settled(server);
        });
    }

    @Test
    void spaceIsTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            assertThat(ask(first, new Request.Reserve(100))).isInstanceOf(Reply.Reserved.class);
            heap.remove("k");
            abandonFirst(second, 0);
            settled(server);
        });
    }

    @Test
    void theNextRequestShowsThatAReplyHasCome() throws Exception {
        with((server, heap, first, second) -> {
            Reply.Located located = (Reply.Located) ask(first, new Request.LocateKey("k", 0));
            ask(first, new Request.Ping());
            abandonFirst(second, 0);
            heap.remove("k");
            assertThat(heap.at(located.group().address(), String.class)).isEqualTo("v");
        });
    }

    @Test
    void whatTheClientHasHeardOfIsNotTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            ask(first, new Request.Ping());
            Reply.Located located = (Reply.Located) ask(first, new Request.LocateKey("k", 0));
            abandonFirst(second, 2);
            heap.remove("k");
            assertThat(heap.at(located.group().address(), String.class)).isEqualTo("v");
        });
    }

    @Test
    void oneOfTwoLeasesOfTheSameGroupIsTakenBack() throws Exception {
        with((server, heap, first, second) -> {
            long address = ((Reply.Located) ask(first, new Request.LocateKey("k", 0)))
                    .group()
                    .address();
            ask(first, new Request.LocateKey("k", 0));
            abandonFirst(second, 1);
            assertThat(leases(heap)).isEqualTo(1);
            heap.remove("k");
            assertThat(release(second, 1, address)).isInstanceOf(Reply.Done.class);
            settled(server);
        });
    }

    @Test
    void whatComesLaterIsNotGiven() throws Exception {
        with((server, heap, first, second) -> {
            abandonFirst(second, 0);
            assertThat(ask(first, new Request.LocateKey("k", 0)))
                    .isInstanceOfSatisfying(
                            Reply.Refusal.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.GROUP_GONE));
            heap.remove("k");
            settled(server);
        });
    }

    /** Otherwise its client would be refused as long as it uses this connection, and never begin another session. */
    @Test
    void aConnectionOfASessionThatHasEndedIsClosed() throws Exception {
        with((server, heap, first, second) -> {
            assertThat(ask(second, new Request.Goodbye())).isInstanceOf(Reply.Done.class);
            assertThat(ask(first, new Request.LocateKey("k", 0)))
                    .isInstanceOfSatisfying(
                            Reply.Refusal.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.GROUP_GONE));
            assertThat(first.receiveNext(Deadline.afterMillis(10_000), Duration.ofSeconds(10)))
                    .isNull();
        });
    }

    private static Message release(FrameLink frames, long number, long address) throws IOException {
        return ask(frames, new Request.Numbered(new UUID(1, number), new Request.Release(new long[] {address})));
    }

    @Test
    void aReleaseThatIsRepeatedCountsOnce() throws Exception {
        with((server, heap, first, second) -> {
            long address = ((Reply.Located) ask(first, new Request.LocateKey("k", 0)))
                    .group()
                    .address();
            ask(second, new Request.LocateKey("k", 0));
            heap.remove("k");
            assertThat(release(first, 7, address)).isInstanceOf(Reply.Done.class);
            assertThat(release(second, 7, address)).isInstanceOf(Reply.Done.class);
            // One that was on its way for long.
            assertThat(release(second, 6, address)).isInstanceOf(Reply.Done.class);
            assertThat(heap.at(address, String.class)).isEqualTo("v");
            assertThat(release(second, 8, address)).isInstanceOf(Reply.Done.class);
            settled(server);
        });
    }

    @Test
    void aRequestThatWasLostTakesNothingBack() throws Exception {
        withRelay((server, relay, heap) -> {
            GroupHandle<String> handle = heap.publish("published");
            relay.losesRequests = true;
            fails(Reason.DEADLINE, () -> heap.publish("never"));
            relay.losesRequests = false;
            heap.access().client().flush();
            assertThat(server.status().groups()).isEqualTo(1);
            assertThat(handle.read(String.class)).isEqualTo("published");
            handle.close();
            settled(server);
        });
    }

    /** Not long, because most tests wait for its end, and long enough for a reply through a relay on a busy machine. */
    private static GlobalHeapOptions impatient() {
        return GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(2));
    }

    private interface Cut {
        void use(ExchangeServer server, Relay relay, GlobalHeap heap) throws Exception;
    }

    /** A client that reaches the server through a relay, and does not wait for long. Its session does not end meanwhile. */
    private static void withRelay(Cut use) throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withLease(Duration.ofSeconds(8));
        try (ExchangeServer server = ExchangeServer.start(options);
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(impatient())) {
            use.use(server, relay, heap);
        }
    }

    @Test
    void aReleaseThatWasLostIsRepeated() throws Exception {
        withRelay((server, relay, heap) -> {
            GroupHandle<String> handle = heap.publish("published");
            GObject<String> reserved = heap.reserve("never", 100);
            relay.losesRequests = true;
            handle.close();
            reserved.release();
            fails(Reason.DEADLINE, heap::status);
            TimeUnit.MILLISECONDS.sleep(700);
            assertThat(server.status().groups()).isEqualTo(2);
            relay.losesRequests = false;
            settled(server);
            Eventually.holds("there is one session", () -> server.status().sessions() == 1);
        });
    }

    @Test
    void aReleaseWhoseReplyWasLostEndsNoOtherLease() throws Exception {
        withRelay((server, relay, heap) -> {
            try (GlobalHeap other = GlobalHeap.connect(server.url())) {
                other.put("k", "v");
                GObject<String> first = heap.open("k", String.class);
                relay.losesReplies = true;
                first.release();
                Eventually.holds("the server has had it", () -> leases(other) == 0);
                fails(Reason.DEADLINE, heap::status);
                relay.losesReplies = false;
                GObject<String> again = heap.open("k", String.class);
                assertThat(leases(other)).isEqualTo(1);
                // A quarter of a lease after the attempt, the message is repeated.
                TimeUnit.SECONDS.sleep(4);
                assertThat(leases(other)).isEqualTo(1);
                again.release();
                Eventually.holds("the message after it counts", () -> leases(other) == 0);
            }
        });
    }

    /** Its client cannot know whether the key is there, and gives up the space. Another thread of it uses the key meanwhile. */
    @Test
    void aCommitWhoseReplyWasLostEndsNoLeaseOfAnotherThread() throws Exception {
        withRelay((server, relay, heap) -> {
            try (GlobalHeap other = GlobalHeap.connect(server.url())) {
                GObject<byte[]> reserved = heap.reserve("k", 100_000);
                reserved.populate(new byte[50_000]);
                relay.losesReplies = true;
                fails(Reason.DEADLINE, reserved::commit);
                // What the client says is told later.
                relay.losesRequests = true;
                relay.losesReplies = false;
                assertThat(other.find("k")).isPresent();
                TimeUnit.MILLISECONDS.sleep(200);
                relay.losesRequests = false;
                GObject<byte[]> opened = heap.open("k", byte[].class);
                heap.access().client().flush();
                assertThat(leases(other)).isEqualTo(1);
                assertThat(other.remove("k")).isTrue();
                assertThat(opened.read()).hasSize(50_000);
                opened.release();
                settled(server);
            }
        });
    }

    private static int leases(GlobalHeap heap) {
        return heap.find("k").orElseThrow().leases();
    }

    @Test
    void aClientWhoseNetworkWasCutLeavesNothingBehind() throws Exception {
        // The client tells of what was lost after a quarter of it, and not before the server was looked at.
        ExchangeServerOptions options = Place.SAME_HOST.server().withLease(Duration.ofSeconds(40));
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap other = GlobalHeap.connect(server.url());
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(impatient())) {
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
