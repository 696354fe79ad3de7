package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with a second folder, for objects for which its memory has no room. */
@Timeout(Eventually.TEST_SECONDS)
final class OverflowTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int SIZE = 600 << 10;

    @TempDir
    Path folder;

    private Path memory;
    private Path disk;

    @BeforeEach
    void makeFolders() {
        memory = folder.resolve("memory");
        disk = folder.resolve("disk");
    }

    private ExchangeServerOptions options() {
        return ExchangeServerOptions.port(0)
                .withDirectory(memory)
                .withMemory(MEGABYTE)
                .withOverflow(disk, 2 * MEGABYTE)
                .withChunkBytes(MEGABYTE);
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[SIZE];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Files may go while they are listed. */
    private static List<Path> chunkFiles(Path base) {
        List<Path> found = new ArrayList<>();
        for (String server : list(base)) {
            for (String file : list(base.resolve(server))) {
                if (file.startsWith("chunk-")) {
                    found.add(base.resolve(server).resolve(file));
                }
            }
        }
        return found;
    }

    private static String[] list(Path folder) {
        return Objects.requireNonNull(folder.toFile().list(), folder.toString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void objectsForWhichMemoryHasNoRoomGoToTheSecondFolder(boolean isMapped) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options())) {
            GlobalHeapOptions client = GlobalHeapOptions.defaults();
            try (GlobalHeap heap = GlobalHeap.connect(server.url(), isMapped ? client : client.withoutMapping())) {
                assertThat(heap.sharesMemory()).isEqualTo(isMapped);
                for (int key = 0; key < 4; key++) {
                    heap.put("k" + key, bytes(key));
                }
                assertThat(chunkFiles(memory)).hasSize(1);
                assertThat(chunkFiles(disk))
                        .isNotEmpty()
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .isEqualTo("rw-------"));
                assertThat(heap.status().capacityBytes()).isEqualTo(3 * MEGABYTE);
                assertThat(heap.status().usedBytes()).isGreaterThan(4 * SIZE);
                assertThatThrownBy(() -> heap.put("more", bytes(9)))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.FULL))
                        .hasMessageContaining("of the overflow folder")
                        .hasMessageContaining("--overflow, --memory");
                for (int key = 0; key < 4; key++) {
                    assertThat(heap.get("k" + key, byte[].class)).isEqualTo(bytes(key));
                }
                // Memory that is free is used first.
                heap.remove("k0");
                Eventually.holds("space is given back", () -> heap.status().usedBytes() < 4 * SIZE);
                int filesOnDisk = chunkFiles(disk).size();
                heap.put("k4", bytes(4));
                assertThat(chunkFiles(disk)).hasSize(filesOnDisk);
                for (int key = 1; key <= 4; key++) {
                    assertThat(heap.get("k" + key, byte[].class)).isEqualTo(bytes(key));
                    heap.remove("k" + key);
                }
                Eventually.holds("all space is given back", () -> heap.status().usedBytes() == 0);
                // Files are deleted after their bytes count as free.
                Eventually.holds(
                        "no files of chunks",
                        () -> chunkFiles(memory).isEmpty() && chunkFiles(disk).isEmpty());
            }
        }
        assertThat(memory).isEmptyDirectory();
        assertThat(disk).isEmptyDirectory();
    }

    /** The limit of the server says that there is room, but the device has none: here no file can be made. */
    @Test
    void objectsGoToTheSecondFolderIfOthersHaveFilledTheMemory() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options());
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            try (Stream<Path> files = Files.walk(Path.of(heap.status().directory()))) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            heap.put("k", bytes(1));
            assertThat(chunkFiles(disk)).hasSize(1);
            assertThat(heap.get("k", byte[].class)).isEqualTo(bytes(1));
        }
    }

    @Test
    void aServerThatKeepsReplicatesOrJoinsHasNone() throws Exception {
        assertRefused(options().keepingKeys(), "--overflow-dir");
        assertRefused(options().joining("heapspan://127.0.0.1:1"), "--overflow-dir");
        assertRefused(options().replicating("127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"), "--overflow-dir");
        assertRefused(options().withOverflow(memory, 1), "is that of the memory");
        assertThatThrownBy(() -> options().withOverflow(disk, -1)).isInstanceOf(IllegalArgumentException.class);
        try (ExchangeServer server = ExchangeServer.start(options().withOverflow(disk, 0))) {
            assertThat(server.status().capacityBytes()).isGreaterThan(MEGABYTE);
        }
    }

    private static void assertRefused(ExchangeServerOptions options, String part) {
        assertThatThrownBy(() -> ExchangeServer.start(options).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part);
    }
}
