package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.heapspan.Heapspan;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.ExchangeObjectInputStream;
import org.heapspan.exchange.ExchangeObjectOutputStream;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GObject;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.GroupHandle;
import org.heapspan.exchange.KeyInfo;
import org.heapspan.exchange.SharedValues;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three servers replicate their keys: what was confirmed survives each of them. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ReplicationTest {
    private static final byte[] LARGE = new byte[700_000];

    static {
        for (int i = 0; i < LARGE.length; i++) {
            LARGE[i] = (byte) (i * 31 >> 3);
        }
    }

    /** Most tests use the same servers, and leave all of them at work, without keys. */
    @TempDir
    static Path shared;

    private static Peers peers;

    @TempDir
    Path folder;

    @BeforeAll
    static void startAll() throws IOException {
        peers = new Peers(shared);
    }

    @AfterAll
    static void endAll() {
        peers.close();
    }

    @AfterEach
    void tidy() throws IOException {
        peers.startStopped();
        try (GlobalHeap heap = peers.connect()) {
            heap.list("").forEach(each -> heap.remove(each.key()));
        }
    }

    @Test
    void keysSurviveTheirLeaderAndARestartOfAll() throws Exception {
        try (GlobalHeap heap = peers.connect()) {
            assertThat(heap.put("a", "first")).isEqualTo(1);
            assertThat(heap.put("large", LARGE)).isEqualTo(1);
            assertThat(heap.replace("a", "second", 1)).isEqualTo(2);
            heap.put("removed", "x");
            assertThat(heap.remove("removed")).isTrue();
            assertThat(heap.remove("removed")).isFalse();
            assertThatThrownBy(() -> heap.put("a", "again"))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.KEY_EXISTS));

            // Each server in turn, so that all of them have the bytes.
            for (int round = 0; round < 3; round++) {
                int leader = peers.leader();
                peers.stop(leader);
                assertThat(heap.get("a", String.class)).isEqualTo("second");
                assertThat(heap.get("large", byte[].class)).isEqualTo(LARGE);
                assertThat(heap.find("removed")).isEmpty();
                heap.put("of round " + round, round);
                peers.start(leader);
            }
            peers.stop(0, 1, 2);
            peers.startStopped();
            assertThat(heap.get("a", String.class)).isEqualTo("second");
            assertThat(heap.get("large", byte[].class)).isEqualTo(LARGE);
            assertThat(heap.list(""))
                    .extracting(KeyInfo::key)
                    .containsExactly("a", "large", "of round 0", "of round 1", "of round 2");
            assertThat(heap.replace("a", "third", 2)).isEqualTo(3);
        }
    }

    @Test
    void aFollowerNamesTheLeaderAndWithoutAMajorityNothingIsServed() throws Exception {
        try (GlobalHeap heap = peers.connect()) {
            heap.put("k", "v");
        }
        Eventually.holds("a follower names the leader", () -> {
            int leader = peers.leader();
            return refusalAt(peers.url((leader + 1) % 3)).endsWith("the leader is " + peers.url(leader));
        });

        int follower = (peers.leader() + 1) % 3;
        peers.stop(follower, (follower + 1) % 3);
        // On a busy machine a second may be too short to be greeted.
        assertThatThrownBy(() -> atOnce(heap -> heap.get("k", String.class, Duration.ZERO)))
                .isInstanceOf(ExchangeException.class);
        assertThatThrownBy(() -> atOnce(heap -> heap.put("l", "v"))).isInstanceOf(ExchangeException.class);
        peers.start(follower);
        try (GlobalHeap heap = peers.connect()) {
            assertThat(heap.get("k", String.class)).isEqualTo("v");
        }
    }

    private static void atOnce(Consumer<GlobalHeap> use) {
        try (GlobalHeap heap =
                GlobalHeap.connect(peers.url(), GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(1)))) {
            use.accept(heap);
        }
    }

    private static String refusalAt(String url) {
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.list("");
            return "it leads";
        } catch (ExchangeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aServerThatWasAwayGetsTheBytesLater() throws Exception {
        try (GlobalHeap heap = peers.connect()) {
            int leader = peers.leader();
            int away = (leader + 1) % 3;
            int other = (leader + 2) % 3;
            peers.stop(away);
            heap.put("while it was away", LARGE);
            heap.put("gone", LARGE);
            heap.remove("gone");
            peers.start(away);
            // A server that was started has nothing of what it has not compared, or fetched. The leader also has what
            // earlier leaders had, until those who may lease it have been silent for a minute.
            Eventually.holds("it has the bytes that the leader has, and no others", () -> {
                int leads = peers.leader();
                long usedBytes =
                        peers.server(leads == away ? other : leads).status().usedBytes();
                return usedBytes >= LARGE.length && peers.server(away).status().usedBytes() == usedBytes;
            });
            peers.stop(other, leader);
            peers.start(other);
            assertThat(heap.get("while it was away", byte[].class)).isEqualTo(LARGE);
        }
    }

    @Test
    void groupsWithoutKeysAndWhatTheyNeedOutliveTheLeader() throws Exception {
        try (GlobalHeap heap = peers.connect();
                GlobalHeap other = peers.connect()) {
            GroupHandle<String> needed = heap.publish("needed");
            byte[] bytes = Arrays.copyOf(LARGE, 40_000);
            GroupHandle<byte[]> large = heap.publish(bytes, List.of(needed));
            GroupHandle<String> leased = other.lease(needed.address());
            heap.put("opened", "v");
            heap.put("with a group", "v", List.of(large));
            try (GObject<String> opened = heap.open("opened", String.class)) {
                heap.remove("opened");
                for (int round = 0; round < 2; round++) {
                    int leader = peers.leader();
                    peers.stop(leader);
                    assertThat(heap.at(large.address(), byte[].class)).isEqualTo(bytes);
                    assertThat(needed.read(String.class)).isEqualTo("needed");
                    assertThat(leased.read(String.class)).isEqualTo("needed");
                    assertThat(opened.read()).isEqualTo("v");
                    peers.start(leader);
                }
            }
            long address = needed.address();
            needed.close();
            leased.close();
            large.close();
            assertThat(other.at(address, String.class)).isEqualTo("needed");

            // Those of this leader end with their last handle.
            GroupHandle<String> later = heap.publish("later");
            assertThat(isGone(other, later.address())).isFalse();
            later.close();
            Eventually.holds("it ends with its handle", () -> isGone(other, later.address()));
        }
    }

    /** Replies are lost with the leader. The stream leads to the objects all the same. */
    @Test
    void aPersistentStreamOutlivesItsLeaders() throws Exception {
        List<Object> objects = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            objects.add(i % 3 == 0 ? Arrays.copyOf(LARGE, 40_000 + i) : "object " + i);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GlobalHeap heap = peers.connect();
                ExchangeObjectOutputStream out = new ExchangeObjectOutputStream(bytes, heap, "s")) {
            CompletableFuture<Void> writing = CompletableFuture.runAsync(
                    () -> objects.forEach(each -> {
                        try {
                            out.writeObject(each);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }),
                    Threads.FOR_EACH);
            Eventually.holds(
                    "some are written", () -> heap.list("s/").size() > 20 || writing.isCompletedExceptionally());
            int leader = peers.leader();
            peers.stop(leader);
            writing.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            out.flush();
            assertThat(heap.list("s/")).hasSize(objects.size());
            for (int round = 0; round < 2; round++) {
                try (ExchangeObjectInputStream in =
                        new ExchangeObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), heap)) {
                    for (Object each : objects) {
                        assertThat(in.readObject()).isEqualTo(each);
                    }
                }
                peers.start(leader);
                leader = peers.leader();
                peers.stop(leader);
            }
        }
    }

    @Test
    void allHandlesOfAClientAreLeasedAgainAtTheNextLeader() throws Exception {
        try (GlobalHeap other = peers.connect()) {
            try (GlobalHeap heap = peers.connect()) {
                heap.put("k", "v");
                List<GObject<String>> opened = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    opened.add(heap.open("k", String.class));
                }
                int leader = peers.leader();
                for (int round = 0; round < 2; round++) {
                    peers.stop(leader);
                    // The release makes the client speak with the next leader at once.
                    opened.remove(0).release();
                    Eventually.holds(
                            "all are leased again",
                            () -> other.find("k").orElseThrow().leases() == opened.size());
                    assertThat(opened.get(70).read()).isEqualTo("v");
                    peers.start(leader);
                    leader = peers.leader();
                }
            }
            Eventually.holds(
                    "none is leased", () -> other.find("k").orElseThrow().leases() == 0);
        }
    }

    private static boolean isGone(GlobalHeap heap, long address) {
        try {
            heap.at(address, Object.class);
            return false;
        } catch (ExchangeException e) {
            assertThat(e.reason()).isEqualTo(Reason.GROUP_GONE);
            return true;
        }
    }

    @Test
    void sharedValuesAndTypesOutliveTheLeader() throws Exception {
        try (GlobalHeap heap = peers.connect();
                GlobalHeap other = peers.connect()) {
            List<String> values = List.of("a value that is shared", "another one");
            TypeRegistry registry = heap.typeRegistry();
            byte[] description = {1, 2, 3};
            int number = registry.numberOf("", description);
            try (SharedValues shared = heap.share(values)) {
                heap.put("before", values);
                peers.stop(peers.leader());
                heap.put("after", values);
                assertThat(heap.deduplication().references()).isEqualTo(4);
            }
            assertThat((Object) other.get("before", List.class)).isEqualTo(values);
            assertThat((Object) other.get("after", List.class)).isEqualTo(values);
            TypeRegistry same = other.typeRegistry();
            assertThat(same.id()).isEqualTo(registry.id());
            assertThat(same.typeOf(number))
                    .isNotNull()
                    .satisfies(type -> assertThat(type.description()).isEqualTo(description));
            assertThat(registry.numberOf("", new byte[] {4})).isEqualTo(number + 1);
            assertThat(same.numberOf("", new byte[] {4})).isEqualTo(number + 1);
        }
    }

    @Test
    void callsThroughAKeeperAreRepeatedUntilItHasJoinedTheNextLeader() throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.inProcess("keeper-of-several")
                .withDirectory(folder)
                .withMemory(64 << 20)
                .joining(peers.url());
        UUID put = new UUID(6, 1);
        UUID removal = new UUID(6, 2);
        try (ExchangeServer keeper = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(
                        keeper.url(),
                        GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS)))) {
            heap.put("large", LARGE);
            heap.put("small", "v");
            change(keeper.url(), put, store("numbered"), Reply.Stored.class);
            peers.stop(peers.leader());
            heap.put("later", LARGE);
            assertThat(heap.get("large", byte[].class)).isEqualTo(LARGE);
            assertThat(heap.get("small", String.class)).isEqualTo("v");
            // The next leader knows the number of a change that came through the keeper.
            assertThat(change(keeper.url(), put, store("numbered"), Reply.Stored.class)
                            .version())
                    .isEqualTo(1);
            change(keeper.url(), removal, new Request.Remove("numbered", 0), Reply.Done.class);
            change(keeper.url(), removal, new Request.Remove("numbered", 0), Reply.Done.class);
            try (GlobalHeap direct = peers.connect()) {
                assertThat(direct.get("later", byte[].class, Duration.ZERO)).isEqualTo(LARGE);
                assertThat(direct.find("numbered")).isEmpty();
            }
        }
    }

    /** A reply that is lost with its leader: the same change is sent again, to the next leader too. */
    @Test
    void aChangeThatIsSentAgainCountsOnce() throws Exception {
        UUID put = new UUID(5, 1);
        UUID removal = new UUID(5, 2);
        String url = peers.url();
        assertThat(change(url, put, store("k"), Reply.Stored.class).version()).isEqualTo(1);
        assertThat(change(url, put, store("k"), Reply.Stored.class).version()).isEqualTo(1);
        // Another change of the same kind is refused, so it is the number that counts.
        assertThatThrownBy(() -> change(url, new UUID(5, 9), store("k"), Reply.Stored.class))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.KEY_EXISTS));
        change(url, removal, new Request.Remove("k", 0), Reply.Done.class);
        peers.stop(peers.leader());

        change(url, removal, new Request.Remove("k", 0), Reply.Done.class);
        assertThat(change(url, put, store("k"), Reply.Stored.class).version()).isEqualTo(1);
        try (GlobalHeap heap = peers.connect()) {
            assertThat(heap.find("k")).isEmpty();
        }
        assertThatThrownBy(() -> change(url, new UUID(5, 3), new Request.Remove("k", 0), Reply.Done.class))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.KEY_MISSING));
    }

    private static Request store(String key) {
        byte[] bytes = Heapspan.create().encode("value");
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return new Request.Store((int) checksum.getValue(), false, key, 0, "T", ByteBuffer.wrap(bytes));
    }

    private static <R extends Reply> R change(String url, UUID number, Request change, Class<R> type)
            throws IOException, RefusedException {
        ClientSettings settings = new ClientSettings(
                Endpoint.parseAll(url), null, null, Duration.ofSeconds(Eventually.MOST_SECONDS), 1, true, false);
        try (ExchangeClient client = new ExchangeClient(settings)) {
            return client.call(
                    new Request.Numbered(number, change), type, Deadline.afterMillis(Eventually.MOST_MILLIS));
        }
    }

    @Test
    void rawImagesAreNotReplicated() throws Exception {
        assertThatThrownBy(() -> change(
                        peers.url(),
                        new UUID(1, 1),
                        new Request.Commit(4096, 1, 1, true, true, false, "k", 0, "T"),
                        Reply.Committed.class))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.PROTOCOL));
    }

    @Test
    void theSecretAndTheCertificatesOfTheExchangeProtectTheConsensus() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.make("server", "-ext", "san=ip:127.0.0.1");
        byte[] secret = "a secret that all servers know".getBytes(StandardCharsets.UTF_8);
        List<Integer> ports = Ports.take(3);
        String all = "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1) + ",127.0.0.1:" + ports.get(2);
        List<ExchangeServer> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                servers.add(ExchangeServer.start(options(i, ports, certificates, secret)));
            }
            GlobalHeapOptions options = GlobalHeapOptions.defaults()
                    .withSecret(secret)
                    .withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS))
                    .withTlsTrust(certificates.certificate("server"));
            try (GlobalHeap heap = GlobalHeap.connect("heapspan://" + all, options)) {
                heap.put("before", "v");
            }
            // The last one has another secret from now on, and takes no part. The client would end at it.
            servers.get(2).close();
            servers.set(2, ExchangeServer.start(options(2, ports, certificates, new byte[32])));
            String two = "heapspan://127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1);
            try (GlobalHeap heap = GlobalHeap.connect(two, options)) {
                heap.put("k", LARGE);
                assertThat(heap.get("k", byte[].class)).isEqualTo(LARGE);
            }
            assertThat(servers.get(1).status().keys() + servers.get(0).status().keys())
                    .isPositive();
            assertThat(servers.get(2).status().keys()).isLessThanOrEqualTo(1);

            // Who does not know the secret, or does not use TLS, cannot send messages of the consensus.
            Endpoint first = Endpoint.parse("heapspan://127.0.0.1:" + ports.get(0));
            for (byte[] other : new byte[][] {new byte[32], null}) {
                SharedSecret known = other == null ? null : new SharedSecret(other);
                ClientTls tls = ClientTls.trusting(certificates.certificate("server"));
                assertThatThrownBy(() -> new ExchangeClient(
                                new ClientSettings(List.of(first), tls, known, Duration.ofSeconds(5), 1, false, false)))
                        .isInstanceOfSatisfying(
                                RefusedException.class,
                                e -> assertThat(e.code()).isEqualTo(RefusalCode.SECRET));
            }
            assertThatThrownBy(() -> new ExchangeClient(new ClientSettings(
                            List.of(first), null, new SharedSecret(secret), Duration.ofSeconds(5), 1, false, false)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> start(ExchangeServerOptions.port(ports.get(0))
                            .withDirectory(folder.resolve("untrusting"))
                            .withSecret(secret)
                            .withTls(certificates.certificate("server"), certificates.key("server"))
                            .replicating(all)))
                    .hasMessageContaining("--tls-trust");
        } finally {
            for (ExchangeServer each : servers) {
                each.close();
            }
        }
    }

    private ExchangeServerOptions options(int server, List<Integer> ports, Certificates certificates, byte[] secret)
            throws IOException {
        String all = "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1) + ",127.0.0.1:" + ports.get(2);
        return ExchangeServerOptions.port(ports.get(server))
                .withDirectory(folder.resolve("secret-" + server))
                .withMemory(64 << 20)
                .withSecret(secret)
                .withTls(certificates.certificate("server"), certificates.key("server"))
                .replicating(all, certificates.certificate("server"));
    }

    @Test
    void messagesThatAreNoneAreRefused() throws Exception {
        int leader = peers.leader();
        Endpoint place = Endpoint.parse(peers.url((leader + 1) % 3));
        ClientSettings settings = new ClientSettings(
                List.of(place), null, null, Duration.ofSeconds(Eventually.MOST_SECONDS), 1, true, false);
        Random random = new Random(11);
        try (ExchangeClient client = new ExchangeClient(settings)) {
            for (int length : new int[] {0, 1, 2, 50, 5_000}) {
                byte[] message = new byte[length];
                random.nextBytes(message);
                for (byte kind = 0; kind < 6; kind++) {
                    if (length > 0) {
                        message[0] = kind;
                    }
                    assertThatThrownBy(() -> client.call(
                                    new Request.AskPeer(ByteBuffer.wrap(message)),
                                    Reply.PeerAnswer.class,
                                    Deadline.afterMillis(Eventually.MOST_MILLIS)))
                            .isInstanceOf(RefusedException.class);
                }
            }
            // Bytes from somebody who does not lead, and outside of a group.
            for (Request.StoreCopy copy : List.of(
                    new Request.StoreCopy(3, 4096, 10, 1, 0, ByteBuffer.allocate(10)),
                    new Request.StoreCopy(3, -1, Long.MAX_VALUE, 1, Long.MAX_VALUE, ByteBuffer.allocate(10)))) {
                assertThatThrownBy(
                                () -> client.call(copy, Reply.Done.class, Deadline.afterMillis(Eventually.MOST_MILLIS)))
                        .isInstanceOf(RefusedException.class);
            }
        }
        try (GlobalHeap heap = peers.connect()) {
            heap.put("still there", "v");
        }
    }

    @Test
    void settingsThatWouldLoseOrExposeKeysAreRefused() {
        String three = "heapspan://127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";
        ExchangeServerOptions options = ExchangeServerOptions.port(7001);
        assertThatThrownBy(() -> start(options.replicating(three))).hasMessageContaining("--dir");
        ExchangeServerOptions named = options.withDirectory(folder);
        assertThatThrownBy(() -> start(named.replicating("a:1,b:1"))).hasMessageContaining("expected 3 or 5");
        assertThatThrownBy(() -> start(named.replicating("127.0.0.1:7001,127.0.0.1:7002,192.0.2.1:7003")))
                .hasMessageContaining("secret");
        assertThatThrownBy(() -> start(named.allowingAnyone().replicating(three)))
                .hasMessageContaining("secret");
        assertThatThrownBy(() -> start(named.replicating("127.0.0.1:7004,127.0.0.1:7002,127.0.0.1:7003")))
                .hasMessageContaining("--host and --port");
        assertThatThrownBy(() -> start(named.replicating(three).joining("heapspan://127.0.0.1:7009")))
                .hasMessageContaining("does not replicate");
    }

    private static void start(ExchangeServerOptions options) throws IOException {
        ExchangeServer.start(options).close();
    }
}
