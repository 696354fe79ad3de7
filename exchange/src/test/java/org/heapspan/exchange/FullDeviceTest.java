package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Hosts;
import org.heapspan.testing.SmallDevice;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** Others fill the device of a server, which its own limit allows it to use. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class FullDeviceTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int KEYS = 200;

    @TempDir
    Path folder;

    private SmallDevice device;

    @BeforeEach
    void mount() throws Exception {
        try {
            device = new SmallDevice(Files.createDirectory(folder.resolve("memory")), 8 * MEGABYTE);
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException(e.getMessage(), e);
        }
    }

    @AfterEach
    void unmount() throws IOException {
        if (device != null) {
            device.close();
        }
    }

    private ExchangeServerOptions options() {
        return Place.SAME_HOST.server().withDirectory(device.folder());
    }

    private static GlobalHeapOptions client(boolean isMapped) {
        GlobalHeapOptions options =
                GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
        return isMapped ? options : options.withoutMapping();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Begins to put 3 MB under the key "k", and fills the device when the server has promised room for them. */
    private CompletableFuture<Void> putWhileOthersFillTheDevice(ExchangeServer server, Relay relay, GlobalHeap heap)
            throws Exception {
        relay.mostReplyBytes = relay.replyBytes() - 1;
        CompletableFuture<Void> put =
                CompletableFuture.runAsync(() -> heap.put("k", bytes(3 * MEGABYTE)), Threads.FOR_EACH);
        Eventually.holds("room is promised", () -> server.status().usedBytes() > 0);
        device.fill(2 * MEGABYTE);
        relay.mostReplyBytes = Long.MAX_VALUE;
        return put;
    }

    private static void isFull(CompletableFuture<?> call, String part) {
        assertThatThrownBy(() -> call.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FULL))
                .hasMessageContaining(part)
                .hasMessageContaining("remove keys, close handles, or delete other files of this device");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheDeviceHasNoRoomForIsRefused(boolean isMapped) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options());
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(client(isMapped))) {
            assertThat(heap.sharesMemory()).isEqualTo(isMapped);
            isFull(putWhileOthersFillTheDevice(server, relay, heap), "the device of " + device.folder());
            assertThat(heap.find("k")).isEmpty();
            settled(server);
            device.empty();
            heap.put("k", bytes(3 * MEGABYTE));
            assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(3 * MEGABYTE));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheDeviceHasNoRoomForGoesToTheSecondFolder(boolean isMapped) throws Exception {
        ExchangeServerOptions options = options().withOverflow(folder.resolve("disk"), 8 * MEGABYTE);
        try (ExchangeServer server = ExchangeServer.start(options);
                Relay relay = new Relay(server.url());
                GlobalHeap heap = relay.connect(client(isMapped))) {
            putWhileOthersFillTheDevice(server, relay, heap).get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(3 * MEGABYTE));
            // The space of the first attempt has been given back.
            assertThat(device.usableBytes()).isGreaterThan(2 * MEGABYTE - MEGABYTE / 2);
            heap.remove("k");
            settled(server);
        }
    }

    /** The files of chunks take pages too. */
    @Test
    void anObjectWithoutRoomForItsFilesGoesToTheSecondFolder() throws Exception {
        int length = 3 * MEGABYTE / 2 - 1000;
        ExchangeServerOptions options = options().withOverflow(folder.resolve("disk"), 8 * MEGABYTE);
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            device.fill(3 * MEGABYTE / 2);
            heap.put("k", bytes(length));
            assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(length));
        }
    }

    private static String longKey(int number) {
        return "k".repeat(200) + number;
    }

    private static void isFull(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FULL))
                .hasMessageContainingAll(parts)
                .hasMessageContaining("remove keys, close handles, or delete other files of this device");
    }

    /** Changes of keys take room of their own on a server that keeps them. Its pages are not free before the changes are on the device. */
    @Test
    void aChangeOfAKeyThatHasNoRoomIsRefused() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options().keepingKeys(Duration.ofMinutes(1)));
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            for (int i = 0; i < KEYS; i++) {
                heap.put(longKey(i), i);
            }
            device.fill(0);
            isFull(() -> removeAll(heap), "there is no room for key 'kkk", "the device of " + device.folder());
            assertThat(heap.get(longKey(KEYS - 1), Integer.class)).isEqualTo(KEYS - 1);
            device.empty();
            removeAll(heap);
            assertThat(heap.list("")).isEmpty();
            heap.put("k", bytes(MEGABYTE));
        }
    }

    private static void removeAll(GlobalHeap heap) {
        for (int i = 0; i < KEYS; i++) {
            heap.remove(longKey(i));
        }
    }

    /** Otherwise nobody could do what the message says. */
    @Test
    void keysCanBeRemovedFromADeviceThatTheirObjectsHaveFilled() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options().keepingKeys(Duration.ofMinutes(1)));
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            isFull(
                    () -> {
                        for (int i = 0; true; i++) {
                            heap.put(longKey(i), i);
                        }
                    },
                    "the device of " + device.folder(),
                    "are for changes of keys");
            removeAll(heap);
            assertThat(heap.find(longKey(KEYS - 1))).isEmpty();
        }
    }

    /** Within the memory of a keeper they do so in any case. */
    @Test
    void copiesThatNobodyUsesMakeRoomOnTheDeviceOfAKeeper() throws Exception {
        try (ExchangeServer origin = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap writer = GlobalHeap.connect(origin.url());
                ExchangeServer keeper = ExchangeServer.start(options().joining(origin.url()));
                GlobalHeap heap = GlobalHeap.connect(keeper.url(), client(true))) {
            for (int i = 0; i < 4; i++) {
                writer.put("k" + i, bytes(3 * MEGABYTE - i));
            }
            GObject<byte[]> used = heap.open("k0", byte[].class);
            for (int i = 1; i < 4; i++) {
                assertThat(heap.get("k" + i, byte[].class)).isEqualTo(bytes(3 * MEGABYTE - i));
            }
            // What a client uses stays.
            assertThat(used.read()).isEqualTo(bytes(3 * MEGABYTE));
            GObject<byte[]> other = heap.open("k1", byte[].class);
            isFull(() -> heap.get("k2", byte[].class), "the device of " + device.folder());
            assertThat(other.read()).isEqualTo(bytes(3 * MEGABYTE - 1));
            other.release();
            assertThat(heap.get("k2", byte[].class)).isEqualTo(bytes(3 * MEGABYTE - 2));
            // A client that puts needs room for its copy too.
            heap.put("k4", bytes(3 * MEGABYTE - 4));
            assertThat(heap.get("k4", byte[].class)).isEqualTo(bytes(3 * MEGABYTE - 4));
            assertThat(used.read()).isEqualTo(bytes(3 * MEGABYTE));
            used.release();
        }
    }

    /** Its server can be reached, whatever a keeper has no room for. */
    @Test
    void aKeeperWithoutRoomForACopySaysSo() throws Exception {
        try (ExchangeServer origin = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap writer = GlobalHeap.connect(origin.url());
                Relay relay = new Relay(origin.url());
                ExchangeServer keeper = ExchangeServer.start(options().joining(relay.url()));
                GlobalHeap heap = GlobalHeap.connect(keeper.url(), client(true))) {
            writer.put("k", bytes(3 * MEGABYTE));
            long before = relay.replyBytes();
            relay.mostReplyBytes = before + MEGABYTE;
            CompletableFuture<byte[]> reading =
                    CompletableFuture.supplyAsync(() -> heap.get("k", byte[].class), Threads.FOR_EACH);
            Eventually.holds("a part has come", () -> relay.replyBytes() > before + MEGABYTE);
            device.fill(MEGABYTE);
            relay.mostReplyBytes = Long.MAX_VALUE;
            isFull(reading, "the device of " + device.folder());
            device.empty();
            assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(3 * MEGABYTE));
        }
    }
}
