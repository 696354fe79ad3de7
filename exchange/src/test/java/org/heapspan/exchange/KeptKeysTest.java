package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.heapspan.vm.AccessMeans;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that keep their keys. {@code SeveralProcessesTest} kills one. */
@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class KeptKeysTest {
    @TempDir
    Path folder;

    private ExchangeServerOptions options(Place place) {
        return place.server().withDirectory(folder).keepingKeys();
    }

    private Path serverFolder() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst().orElseThrow();
        }
    }

    private static List<String> names(Path folder, String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void theNextServerGoesOnWithThem(Place place) throws Exception {
        Model model = new Model("kept", 2000);
        long address;
        long published;
        KeyInfo before;
        try (ExchangeServer server = ExchangeServer.start(options(place));
                GlobalHeap heap = place.connect(server)) {
            heap.put("model", model);
            heap.put("replaced", "first");
            heap.replace("replaced", "second", 1);
            heap.put("removed", new byte[100_000]);
            heap.remove("removed");
            // More than a chunk.
            heap.put("long", new byte[2_500_000]);
            heap.put("null", null);
            before = heap.find("model").orElseThrow();
            address = before.address();
            published = heap.publish("without a key").address();
        }
        for (int round = 0; round < 2; round++) {
            // The second one forces each change.
            ExchangeServerOptions next =
                    round == 0 ? options(place) : options(place).keepingKeys(Duration.ZERO);
            try (ExchangeServer server = ExchangeServer.start(next);
                    GlobalHeap heap = place.connect(server)) {
                assertThat(heap.list("")).extracting(KeyInfo::key).containsExactly("long", "model", "null", "replaced");
                assertThat(model.isSame(heap.get("model", Model.class))).isTrue();
                assertThat(model.isSame(heap.at(address, Model.class))).isTrue();
                assertThat(heap.find("model").orElseThrow().committed()).isEqualTo(before.committed());
                assertThat(heap.get("replaced", String.class)).isEqualTo("second");
                assertThat(heap.get("long", byte[].class)).hasSize(2_500_000);
                assertThat(heap.get("null", Object.class)).isNull();
                fails(Reason.KEY_MISSING, () -> heap.get("removed", Object.class, Duration.ZERO));
                fails(Reason.GROUP_GONE, () -> heap.at(published, String.class));
                fails(Reason.KEY_EXISTS, () -> heap.put("model", "again"));
                fails(Reason.OTHER_VERSION, () -> heap.replace("replaced", "third", 1));
                heap.put("new" + round, "value");
                assertThat(heap.get("new" + round, String.class)).isEqualTo("value");
                heap.remove("new" + round);
            }
        }
        ExchangeServerOptions last = options(place).keepingKeys(Duration.ZERO).withLease(Duration.ofMillis(500));
        try (ExchangeServer server = ExchangeServer.start(last);
                GlobalHeap heap = place.connect(server)) {
            for (KeyInfo key : heap.list("")) {
                heap.remove(key.key());
            }
            GlobalHeapTest.settled(server);
            Eventually.holds(
                    "no files of chunks", () -> names(serverFolder(), "chunk-").isEmpty());
        }
    }

    @Test
    void filesStayWithTheirKeysAndNobodyElseTakesThem() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options(Place.SAME_HOST));
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            heap.put("k", "v");
            heap.publish(new byte[3 << 20]);
            assertThatThrownBy(() -> ExchangeServer.start(options(Place.SAME_HOST)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a server of this process uses");
            // Another kind of server, in the same folder.
            try (ExchangeServer other =
                    ExchangeServer.start(Place.SAME_HOST.server().withDirectory(folder))) {
                assertThat(other.status().keys()).isZero();
            }
        }
        assertThat(ExchangeServer.clean(options(Place.SAME_HOST))).isZero();
        assertThat(names(serverFolder(), "")).contains("keys").doesNotContain("server");
        try (ExchangeServer server = ExchangeServer.start(options(Place.SAME_HOST))) {
            // Those of the object without a key are gone.
            assertThat(names(serverFolder(), "chunk-")).hasSize(1);
            assertThat(server.status().keys()).isEqualTo(1);
        }
    }

    /** Clients of the last server may read its files for a while. */
    @Test
    void spaceOfTheLastServerIsGivenBackAfterTheTimeOfALease() throws Exception {
        assumeTrue(
                VirtualMachine.current().means() == AccessMeans.NATIVE_LIBRARY,
                "does not apply: only the native library makes holes in files");
        ExchangeServerOptions options = options(Place.SAME_HOST).withLease(Duration.ofMillis(500));
        long published;
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            heap.put("k", "v");
            published = heap.publish(new byte[100_000]).address();
        }
        Path chunk = serverFolder().resolve(names(serverFolder(), "chunk-").get(0));
        assertThat(firstBytes(chunk, published)).isNotEqualTo(new byte[8]);
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            Eventually.holds("a hole", () -> Arrays.equals(firstBytes(chunk, published), new byte[8]));
            assertThat(heap.get("k", String.class)).isEqualTo("v");
        }
    }

    private static byte[] firstBytes(Path chunk, long address) throws IOException {
        try (FileChannel file = FileChannel.open(chunk)) {
            ByteBuffer first = ByteBuffer.allocate(8);
            file.read(first, address % file.size());
            return first.array();
        }
    }

    @Test
    void theirFileIsWrittenAnewWhenMostOfItIsOfNoUse() throws Exception {
        ExchangeServerOptions options = options(Place.IN_PROCESS).keepingKeys(Duration.ofMillis(50));
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.IN_PROCESS.connect(server)) {
            String longKey = "k".repeat(1000);
            heap.put("stays", "v");
            for (int i = 0; i < 520; i++) {
                heap.put(longKey, i);
                heap.remove(longKey);
            }
            // All of these changes together have 1.1 MB.
            Path keys = serverFolder().resolve("keys");
            Eventually.holds("a file of at most 1 MB", () -> Files.size(keys) <= 1 << 20);
            heap.put("later", "w");
        }
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.IN_PROCESS.connect(server)) {
            assertThat(heap.list("")).extracting(KeyInfo::key).containsExactly("later", "stays");
            assertThat(heap.get("later", String.class)).isEqualTo("w");
        }
    }

    @Test
    void aChangeIsForcedWithinAMinute() {
        for (Duration wrong : List.of(Duration.ofMillis(-1), Duration.ofSeconds(61))) {
            assertThatThrownBy(() -> options(Place.SAME_HOST).keepingKeys(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected 0 to 60 seconds");
        }
    }

    @Test
    void aChangeThatWasCutOffNeverWasAndDamageIsTold() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options(Place.SAME_HOST));
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            heap.put("a", "first");
            heap.put("b", "second");
        }
        Path keys = serverFolder().resolve("keys");
        byte[] whole = Files.readAllBytes(keys);
        for (int length : new int[] {whole.length - 1, whole.length / 2 + 7, whole.length / 2 + 24}) {
            Files.write(keys, Arrays.copyOf(whole, length));
            try (ExchangeServer server = ExchangeServer.start(options(Place.SAME_HOST));
                    GlobalHeap heap = Place.SAME_HOST.connect(server)) {
                assertThat(heap.list("")).extracting(KeyInfo::key).containsExactly("a");
                assertThat(heap.get("a", String.class)).isEqualTo("first");
            }
        }
        byte[] changed = Files.readAllBytes(keys);
        changed[12] ^= 1;
        Files.write(keys, changed);
        assertThatThrownBy(() -> ExchangeServer.start(options(Place.SAME_HOST)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("keys is damaged at byte 8", "truncate -s 8");
        changed[12] ^= 1;
        Files.write(keys, changed);
        Path chunk = serverFolder().resolve(names(serverFolder(), "chunk-").get(0));
        Files.write(chunk, new byte[1], StandardOpenOption.APPEND);
        assertThatThrownBy(() -> ExchangeServer.start(options(Place.SAME_HOST)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("need the file " + chunk.getFileName());
        // Nothing was deleted.
        assertThat(chunk).exists();
        assertThat(keys).exists();
    }
}
