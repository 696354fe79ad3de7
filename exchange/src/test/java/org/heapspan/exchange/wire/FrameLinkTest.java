package org.heapspan.exchange.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.InProcessTransport;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.transport.LinkListener;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class FrameLinkTest {
    private static final byte[] KEY = "a key of some bytes".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private LinkListener listener;
    private Link client;
    private Link server;

    @BeforeEach
    void connect() throws IOException {
        Endpoint place = Endpoint.inProcess("frame-link-test");
        listener = new InProcessTransport().listen(place);
        client = new InProcessTransport().connect(place, soon());
        server = listener.accept();
    }

    @AfterEach
    void disconnect() {
        client.close();
        server.close();
        listener.close();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static List<Message> everyMessage() {
        GroupDescription group = new GroupDescription(1L << 40, 77, -3, true, "a.B", 4);
        return List.of(
                new Handshake.Hello(bytes(32), bytes(16)),
                new Handshake.Challenge(bytes(16), bytes(32), true),
                new Handshake.Proof(bytes(32)),
                new Handshake.Welcome(bytes(32), bytes(16), "/dev/shm/x", 256 << 20, 60_000),
                new Request.Reserve(1L << 33),
                new Request.Data(5, 6, ByteBuffer.wrap(bytes(1000))),
                new Request.Commit(5, 6, 7, true, false, true, "key \u00e4", 3, "x.Y"),
                new Request.LocateKey("key", 1000),
                new Request.ReadKey("key", 1000, 4096),
                new Request.LocateAddress(9, true),
                new Request.Fetch(9),
                new Request.Release(new long[] {1, 2, 3}),
                new Request.Remove("key", 2),
                new Request.ListKeys("a", "b"),
                new Request.StatKey("k"),
                new Request.AskStatus(),
                new Request.AskOrigin(),
                new Request.Ping(),
                new Request.Goodbye(),
                new Request.Store(5, true, "key", 3, "x.Y", ByteBuffer.wrap(bytes(100))),
                new Request.Join(7078),
                new Request.AddCopy(9),
                new Request.DropCopies(new long[] {1, 2}),
                new Request.AwaitFreed(3, 1000),
                new Request.FindCopies(9),
                new Request.FetchCopy(9),
                new Request.Depend(9, new long[] {1, 2}),
                new Request.Abandon(bytes(32), 7),
                new Request.NumberTypes(5, List.of(new TypeRegistry.Type("loader", bytes(300)))),
                new Request.Numbered(
                        new UUID(3, 4), new Request.Store(5, false, "key", 3, "x.Y", ByteBuffer.wrap(bytes(100)))),
                new Request.Numbered(new UUID(3, 5), new Request.Release(new long[] {1, 2})),
                new Request.AskPeer(ByteBuffer.wrap(bytes(100))),
                new Request.StoreCopy(7, 5, 1000, 6, 100, ByteBuffer.wrap(bytes(100))),
                new Request.ForgetCopy(7, 5),
                new Reply.Done(),
                new Reply.Refusal(RefusalCode.CLOSING, "why"),
                new Reply.Reserved(4),
                new Reply.Committed(2),
                new Reply.Located(group),
                new Reply.Content(group, ByteBuffer.wrap(new byte[] {1, 2, 3})),
                new Reply.Payload(44),
                new Reply.Keys(List.of(new KeyDescription("k", group, 5, 6)), true),
                new Reply.Status(1, 2, 3, 4, 5, 6, 7, "d", "v"),
                new Reply.Stored(4, 2),
                new Reply.Freed(5, new long[] {1, 2}, new long[] {3}),
                new Reply.Copies(List.of("heapspan://10.0.0.1:7078", ""), new long[] {4}),
                new Reply.Origin(true),
                new Reply.Working(),
                new Reply.Types(new UUID(1, 2), 3, List.of(new TypeRegistry.Type("", bytes(6_000))), true),
                new Reply.PeerAnswer(ByteBuffer.wrap(bytes(100))));
    }

    /** The bytes of a message, which are equal for equal messages. */
    private static byte[] content(Message message) {
        BodyWriter body = new BodyWriter();
        message.write(body);
        byte[] content = new byte[body.written().remaining()];
        body.written().get(content);
        return content;
    }

    private void exchange(FrameLink from, FrameLink to) throws IOException {
        Set<MessageType> types = new HashSet<>();
        for (Message message : everyMessage()) {
            from.send(message, soon());
            Message received = to.receive(soon());
            assertThat(received.getClass()).isEqualTo(message.getClass());
            assertThat(content(received)).as(message.toString()).isEqualTo(content(message));
            types.add(message.type());
        }
        assertThat(types).containsExactlyInAnyOrder(MessageType.values());
    }

    @Test
    void carriesEveryMessage() throws IOException {
        exchange(new FrameLink(client), new FrameLink(server));
    }

    @Test
    void carriesEveryMessageWithASecretInBothDirections() throws IOException {
        FrameLink one = new FrameLink(client);
        FrameLink other = new FrameLink(server);
        one.establish(KEY, true);
        other.establish(KEY, false);
        exchange(one, other);
        exchange(other, one);
    }

    @Test
    void theEndOfAConnectionBetweenMessagesIsNoError() throws IOException {
        client.close();
        assertThat(new FrameLink(server).receiveNext(soon(), java.time.Duration.ofSeconds(Eventually.MOST_SECONDS)))
                .isNull();
    }

    /** Every byte of a frame matters. */
    @Test
    void everyChangedBitIsNoticed() throws IOException {
        byte[] frame = frame(new Request.Remove("key", 2));
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] changed = frame.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> receive(changed)).as("bit %d", bit).isInstanceOf(IOException.class);
        }
    }

    private byte[] frame(Message message) throws IOException {
        new FrameLink(client).send(message, soon());
        ByteBuffer frame = ByteBuffer.allocate(1 << 20);
        server.readSome(frame, soon());
        return Arrays.copyOf(frame.array(), frame.position());
    }

    /** What a new connection makes of some bytes, and then silence. */
    private static Message receive(byte[] bytes) throws IOException {
        Endpoint place = Endpoint.inProcess("frame-link-test-bytes");
        try (LinkListener other = new InProcessTransport().listen(place);
                Link from = new InProcessTransport().connect(place, soon());
                Link to = other.accept()) {
            from.write(ByteBuffer.wrap(bytes), soon());
            from.close();
            return new FrameLink(to).receive(soon());
        }
    }

    @Test
    void aFrameThatIsTooLongIsRefusedBeforeItIsThere() {
        ByteBuffer header = ByteBuffer.allocate(FrameLink.HEADER_BYTES)
                .putShort(FrameLink.MAGIC)
                .put((byte) FrameLink.VERSION)
                .put(MessageType.PING.number());
        assertThatThrownBy(() ->
                        receive(header.duplicate().putInt(Integer.MAX_VALUE).array()))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("announces 2147483647 bytes, expected at most " + FrameLink.MOST_HANDSHAKE_BYTES);
        assertThatThrownBy(() -> receive(header.duplicate().putInt(-1).array()))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("announces -1 bytes");
    }

    /** A client would write there. */
    @Test
    void aServerGivesNoNegativeAddresses() throws IOException {
        for (Message message : List.of(new Reply.Reserved(-1), new Reply.Reserved(0), new Reply.Stored(-1, 1))) {
            byte[] frame = frame(message);
            assertThatThrownBy(() -> receive(frame))
                    .as("%s", message)
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("expected at least");
        }
        assertThat(receive(frame(new Reply.Stored(0, 1)))).isEqualTo(new Reply.Stored(0, 1));
    }

    @Test
    void otherProtocolsAreNamed() {
        assertThatThrownBy(() -> receive(Arrays.copyOf(new byte[] {0x16, 3, 1}, 20)))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("speaks TLS");
        assertThatThrownBy(() -> receive("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("does not speak the exchange protocol");
        assertThatThrownBy(() -> receive(new byte[] {0x48, 0x58, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0}))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("speaks version 9 of the protocol, expected 2");
        assertThatThrownBy(() -> receive(new byte[] {0x48})).isInstanceOf(EOFException.class);
    }

    /** Repeated, dropped, reordered, changed, from the other direction, without tag. */
    @Test
    void aSealedFrameIsAcceptedOnceAndInItsPlace() throws IOException {
        List<byte[]> sealed = new ArrayList<>();
        FrameLink sender = new FrameLink(client);
        sender.establish(KEY, true);
        for (int i = 0; i < 3; i++) {
            sender.send(new Request.Fetch(i), soon());
            ByteBuffer frame = ByteBuffer.allocate(100);
            server.readSome(frame, soon());
            sealed.add(Arrays.copyOf(frame.array(), frame.position()));
        }
        assertThat(sealed.get(0)).hasSize(FrameLink.HEADER_BYTES + Long.BYTES + FrameSeal.TAG_BYTES);
        assertThat(fetched(sealed.get(0), sealed.get(1), sealed.get(2))).isEqualTo(3);
        assertThat(fetched(sealed.get(0), sealed.get(0))).isEqualTo(1);
        assertThat(fetched(sealed.get(1))).isZero();
        assertThat(fetched(sealed.get(0), sealed.get(2))).isEqualTo(1);
        byte[] changed = sealed.get(0).clone();
        changed[changed.length - 1] ^= 1;
        assertThat(fetched(changed)).isZero();
    }

    /** How many frames a receiver accepts. */
    private static int fetched(byte[]... frames) throws IOException {
        Endpoint place = Endpoint.inProcess("frame-link-test-sealed");
        try (LinkListener other = new InProcessTransport().listen(place);
                Link from = new InProcessTransport().connect(place, soon());
                Link to = other.accept()) {
            for (byte[] frame : frames) {
                from.write(ByteBuffer.wrap(frame), soon());
            }
            FrameLink receiver = new FrameLink(to);
            receiver.establish(KEY, false);
            for (int i = 0; i < frames.length; i++) {
                try {
                    receiver.receive(soon());
                } catch (MalformedFrameException e) {
                    assertThat(e).hasMessageContaining("its authentication fails");
                    return i;
                }
            }
            return frames.length;
        }
    }

    @Test
    void proofsDependOnEverythingInTheHandshake() {
        SharedSecret secret = new SharedSecret(bytes(32));
        Handshake.Hello hello = new Handshake.Hello(bytes(32), bytes(16));
        Handshake.Challenge challenge = new Handshake.Challenge(bytes(16), bytes(32), true);
        byte[] proof = secret.proofOfClient(hello, challenge);
        assertThat(secret.proofOfClient(hello, challenge)).isEqualTo(proof);
        Handshake.Welcome welcome = new Handshake.Welcome(new byte[32], bytes(16), "/dev/shm/x", 1 << 20, 1000);
        byte[] ofServer = secret.proved(hello, challenge, welcome).proof();
        assertThat(ofServer).isNotEqualTo(proof);
        assertThat(secret.proved(hello, challenge, welcome.withProof(bytes(32))).proof())
                .isEqualTo(ofServer);
        Handshake.Welcome changed = new Handshake.Welcome(new byte[32], bytes(16), "/dev/shm/y", 1 << 20, 1000);
        assertThat(secret.proved(hello, challenge, changed).proof()).isNotEqualTo(ofServer);
        assertThat(secret.keyOfFrames(hello, challenge)).isNotEqualTo(proof);
        assertThat(new SharedSecret(bytes(33)).proofOfClient(hello, challenge)).isNotEqualTo(proof);
        assertThat(secret.proofOfClient(new Handshake.Hello(new byte[32], bytes(16)), challenge))
                .isNotEqualTo(proof);
        assertThat(secret.proofOfClient(hello, new Handshake.Challenge(bytes(16), new byte[32], true)))
                .isNotEqualTo(proof);
        assertThatThrownBy(() -> new SharedSecret(bytes(15)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("15 bytes, expected at least 16");
    }

    private static String page() throws IOException {
        return Files.readString(
                Path.of(System.getProperty("heapspan.root", "..")).resolve("docs/formats/exchange-protocol.md"));
    }

    @Test
    void thePageOfTheProtocolHasThisFrame() throws IOException {
        assertThat(page())
                .contains("\n" + HexFormat.ofDelimiter(" ").formatHex(frame(new Request.Ping())) + "\n")
                .contains(String.format(
                        Locale.ROOT,
                        "at most %,d bytes during the handshake, and %,d bytes after it",
                        FrameLink.MOST_HANDSHAKE_BYTES,
                        FrameLink.MOST_BODY_BYTES));
    }

    @Test
    void thePageOfTheProtocolHasTheseMessages() throws IOException {
        Map<Integer, String> table = new TreeMap<>();
        Matcher row = Pattern.compile("(?m)^\\| (\\d+) \\| `([A-Z_]+)` \\|").matcher(page());
        while (row.find()) {
            table.put(Integer.parseInt(row.group(1)), row.group(2));
        }
        Map<Integer, String> messages = new TreeMap<>();
        for (MessageType type : MessageType.values()) {
            messages.put((int) type.number(), type.name());
        }
        assertThat(table).isEqualTo(messages);
    }
}
