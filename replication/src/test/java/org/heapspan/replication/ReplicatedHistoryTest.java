package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.testing.History.NOTHING;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.GroupHandle;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.History;
import org.heapspan.testing.Ports;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three servers in processes of their own are killed, stopped and started again: nothing that was confirmed is lost, and keys are linearizable. */
@Tag("once")
@Timeout(600)
final class ReplicatedHistoryTest {
    private static final int COUNT = 3;

    /** At least so many. */
    private static final int OPERATIONS_BETWEEN_ROUNDS = 30;

    private static final int KEYS = 4;
    private static final int CLIENTS = 4;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Process> servers = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private @Nullable Process keeper;
    private String peers = "";

    /** The last port is that of a keeper. */
    private void startAll() throws IOException {
        ports.addAll(Ports.take(COUNT + 1));
        peers = "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1) + ",127.0.0.1:" + ports.get(2);
        for (int i = 0; i < COUNT; i++) {
            Files.createDirectories(folder.resolve("peer-" + i));
            servers.add(PeerProcess.start(folder.resolve("peer-" + i), ports.get(i), peers));
        }
        for (int i = 0; i < COUNT; i++) {
            PeerProcess.await(servers.get(i), folder.resolve("peer-" + i));
        }
    }

    @AfterEach
    void endAll() throws InterruptedException {
        threads.shutdownNow();
        for (Process each : servers) {
            each.destroyForcibly().waitFor();
        }
        if (keeper != null) {
            keeper.destroyForcibly().waitFor();
        }
    }

    private void startKeeper() throws IOException {
        Path base = Files.createDirectories(folder.resolve("keeper"));
        keeper = PeerProcess.startKeeper(base, ports.get(COUNT), url());
        PeerProcess.await(keeper, base);
    }

    private void kill(int peer) throws InterruptedException {
        servers.get(peer).destroyForcibly().waitFor();
    }

    private void start(int peer) throws IOException {
        Path base = folder.resolve("peer-" + peer);
        servers.set(peer, PeerProcess.start(base, ports.get(peer), peers));
        PeerProcess.await(servers.get(peer), base);
    }

    /** Sends a signal: a server that is stopped is cut off, and believes that it leads when it goes on. */
    private void signal(int peer, String signal) throws IOException, InterruptedException {
        String pid = Long.toString(servers.get(peer).pid());
        assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor())
                .isZero();
    }

    private String url() {
        return "heapspan://" + peers;
    }

    private static GlobalHeapOptions patient() {
        return GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
    }

    private int leader() throws Exception {
        int[] leader = {-1};
        Eventually.holds("a server leads", () -> {
            for (int i = 0; i < COUNT && leader[0] < 0; i++) {
                if (servers.get(i).isAlive() && leads(i)) {
                    leader[0] = i;
                }
            }
            return leader[0] >= 0;
        });
        return leader[0];
    }

    private boolean leads(int peer) {
        try (GlobalHeap heap = GlobalHeap.connect(
                "heapspan://127.0.0.1:" + ports.get(peer),
                GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(2)))) {
            heap.list("none");
            return true;
        } catch (ExchangeException e) {
            return false;
        }
    }

    @Test
    void historiesAreLinearizableWhileServersAreKilledAndStopped() throws Exception {
        check(3);
    }

    @Tag("soak")
    @Test
    void historiesAreLinearizableForLong() throws Exception {
        check(24);
    }

    /** It has forgotten what it confirmed, so it votes again only when it has everything. */
    @Tag("soak")
    @Test
    void aServerThatLostItsFolderAndOneThatWasAwayForLongGetEverything() throws Exception {
        startAll();
        try (GlobalHeap heap = GlobalHeap.connect(url(), patient())) {
            for (int round = 0; round < 2; round++) {
                int lost = (leader() + 1) % COUNT;
                kill(lost);
                if (round == 1) {
                    delete(folder.resolve("peer-" + lost));
                }
                // Long keys: so many changes that the others forget those before their snapshots.
                for (int i = 0; i < 1_000; i++) {
                    heap.put("of round " + round + "/" + i + "/" + "k".repeat(900), i);
                }
                start(lost);
                TimeUnit.MILLISECONDS.sleep(8_000);
                int leader = leader();
                int killed = leader == lost ? (lost + 1) % COUNT : leader;
                kill(killed);
                for (int i = 0; i < 1_000; i++) {
                    assertThat(heap.get("of round " + round + "/" + i + "/" + "k".repeat(900), Integer.class))
                            .isEqualTo(i);
                }
                start(killed);
            }
        }
    }

    private static void delete(Path base) throws IOException {
        try (Stream<Path> found = Files.walk(base)) {
            for (Path each : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        Files.createDirectories(base);
    }

    private void check(int rounds) throws Exception {
        startAll();
        try (GlobalHeap heap = GlobalHeap.connect(url(), patient());
                GroupHandle<byte[]> published = heap.publish(bytes(7))) {
            check(rounds, published);
        }
    }

    /** The leader is killed when the first bytes of an image have come. The rest is more than connections hold. */
    @Test
    void theRestOfAnImageComesFromTheNextLeader() throws Exception {
        startAll();
        try (GlobalHeap heap = GlobalHeap.connect(url(), patient().withoutMapping())) {
            heap.put("image", new byte[40 << 20]);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            heap.copyImage("image", expected);
            Process leader = servers.get(leader());
            ByteArrayOutputStream copied = new ByteArrayOutputStream() {
                @Override
                public void write(byte[] bytes, int offset, int length) {
                    leader.destroyForcibly();
                    super.write(bytes, offset, length);
                }
            };
            heap.copyImage("image", copied);
            assertThat(copied.toByteArray()).isEqualTo(expected.toByteArray());
        }
    }

    private interface Disturbance {
        void make(int round) throws Exception;
    }

    /** What was confirmed of keys that nobody changes. */
    private Map<String, Integer> live(int rounds, List<String> urls, Disturbance disturbance) throws Exception {
        long seed = System.nanoTime();
        History history = new History();
        Map<String, Integer> confirmed = new ConcurrentHashMap<>();
        AtomicBoolean ended = new AtomicBoolean();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        // All are connected before somebody is killed.
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            GlobalHeap heap = GlobalHeap.connect(urls.get(i % urls.size()), patient());
            clients.add(CompletableFuture.runAsync(
                    () -> work(heap, new Random(seed + number), number, history, ended), threads));
        }
        for (String url : urls) {
            GlobalHeap heap = GlobalHeap.connect(url, patient());
            clients.add(CompletableFuture.runAsync(
                    () -> fill(heap, "confirmed/" + urls.indexOf(url) + "/", confirmed, ended), threads));
        }
        try {
            for (int round = 0; round < rounds; round++) {
                history.awaitMore(OPERATIONS_BETWEEN_ROUNDS, 500, clients);
                disturbance.make(round);
            }
            history.awaitMore(OPERATIONS_BETWEEN_ROUNDS, 500, clients);
        } finally {
            ended.set(true);
        }
        for (CompletableFuture<Void> each : clients) {
            each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(history.violations()).as("seed %d", seed).isEmpty();
        assertThat(confirmed).isNotEmpty();
        return confirmed;
    }

    private void disturb(int round) throws Exception {
        int leader = leader();
        switch (round % 3) {
            case 0 -> {
                kill(leader);
                TimeUnit.MILLISECONDS.sleep(1_000);
                start(leader);
            }
            case 1 -> {
                signal(leader, "STOP");
                TimeUnit.MILLISECONDS.sleep(1_500);
                signal(leader, "CONT");
            }
            default -> {
                int follower = (leader + 1) % COUNT;
                kill(follower);
                TimeUnit.MILLISECONDS.sleep(500);
                start(follower);
            }
        }
    }

    private static void isThere(GlobalHeap heap, Map<String, Integer> confirmed) {
        confirmed.forEach((key, value) ->
                assertThat(heap.get(key, byte[].class, Duration.ZERO)).as(key).isEqualTo(bytes(value)));
    }

    /** Clients of a keeper and of the servers work meanwhile. Another server leads before the keeper is started again. */
    @Test
    void theLeaderAndAKeeperAreKilledAtTheSameTime() throws Exception {
        startAll();
        startKeeper();
        String ofKeeper = "heapspan://127.0.0.1:" + ports.get(COUNT);
        Map<String, Integer> confirmed = live(2, List.of(ofKeeper, url()), round -> {
            int leader = leader();
            Process killed = Objects.requireNonNull(keeper);
            servers.get(leader).destroyForcibly();
            killed.destroyForcibly().waitFor();
            kill(leader);
            leader();
            startKeeper();
            start(leader);
        });
        try (GlobalHeap heap = GlobalHeap.connect(url(), patient());
                GlobalHeap throughKeeper = GlobalHeap.connect(ofKeeper, patient())) {
            isThere(heap, confirmed);
            isThere(throughKeeper, confirmed);
        }
    }

    private void check(int rounds, GroupHandle<byte[]> published) throws Exception {
        Map<String, Integer> confirmed = live(rounds, List.of(url()), this::disturb);

        // All are killed and started again. Then the leader is lost, and the other two have everything.
        for (int i = 0; i < COUNT; i++) {
            kill(i);
        }
        for (int i = 0; i < COUNT; i++) {
            start(i);
        }
        try (GlobalHeap heap = GlobalHeap.connect(url(), patient())) {
            for (int round = 0; round < 2; round++) {
                // Its handle was opened before the first server was killed.
                assertThat(heap.at(published.address(), byte[].class)).isEqualTo(bytes(7));
                assertThat(published.read(byte[].class)).isEqualTo(bytes(7));
                isThere(heap, confirmed);
                kill(leader());
            }
        }
    }

    private static byte[] bytes(int number) {
        byte[] bytes = new byte[1 + number * 997 % 200_000];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private static void fill(GlobalHeap heap, String prefix, Map<String, Integer> confirmed, AtomicBoolean ended) {
        try (heap) {
            for (int i = 1; !ended.get(); i++) {
                heap.put(prefix + i, bytes(i));
                confirmed.put(prefix + i, i);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void work(GlobalHeap heap, Random random, int number, History history, AtomicBoolean ended) {
        int value = number;
        try (heap) {
            History.Keys keys = new NumbersOf(heap);
            while (!ended.get()) {
                value += 100;
                History.Kind kind = History.Kind.values()[random.nextInt(3)];
                String key = "k" + random.nextInt(KEYS);
                try {
                    history.perform(keys, kind, key, value);
                    TimeUnit.MILLISECONDS.sleep(10);
                } catch (ExchangeException e) {
                    assertThat(e.reason()).isNotEqualTo(Reason.DAMAGED);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record NumbersOf(GlobalHeap heap) implements History.Keys {
        @Override
        public boolean put(String key, int value) {
            try {
                heap.put(key, value);
                return true;
            } catch (ExchangeException e) {
                return unless(Reason.KEY_EXISTS, e, false);
            }
        }

        @Override
        public int get(String key) {
            try {
                Integer got = heap.get(key, Integer.class, Duration.ZERO);
                return got == null ? NOTHING : got;
            } catch (ExchangeException e) {
                return unless(Reason.KEY_MISSING, e, NOTHING);
            }
        }

        @Override
        public boolean remove(String key) {
            return heap.remove(key);
        }

        private static <T> T unless(Reason expected, ExchangeException e, T answer) {
            if (e.reason() != expected) {
                throw e;
            }
            return answer;
        }
    }
}
