package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Hosts;
import org.heapspan.testing.SmallDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** A server whose log of changes has no room on its device. */
@Tag("soak")
@Timeout(Eventually.TEST_SECONDS)
final class FullLogTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int KEYS = 1_600;

    @TempDir
    Path folder;

    private static String key(int number) {
        return "k".repeat(900) + number;
    }

    @Test
    void theOthersGoOn() throws Exception {
        try (SaidOfLog said = new SaidOfLog();
                SmallDevice device = device();
                Peers peers = new Peers(folder);
                GlobalHeap heap = peers.connect()) {
            heap.put("first", "value");
            // The leader reserves space for each object, and refuses it if its own device is full.
            for (int i = 0; peers.leader() == 1; i++) {
                peers.stop(1);
                heap.put("another one leads, " + i, "value");
                peers.start(1);
            }
            device.fill(MEGABYTE / 2);
            for (int i = 0; i < KEYS; i++) {
                heap.put(key(i), i);
            }
            assertThat(heap.get("first", String.class)).isEqualTo("value");
            assertThat(heap.get(key(KEYS - 1), Integer.class)).isEqualTo(KEYS - 1);
            assertThat(said.messages())
                    .singleElement()
                    .asString()
                    .startsWith("the log of changes in " + device.folder())
                    .contains("could not be written: No space left on device. This server stores no changes any more");
            device.empty();
            peers.stop(1);
            peers.start(1);
            peers.stop(0);
            assertThat(heap.get(key(0), Integer.class)).isZero();
            assertThat(heap.get(key(KEYS - 1), Integer.class)).isEqualTo(KEYS - 1);
        }
    }

    private SmallDevice device() throws Exception {
        try {
            return new SmallDevice(Files.createDirectory(folder.resolve("peer-1")), 64 * MEGABYTE);
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException(e.getMessage(), e);
        }
    }
}
