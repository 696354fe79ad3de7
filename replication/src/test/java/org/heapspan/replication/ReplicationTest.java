package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.GroupHandle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three servers replicate their keys: what was confirmed survives each of them. */
@Tag("once")
@Timeout(120)
final class ReplicationTest {
    private static final byte[] LARGE = new byte[700_000];

    static {
        for (int i = 0; i < LARGE.length; i++) {
            LARGE[i] = (byte) (i * 31 >> 3);
        }
    }

    @TempDir
    Path folder;

    @Test
    void keysSurviveTheirLeaderAndARestartOfAll() throws Exception {
        try (Peers peers = new Peers(folder);
                GlobalHeap heap = peers.connect()) {
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
            for (int i = 0; i < 3; i++) {
                peers.stop(i);
            }
            for (int i = 0; i < 3; i++) {
                peers.start(i);
            }
            assertThat(heap.get("a", String.class)).isEqualTo("second");
            assertThat(heap.get("large", byte[].class)).isEqualTo(LARGE);
            assertThat(heap.list("")).hasSize(5);
            assertThat(heap.replace("a", "third", 2)).isEqualTo(3);
        }
    }

    @Test
    void aFollowerNamesTheLeaderAndWithoutAMajorityNothingIsServed() throws Exception {
        try (Peers peers = new Peers(folder)) {
            int leader = peers.leader();
            int follower = (leader + 1) % 3;
            int other = (leader + 2) % 3;
            try (GlobalHeap heap = peers.connect()) {
                heap.put("k", "v");
            }
            assertThatThrownBy(() -> listAt(peers.url(follower)))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessageEndingWith("the leader is " + peers.url(leader));

            peers.stop(other);
            peers.stop(follower);
            try (GlobalHeap heap = GlobalHeap.connect(
                    peers.url(), GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(3)))) {
                assertThatThrownBy(() -> heap.get("k", String.class, Duration.ZERO))
                        .isInstanceOf(ExchangeException.class);
                assertThatThrownBy(() -> heap.put("l", "v")).isInstanceOf(ExchangeException.class);
            }
            peers.start(follower);
            try (GlobalHeap heap = peers.connect()) {
                assertThat(heap.get("k", String.class)).isEqualTo("v");
            }
        }
    }

    private static void listAt(String url) {
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.list("");
        }
    }

    @Test
    void aServerThatWasAwayGetsTheBytesLater() throws Exception {
        try (Peers peers = new Peers(folder);
                GlobalHeap heap = peers.connect()) {
            int leader = peers.leader();
            int away = (leader + 1) % 3;
            int other = (leader + 2) % 3;
            peers.stop(away);
            heap.put("while it was away", LARGE);
            heap.put("gone", LARGE);
            heap.remove("gone");
            peers.start(away);
            for (int i = 0; i < 200 && peers.server(away).status().usedBytes() < LARGE.length; i++) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            assertThat(peers.server(away).status().usedBytes()).isBetween((long) LARGE.length, LARGE.length + 100_000L);
            peers.stop(other);
            peers.stop(leader);
            peers.start(other);
            assertThat(heap.get("while it was away", byte[].class)).isEqualTo(LARGE);
        }
    }

    @Test
    void whatHasNoKeyEndsWithTheLeader() throws Exception {
        try (Peers peers = new Peers(folder);
                GlobalHeap heap = peers.connect()) {
            GroupHandle<String> handle = heap.publish("published");
            assertThat(heap.at(handle.address(), String.class)).isEqualTo("published");
            peers.stop(peers.leader());
            heap.put("k", "v");
            assertThatThrownBy(() -> heap.at(handle.address(), String.class))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.GROUP_GONE));
            assertThatThrownBy(() -> heap.put("l", "v", java.util.List.of(heap.publish("needed"))))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT));
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
