package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After everything is released, no file, mapping, descriptor or thread remains. */
@Timeout(Eventually.TEST_SECONDS)
final class LeakTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void nothingRemains(Place place) throws Exception {
        use(place, 1);
        int descriptors = descriptors();
        use(place, 20);
        Eventually.holds("no threads", () -> threads().isEmpty());
        Eventually.holdsAfterCollection("no mappings", () -> mappings().isEmpty());
        Eventually.holdsAfterCollection("no more descriptors", () -> descriptors() <= descriptors);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void nothingRemainsOfAKeeper() throws Exception {
        useKeeper(1);
        int descriptors = descriptors();
        useKeeper(10);
        Eventually.holds("no threads", () -> threads().isEmpty());
        Eventually.holdsAfterCollection("no mappings", () -> mappings().isEmpty());
        Eventually.holdsAfterCollection("no more descriptors", () -> descriptors() <= descriptors);
        assertThat(folder).isEmptyDirectory();
    }

    private void useKeeper(int rounds) throws Exception {
        ExchangeServerOptions options =
                Place.SAME_HOST.server().withDirectory(folder).withLease(Duration.ofSeconds(2));
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(server.url());
                ExchangeServer keeper = ExchangeServer.start(options.joining(server.url()));
                GlobalHeap other = GlobalHeap.connect(keeper.url())) {
            for (int i = 0; i < rounds; i++) {
                heap.put("key", new byte[3 << 20]);
                other.get("key", byte[].class);
                other.put("own", new byte[3 << 20]);
                heap.get("own", byte[].class);
                try (GroupHandle<String> handle = other.publish("published")) {
                    other.publish("another", List.of(handle)).close();
                    heap.at(handle.address(), String.class);
                }
                other.reserve("never", 100).release();
                heap.remove("own");
                other.remove("key");
            }
            GlobalHeapTest.settled(server);
            GlobalHeapTest.settled(keeper);
            Eventually.holds("no files of chunks", () -> chunkFiles().isEmpty());
            Eventually.holdsAfterCollection(
                    "no mappings while they run", () -> mappings().isEmpty());
        }
    }

    private void use(Place place, int rounds) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server().withDirectory(folder));
                GlobalHeap heap = place.connect(server)) {
            for (int i = 0; i < rounds; i++) {
                heap.put("key", new byte[3 << 20]);
                heap.get("key", byte[].class);
                try (GroupHandle<String> handle = heap.publish("published")) {
                    heap.at(handle.address(), String.class);
                }
                heap.reserve("never", 100).release();
                heap.remove("key");
            }
            GlobalHeapTest.settled(server);
            // Of a server that goes on. It deletes them after it has counted their bytes as free.
            Eventually.holds("no files of chunks", () -> chunkFiles().isEmpty());
            Eventually.holdsAfterCollection(
                    "no mappings while the server runs", () -> mappings().isEmpty());
        }
    }

    /** Files may go while they are listed. */
    private List<String> chunkFiles() {
        List<String> found = new ArrayList<>();
        for (String server : list(folder.toFile())) {
            for (String file : list(new File(folder.toFile(), server))) {
                if (file.startsWith("chunk-")) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static String[] list(File folder) {
        return Objects.requireNonNull(folder.list(), folder.getPath());
    }

    private List<String> mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.getFileName().toString()))
                    .toList();
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("heapspan-exchange"))
                .toList();
    }

    private static int descriptors() {
        return list(new File("/proc/self/fd")).length;
    }
}
