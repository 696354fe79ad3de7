package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.transport.LinkListener;
import org.heapspan.exchange.transport.TcpTransport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.KeyDescription;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that lie, servers that lie, and bytes that are no messages. Nobody hangs, crashes or allocates what was only announced. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class HostileBytesTest {
    private static final long SEED = 20_261_125L;
    private static final Duration SHORT = Duration.ofMillis(250);
    private static final int FRAME_HEADER_BYTES = 12;

    /** Long enough for a machine that is busy. */
    private static final Duration OF_SERVER = Duration.ofSeconds(1);

    private final Random random = new Random(SEED);
    private final AtomicLong nextAddress = new AtomicLong(1L << 30);

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    private static ExchangeServer impatientServer() throws IOException {
        return impatientServer(Place.SAME_HOST);
    }

    private static ExchangeServer impatientServer(Place place) throws IOException {
        // A keeper needs its time to ask its server.
        return ExchangeServer.start(
                place == Place.JOINED
                        ? place.server()
                        : place.server().withTimeout(OF_SERVER).withLease(Duration.ofSeconds(3)));
    }

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    private static int port(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
    }

    private static void stillServes(ExchangeServer server) throws Exception {
        // A client tells of releases by a connection of its own if it may have one.
        GlobalHeapOptions oneConnection = GlobalHeapOptions.defaults().withConnections(1);
        try (GlobalHeap heap = Place.connectAtLast(server.url(), oneConnection)) {
            assertThat(heap.get("good", String.class, Duration.ZERO)).isEqualTo("value");
            heap.put("another", new int[10_000]);
            assertThat(heap.get("another", int[].class)).hasSize(10_000);
            heap.remove("another");
        }
        Eventually.holds("no connection is left", () -> server.status().connections() == 0);
    }

    private static void putGood(ExchangeServer server) throws Exception {
        GlobalHeapOptions oneConnection = GlobalHeapOptions.defaults().withConnections(1);
        try (GlobalHeap heap = Place.connectAtLast(server.url(), oneConnection)) {
            heap.put("good", "value");
        }
    }

    /** The bytes that a client sends in a whole conversation. */
    private static byte[] conversation() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Endpoint place = Endpoint.tcp("127.0.0.1", 0);
        try (LinkListener listener = new TcpTransport().listen(place);
                Link from = new TcpTransport().connect(listener.endpoint(), soon());
                Link to = listener.accept()) {
            FrameLink frames = new FrameLink(from);
            for (Message message : List.of(
                    new Handshake.Hello(new byte[32], new byte[16]),
                    new Handshake.Proof(new byte[32]),
                    new Request.Reserve(1000),
                    new Request.Data(1, 0, ByteBuffer.allocate(1000)),
                    new Request.Commit(1, 1000, 5, false, false, false, "key", 0, "T"),
                    new Request.Store(5, false, "key", 0, "T", ByteBuffer.allocate(100)),
                    new Request.LocateKey("good", 0),
                    new Request.ReadKey("good", 0, 4096),
                    new Request.ListKeys("", ""),
                    new Request.Release(new long[] {1, 2}),
                    new Request.NumberTypes(0, List.of(new TypeRegistry.Type("loader", new byte[100]))),
                    new Request.AskStatus(),
                    new Request.AskOrigin(),
                    new Request.Ping(),
                    new Request.LocateAddress(1, true),
                    new Request.Fetch(1),
                    new Request.Remove("key", 1),
                    new Request.StatKey("good"),
                    new Request.Depend(1, new long[] {1, 2}),
                    new Request.Numbered(new UUID(1, 2), new Request.Remove("key", 1)),
                    new Request.Abandon(new byte[32], 1),
                    new Request.Join(7077),
                    new Request.AddCopy(1),
                    new Request.FindCopies(1),
                    new Request.FetchCopy(1),
                    new Request.DropCopies(new long[] {1, 2}),
                    new Request.AwaitFreed(0, 0),
                    new Request.AskPeer(ByteBuffer.allocate(10)),
                    new Request.StoreCopy(1, 1, 10, 5, 0, ByteBuffer.allocate(10)),
                    new Request.ForgetCopy(1, 1),
                    new Request.Goodbye())) {
                frames.send(message, soon());
            }
            ByteBuffer received = ByteBuffer.allocate(1 << 16);
            to.readSome(received, soon());
            bytes.write(received.array(), 0, received.position());
        }
        return bytes.toByteArray();
    }

    /** Mends the checksums of frames, so that bodies are read. */
    private static byte[] mended(byte[] conversation) {
        ByteBuffer bytes = ByteBuffer.wrap(conversation.clone());
        int at = 0;
        while (bytes.limit() - at >= FRAME_HEADER_BYTES) {
            int length = bytes.getInt(at + 4);
            if (length < 0 || length > bytes.limit() - at - FRAME_HEADER_BYTES) {
                break;
            }
            CRC32C checksum = new CRC32C();
            checksum.update(bytes.slice(at, Long.BYTES));
            checksum.update(bytes.slice(at + FRAME_HEADER_BYTES, length));
            bytes.putInt(at + Long.BYTES, (int) checksum.getValue());
            at += FRAME_HEADER_BYTES + length;
        }
        return bytes.array();
    }

    @Test
    void mendedBytesAreThoseOfFrames() throws Exception {
        byte[] good = conversation();
        byte[] damaged = good.clone();
        for (int at = 0;
                at < damaged.length;
                at += FRAME_HEADER_BYTES + ByteBuffer.wrap(good).getInt(at + 4)) {
            damaged[at + Long.BYTES]++;
        }
        assertThat(damaged).isNotEqualTo(good);
        assertThat(mended(damaged)).isEqualTo(good);
    }

    @ParameterizedTest
    @EnumSource(names = {"SAME_HOST", "JOINED"})
    void aServerOutlivesMutatedConversations(Place place) throws Exception {
        byte[] good = conversation();
        try (ExchangeServer server = impatientServer(place)) {
            putGood(server);
            int closedEarly = 0;
            for (int i = 0; i < 400; i++) {
                byte[] mutated = random.nextInt(4) == 0 ? mutated(good) : mended(mutated(good));
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server.url()))) {
                    OutputStream out = socket.getOutputStream();
                    out.write(mutated);
                    socket.shutdownOutput();
                    socket.setSoTimeout(30_000);
                    // To its end: the server closes, whatever it was.
                    socket.getInputStream().readAllBytes();
                } catch (SocketException e) {
                    // The server has closed before all was written, or before the end was told.
                    closedEarly++;
                }
            }
            assertThat(closedEarly).isLessThan(400);
            stillServes(server);
        }
    }

    private byte[] mutated(byte[] good) {
        byte[] bytes = good.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                int changes = 1 + random.nextInt(4);
                for (int i = 0; i < changes; i++) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 2 -> {
                int from = random.nextInt(bytes.length);
                byte[] noise = new byte[Math.min(bytes.length - from, 1 + random.nextInt(64))];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, bytes, from, noise.length);
            }
            default -> {
                bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
            }
        }
        return bytes;
    }

    private long number() {
        long[] numbers = {
            0, 1, -1, 4095, 4096, 1 << 20, (1 << 20) + 1, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE
        };
        return random.nextInt(4) == 0 ? random.nextLong() : numbers[random.nextInt(numbers.length)];
    }

    private String text() {
        String[] texts = {"", "good", "k", "a\nb", "\u0000", "x".repeat(1300), "\u202e", "/dev/zero", "../../etc"};
        return texts[random.nextInt(texts.length)];
    }

    private Request request(List<Long> addresses) {
        long address = addresses.isEmpty() || random.nextInt(4) == 0
                ? number()
                : addresses.get(random.nextInt(addresses.size()));
        return switch (random.nextInt(31)) {
            case 13 -> new Request.ReadKey(text(), shortWait(), (int) number());
            case 14 -> new Request.Join((int) number());
            case 15 -> new Request.AddCopy(address);
            case 16 -> new Request.DropCopies(new long[] {number(), address, address});
            case 17 -> new Request.AwaitFreed(number(), shortWait());
            case 18 -> new Request.FindCopies(address);
            case 19, 20 -> new Request.FetchCopy(address);
            case 21, 22 -> new Request.Numbered(new UUID(random.nextInt(3), random.nextInt(3)), change(address));
            case 23 -> new Request.Abandon(nonce(), number());
            case 24 -> new Request.AskOrigin();
            case 25 -> new Request.AskPeer(ByteBuffer.allocate(random.nextInt(100)));
            case 26 ->
                new Request.StoreCopy(
                        number(), address, number(), 0, number(), ByteBuffer.allocate(random.nextInt(5000)));
            case 27 -> new Request.ForgetCopy(number(), address);
            case 28 -> new Request.AskStatus();
            case 29 -> new Request.Ping();
            case 0 -> new Request.Reserve(random.nextBoolean() ? 1 + random.nextInt(100_000) : number());
            case 1 ->
                new Request.Data(
                        address, random.nextBoolean() ? 0 : number(), ByteBuffer.allocate(random.nextInt(5000)));
            case 2, 3 -> commit(address);
            case 4 -> new Request.LocateKey(text(), 0);
            case 5 -> new Request.LocateAddress(address, random.nextBoolean());
            case 6 -> new Request.Fetch(address);
            case 7 -> new Request.Release(new long[] {address, address, number()});
            case 8 -> new Request.ListKeys(text(), text());
            case 9 -> new Request.StatKey(text());
            case 10 ->
                new Request.Store(
                        random.nextInt(),
                        random.nextBoolean(),
                        text(),
                        random.nextInt(3),
                        text(),
                        ByteBuffer.allocate(random.nextInt(40_000)));
            case 11 -> new Request.NumberTypes((int) number(), types());
            case 12 -> new Request.Depend(address, new long[] {number(), address});
            default -> new Request.Remove("hostile" + random.nextInt(20), number());
        };
    }

    /** The server waits for a second at most, but tests need not. */
    private long shortWait() {
        long[] waits = {0, 1, -1, Long.MIN_VALUE};
        return waits[random.nextInt(waits.length)];
    }

    /** That of this connection now and then, which gets nothing more then. */
    private byte[] nonce() {
        byte[] nonce = new byte[32];
        if (random.nextInt(8) != 0) {
            random.nextBytes(nonce);
        }
        return nonce;
    }

    private Request.Commit commit(long address) {
        return new Request.Commit(
                address,
                random.nextBoolean() ? 1 + random.nextInt(5000) : number(),
                random.nextInt(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                "hostile" + random.nextInt(20),
                random.nextInt(3),
                text());
    }

    private Request change(long address) {
        return switch (random.nextInt(3)) {
            case 0 -> commit(address);
            case 1 -> new Request.Remove("hostile" + random.nextInt(20), number());
            default -> new Request.Release(new long[] {address, number()});
        };
    }

    private List<TypeRegistry.Type> types() {
        List<TypeRegistry.Type> types = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            byte[] description = new byte[1 + random.nextInt(10_000)];
            random.nextBytes(description);
            types.add(new TypeRegistry.Type(text(), description));
        }
        return types;
    }

    /** Each request gets a reply, or ends its own connection. */
    @ParameterizedTest
    @EnumSource(names = {"SAME_HOST", "JOINED"})
    void aServerOutlivesMessagesWithHostileValues(Place place) throws Exception {
        Set<Class<?>> sent = new HashSet<>();
        try (ExchangeServer server = impatientServer(place)) {
            putGood(server);
            for (int connection = 0; connection < 40; connection++) {
                try (FrameLink frames = shaken(server)) {
                    List<Long> addresses = new ArrayList<>();
                    for (int i = 0; i < 150; i++) {
                        Request request = request(addresses);
                        frames.send(request, soon());
                        sent.add(request.getClass());
                        if (request instanceof Request.Data) {
                            continue;
                        }
                        Message reply = frames.receive(soon());
                        assertThat(reply).as("to %s", request).isInstanceOf(Reply.class);
                        if (reply instanceof Reply.Reserved reserved) {
                            addresses.add(reserved.address());
                        } else if (reply instanceof Reply.Payload payload) {
                            ByteBuffer bytes = ByteBuffer.allocate((int) payload.sizeBytes());
                            frames.link().read(bytes, soon());
                        }
                    }
                }
            }
            assertThat(Request.class.getPermittedSubclasses())
                    .filteredOn(type -> type != Request.Goodbye.class)
                    .isSubsetOf(sent);
            stillServes(server);
            // What hostile clients had reserved, leased or handed over is given back; keys that they committed are
            // keys.
            try (GlobalHeap heap = Place.connectAtLast(server.url(), GlobalHeapOptions.defaults())) {
                for (KeyInfo key : heap.list("hostile")) {
                    assertThatThrownBy(() -> heap.get(key.key(), Object.class, Duration.ZERO))
                            .isInstanceOf(HeapspanException.class);
                    heap.remove(key.key());
                }
                assertThat(heap.get("good", String.class)).isEqualTo("value");
            }
        }
    }

    private static FrameLink shaken(ExchangeServer server) throws IOException {
        Link link = new TcpTransport().connect(Endpoint.tcp("127.0.0.1", port(server.url())), soon());
        FrameLink frames = new FrameLink(link);
        assertThat(greet(frames, new byte[16])).isInstanceOf(Handshake.Welcome.class);
        frames.establish(null, true);
        return frames;
    }

    /** What the server says at the end of the handshake. */
    private static Message greet(FrameLink frames, byte[] session) throws IOException {
        frames.send(new Handshake.Hello(new byte[32], session), soon());
        assertThat(frames.receive(soon())).isInstanceOf(Handshake.Challenge.class);
        frames.send(new Handshake.Proof(new byte[32]), soon());
        return frames.receive(soon());
    }

    /** A group that is stored with one message is checked as others are, and leaves nothing where it is refused. */
    @Test
    void aServerChecksGroupsOfOneMessage() throws Exception {
        try (ExchangeServer server = impatientServer();
                FrameLink frames = shaken(server)) {
            int checksum = checksum(new byte[100]);
            assertThat(stored(frames, checksum + 1, "k", new byte[100])).isEqualTo(RefusalCode.CHECKSUM);
            assertThat(stored(frames, 0, "k", new byte[0])).isEqualTo(RefusalCode.LIMIT);
            byte[] most = new byte[Request.Store.MOST_BYTES];
            byte[] more = new byte[Request.Store.MOST_BYTES + 1];
            assertThat(stored(frames, checksum(more), "k", more)).isEqualTo(RefusalCode.PROTOCOL);
            assertThat(stored(frames, checksum, "a\nb", new byte[100])).isEqualTo(RefusalCode.LIMIT);
            assertThat(server.status().usedBytes()).isZero();
            assertThat(stored(frames, checksum(most), "k", most)).isNull();
            assertThat(stored(frames, checksum, "k", new byte[100])).isEqualTo(RefusalCode.KEY_EXISTS);
            assertThat(server.status().groups()).isEqualTo(1);
        }
    }

    private static int checksum(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, bytes.length);
        return (int) checksum.getValue();
    }

    /** The refusal of a group, or null if it was stored. */
    private static @Nullable RefusalCode stored(FrameLink frames, int checksum, String key, byte[] bytes)
            throws IOException {
        frames.send(new Request.Store(checksum, false, key, 0, "T", ByteBuffer.wrap(bytes)), soon());
        Message reply = frames.receive(soon());
        if (reply instanceof Reply.Refusal refusal) {
            return refusal.code();
        }
        assertThat(reply).isInstanceOf(Reply.Stored.class);
        return null;
    }

    /** One client does not take the connections of all others. */
    @Test
    void aClientHasOnlySomeOfTheConnections() throws Exception {
        try (ExchangeServer server =
                ExchangeServer.start(Place.SAME_HOST.server().withConnectionsOfClient(1))) {
            Endpoint place = Endpoint.tcp("127.0.0.1", port(server.url()));
            putGood(server);
            try (FrameLink first = new FrameLink(new TcpTransport().connect(place, soon()));
                    FrameLink second = new FrameLink(new TcpTransport().connect(place, soon()))) {
                Handshake.Welcome welcome = (Handshake.Welcome) greet(first, new byte[16]);
                Reply.Refusal refusal = (Reply.Refusal) greet(second, welcome.session());
                assertThat(refusal.code()).isEqualTo(RefusalCode.BUSY);
                assertThat(refusal.reason()).contains("the most that the server allows one client");
            }
            stillServes(server);
        }
    }

    @Test
    void aServerEndsConnectionsThatSayNothing() throws Exception {
        try (ExchangeServer server = impatientServer();
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), port(server.url()));
                Socket slow = new Socket(InetAddress.getLoopbackAddress(), port(server.url()))) {
            slow.getOutputStream().write(0x48);
            for (Socket socket : List.of(silent, slow)) {
                socket.setSoTimeout(30_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    /** A client that asks for a group and does not read it holds its thread for the timeout only. */
    @Test
    void aServerEndsConnectionsThatDoNotRead() throws Exception {
        try (ExchangeServer server = impatientServer();
                GlobalHeap heap = Place.connectAtLast(
                        server.url(), GlobalHeapOptions.defaults().withConnections(1))) {
            heap.put("good", "value");
            heap.put("large", new byte[30 << 20]);
            try (FrameLink frames = shaken(server)) {
                frames.send(new Request.LocateKey("large", 0), soon());
                Reply.Located located = (Reply.Located) frames.receive(soon());
                frames.send(new Request.Fetch(located.group().address()), soon());
                assertThat(frames.receive(soon())).isInstanceOf(Reply.Payload.class);
                Eventually.holds(
                        "the connection is ended", () -> server.status().connections() <= 1);
            }
            assertThat(heap.get("good", String.class)).isEqualTo("value");
        }
    }

    // Servers that lie

    private Reply reply() {
        GroupDescription group = new GroupDescription(
                1 + random.nextInt(1 << 30),
                random.nextInt(3) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(1000),
                random.nextInt(),
                random.nextBoolean(),
                text(),
                number());
        return switch (random.nextInt(13)) {
            case 0 -> new Reply.Done();
            case 1 -> new Reply.Refusal(RefusalCode.values()[random.nextInt(RefusalCode.values().length)], text());
            case 2 -> new Reply.Reserved(number());
            case 3 -> new Reply.Committed(number());
            case 8 -> new Reply.Stored(number(), number());
            case 9 -> new Reply.Types(new UUID(1, random.nextInt(2)), random.nextInt(3), types(), random.nextBoolean());
            case 4, 5 -> new Reply.Located(group);
            case 10, 11 -> new Reply.Content(group, ByteBuffer.allocate(random.nextInt(100)));
            case 6 -> new Reply.Payload(random.nextBoolean() ? group.sizeBytes() : number());
            case 7 -> new Reply.Keys(List.of(new KeyDescription(text(), group, number(), 1)), random.nextBoolean());
            default -> new Reply.Status(number(), number(), 1, 2, 3, 4, number(), text(), text());
        };
    }

    /** Answers as it likes, then says nothing or something else. */
    private void lie(Link link) {
        try (FrameLink frames = new FrameLink(link)) {
            frames.receive(soon());
            frames.send(new Handshake.Challenge(new byte[16], new byte[32], false), soon());
            frames.receive(soon());
            String[] directories = {
                "/dev/shm", "/dev/zero", "\u0000", "/dev/shm/heapspan-exchange-" + "0".repeat(32), ""
            };
            frames.send(
                    new Handshake.Welcome(
                            new byte[32],
                            new byte[16],
                            directories[random.nextInt(directories.length)],
                            (int) number(),
                            number()),
                    soon());
            frames.establish(null, false);
            while (true) {
                Message request = frames.receive(soon());
                if (request instanceof Request.Ping) {
                    frames.send(new Reply.Done(), soon());
                } else if (request instanceof Request.AskOrigin) {
                    frames.send(new Reply.Origin(false), soon());
                } else if (!(request instanceof Request.Data)) {
                    answer(frames);
                }
            }
        } catch (IOException e) {
            return;
        }
    }

    private void answer(FrameLink frames) throws IOException {
        if (random.nextInt(12) == 0) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            frames.link().write(ByteBuffer.wrap(noise), soon());
            return;
        }
        Reply reply = reply();
        frames.send(reply, soon());
        if (reply instanceof Reply.Payload) {
            byte[] noise = new byte[random.nextInt(2000)];
            random.nextBytes(noise);
            frames.link().write(ByteBuffer.wrap(noise), soon());
        }
    }

    private static void serve(LinkListener listener, Consumer<Link> liar) {
        Thread server = new Thread(
                () -> {
                    try {
                        while (true) {
                            Link link = listener.accept();
                            Thread thread = new Thread(() -> liar.accept(link), "liar");
                            thread.setDaemon(true);
                            thread.start();
                        }
                    } catch (IOException e) {
                        return;
                    }
                },
                "liars");
        server.setDaemon(true);
        server.start();
    }

    @Test
    void aClientOutlivesAServerThatLies() throws Exception {
        try (LinkListener listener = new TcpTransport().listen(Endpoint.tcp("127.0.0.1", 0))) {
            serve(listener, this::lie);
            GlobalHeapOptions options = GlobalHeapOptions.defaults()
                    .withTimeout(Duration.ofMillis(60))
                    .withDeadline(Duration.ofMillis(20));
            int refused = 0;
            for (int i = 0; i < 300; i++) {
                try (GlobalHeap heap = GlobalHeap.connect(listener.endpoint().toString(), options)) {
                    heap.get("k", Object.class);
                    heap.put("k", "v");
                    heap.list("");
                    heap.status();
                    heap.find("k");
                    heap.typeRegistry().typeOf(7);
                } catch (HeapspanException e) {
                    assertThat(e.category()).isNotNull();
                    assertThat(e.getMessage()).doesNotContain("\n", "\u202e", "\u0000");
                    refused++;
                }
            }
            assertThat(refused).isGreaterThan(250);
        }
    }

    /** The reply that a keeper expects, with values of any kind. */
    private Reply replyToKeeper(Request request) {
        Request change = request.change();
        GroupDescription group = new GroupDescription(
                (1 + random.nextInt(3)) * (1L << 20),
                random.nextInt(4) == 0 ? number() : 1 + random.nextInt(1000),
                random.nextInt(),
                false,
                text(),
                number());
        if (change instanceof Request.LocateKey || change instanceof Request.LocateAddress) {
            return new Reply.Located(group);
        } else if (change instanceof Request.FindCopies) {
            String[] places = {text(), "heapspan://127.0.0.1:1", "heapspan-local://nobody", "heapspan://[::1]:2"};
            return new Reply.Copies(
                    List.of(places[random.nextInt(4)], places[random.nextInt(4)]), new long[] {number(), number()});
        } else if (change instanceof Request.AwaitFreed) {
            return new Reply.Freed(number(), new long[] {number(), group.address()}, new long[] {number(), 1, 2});
        } else if (change instanceof Request.Reserve) {
            return new Reply.Reserved(random.nextInt(4) == 0 ? number() : nextAddress.addAndGet(1 << 20));
        } else if (change instanceof Request.Commit) {
            return new Reply.Committed(number());
        } else if (change instanceof Request.Store) {
            return new Reply.Stored(random.nextInt(4) == 0 ? number() : nextAddress.addAndGet(1 << 20), number());
        } else if (change instanceof Request.Fetch) {
            return new Reply.Payload(random.nextInt(1000));
        }
        return new Reply.Done();
    }

    /** A server to join, which answers as it likes when it has been joined. */
    private void lieToKeeper(Link link) {
        try (FrameLink frames = new FrameLink(link)) {
            frames.receive(soon());
            frames.send(new Handshake.Challenge(new byte[16], new byte[32], false), soon());
            frames.receive(soon());
            byte[] session = "0123456789abcdef".getBytes(US_ASCII);
            frames.send(new Handshake.Welcome(new byte[32], session, "", 1 << 20, 1000), soon());
            frames.establish(null, false);
            while (true) {
                Message request = frames.receive(soon());
                if (request instanceof Request.AskOrigin) {
                    frames.send(new Reply.Origin(false), soon());
                } else if (request instanceof Request.Join || request instanceof Request.Ping) {
                    frames.send(new Reply.Done(), soon());
                } else if (request instanceof Request.Data) {
                    continue;
                } else if (random.nextInt(8) == 0) {
                    answer(frames);
                } else {
                    Reply reply = replyToKeeper((Request) request);
                    frames.send(reply, soon());
                    if (reply instanceof Reply.Payload payload) {
                        frames.link().write(ByteBuffer.allocate((int) payload.sizeBytes()), soon());
                    }
                }
            }
        } catch (IOException e) {
            return;
        }
    }

    @Test
    void aKeeperOutlivesAServerThatLies() throws Exception {
        try (LinkListener listener = new TcpTransport().listen(Endpoint.tcp("127.0.0.1", 0))) {
            serve(listener, this::lieToKeeper);
            ExchangeServerOptions options = ExchangeServerOptions.port(0)
                    .withMemory(64 << 20)
                    .withTimeout(SHORT)
                    .joining(listener.endpoint().toString());
            int refused = 0;
            try (ExchangeServer keeper = ExchangeServer.start(options);
                    GlobalHeap heap = Place.connectAtLast(
                            keeper.url(), GlobalHeapOptions.defaults().withDeadline(Duration.ofMillis(20)))) {
                for (int i = 0; i < 200; i++) {
                    try {
                        switch (i % 5) {
                            case 0 -> heap.get("k", Object.class);
                            case 1 -> heap.put("k", "v");
                            case 2 -> heap.put("long", new byte[100_000]);
                            case 3 -> heap.publish("v").close();
                            default -> heap.at(1 << 20, Object.class);
                        }
                    } catch (HeapspanException e) {
                        assertThat(e.getMessage()).doesNotContain("\n", "\u202e", "\u0000");
                        refused++;
                    }
                }
                assertThat(keeper.status().connections()).isPositive();
                assertThat(heap.status().version()).isNotNull();
            }
            assertThat(refused).isGreaterThan(50);
        }
    }

    @Test
    void aClientWaitsNoLongerThanItsTimeoutForAServerThatIsSilent() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            GlobalHeapOptions options = GlobalHeapOptions.defaults().withTimeout(SHORT);
            long start = System.nanoTime();
            fails(Reason.DEADLINE, () -> GlobalHeap.connect("heapspan://127.0.0.1:" + silent.getLocalPort(), options));
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(25));
        }
    }

    @Test
    void aServerOfAnotherProtocolIsNamed() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> {
                try (Socket socket = other.accept()) {
                    socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    return;
                }
            });
            thread.setDaemon(true);
            thread.start();
            assertThatThrownBy(() -> GlobalHeap.connect("heapspan://127.0.0.1:" + other.getLocalPort()))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessageContaining("does not speak the exchange protocol");
        }
    }

    /** Bytes that are damaged on their way or in memory are noticed before anybody sees an object. */
    @Test
    void aDamagedGroupIsRefused() throws Exception {
        for (Place place : List.of(Place.IN_PROCESS, Place.SAME_HOST, Place.OTHER_HOST)) {
            place.run((server, heap) -> {
                heap.put("k", "a text that is damaged");
                damage(server, heap.find("k").orElseThrow());
                fails(Reason.DAMAGED, () -> heap.get("k", String.class));
            });
        }
    }

    /** The checksum of a compact group is compared once, as long as the server is known to have it. */
    @Test
    void aGroupIsCheckedOnceByEachClient() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap = Place.SAME_HOST.connect(server);
                GlobalHeap another = Place.SAME_HOST.connect(server)) {
            heap.put("k", "a text that is damaged");
            long address = heap.find("k").orElseThrow().address();
            assertThat(heap.at(address, String.class)).isEqualTo("a text that is damaged");
            damage(server, heap.find("k").orElseThrow());
            // The decoder does not trust it, and finds what it can find.
            assertThatThrownBy(() -> heap.at(address, String.class))
                    .isInstanceOf(HeapspanException.class)
                    .isNotInstanceOf(ExchangeException.class);
            fails(Reason.DAMAGED, () -> another.at(address, String.class));
        }
    }

    /** Changes a byte of the only group of a server with chunks of 1 MB. */
    static void damage(ExchangeServer server, KeyInfo key) throws IOException {
        Path file;
        try (Stream<Path> files = Files.list(Path.of(server.status().directory()))) {
            file = files.filter(each -> each.getFileName().toString().startsWith("chunk-"))
                    .findFirst()
                    .orElseThrow();
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'X'}), key.address() % (1 << 20) + key.sizeBytes() - 5);
        }
    }

    /** Who is not known yet takes no more than half of the connections. */
    @Test
    void aServerServesKnownClientsWhileOthersAreSilent() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (ExchangeServer server =
                        ExchangeServer.start(Place.SAME_HOST.server().withConnections(8));
                GlobalHeap heap = GlobalHeap.connect(
                        server.url(), GlobalHeapOptions.defaults().withConnections(1))) {
            int busy = 0;
            for (int i = 0; i < 7; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server.url()));
                silent.add(socket);
                if (i >= 4) {
                    socket.setSoTimeout(30_000);
                    String said = new String(socket.getInputStream().readAllBytes(), US_ASCII);
                    assertThat(said).contains("silent before they are known");
                    busy++;
                }
            }
            assertThat(busy).isEqualTo(3);
            heap.put("k", "v");
            assertThat(heap.get("k", String.class)).isEqualTo("v");
            for (Socket socket : silent) {
                socket.close();
            }
            Eventually.holds(
                    "silent connections are ended", () -> server.status().connections() <= 1);
            try (GlobalHeap next = GlobalHeap.connect(server.url())) {
                assertThat(next.get("k", String.class)).isEqualTo("v");
            }
        }
    }

    /** Another user of this host: the greeting is refused, unless anyone is allowed. */
    @Test
    void aServerWithoutASecretServesItsOwnUserOnly() throws Exception {
        assumeTrue(
                new File("/usr/bin/setpriv").canExecute() && "root".equals(System.getProperty("user.name")),
                "does not apply: only root can run a process as another user");
        byte[] hello = Arrays.copyOf(conversation(), 12 + 48);
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server())) {
            putGood(server);
            assertThat(answerToAnotherUser(server, hello)).contains("serves processes of its own user only");
            stillServes(server);
        }
        try (ExchangeServer server =
                ExchangeServer.start(Place.SAME_HOST.server().allowingAnyone())) {
            assertThat(answerToAnotherUser(server, hello)).startsWith("HX\u0002\u0002");
        }
    }

    /** What the server says to a greeting. */
    private static String answerToAnotherUser(ExchangeServer server, byte[] hello) throws Exception {
        Process other = new ProcessBuilder(
                        "setpriv",
                        "--reuid=65534",
                        "--clear-groups",
                        "bash",
                        "-c",
                        "exec 3<>/dev/tcp/127.0.0.1/" + port(server.url()) + " && head -c " + hello.length
                                + " >&3 && head -c 16 <&3 && timeout 2 cat <&3")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream out = other.getOutputStream()) {
            out.write(hello);
        }
        return new String(other.getInputStream().readAllBytes(), ISO_8859_1);
    }
}
