package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.testing.SmallDevice;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Three executors of a host share the bytes of broadcasts, also when one of them is killed, and when there is no room. */
final class SharedBroadcastIT {
    /** So that an application has room for its first broadcasts, of 2 MB each, and not for its last. */
    private static final int DEVICE_MEGABYTES = 8;

    private static final int LAST_MEGABYTES = 12;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private static void areRight(Outcome outcome, String... names) {
        for (String name : names) {
            assertThat(outcome.results()).containsEntry(name + ", right", "3");
        }
    }

    @Test
    void oneExecutorFetchesForAllOfItsHost() throws Exception {
        Outcome outcome;
        try (SmallDevice device = SmallDevices.at(folder.resolve("shared"), DEVICE_MEGABYTES)) {
            outcome = new SparkRun(Files.createDirectory(folder.resolve("run")), SparkRun.JDK_25)
                    .withHeapspan()
                    .with("spark.master", "local-cluster[3,1,512]")
                    .with("spark.executor.memory", "512m")
                    .with("spark.heapspan.broadcast.dir", device.folder().toString())
                    .run("SharedBroadcastApplication", device.folder().toString(), String.valueOf(LAST_MEGABYTES))
                    .succeeded();
            assertThat(device.folder()).as("after the application").isEmptyDirectory();
        }
        assertThat(outcome.results())
                .containsEntry("executors", "true")
                .containsEntry("first, executors", "3")
                .containsEntry("first, executors with blocks", "1")
                .containsEntry("only file is the broadcast", "true")
                .containsEntry("permissions", "[rw-------, rwx------]")
                .containsEntry("killed", "true")
                .containsEntry("removed", "true")
                // Each has fetched what there was no room for.
                .containsEntry("last, executors with blocks", "3");
        // None if the collector has left the values where Spark looks for them first.
        assertThat(outcome.results().get("after removal, executors with blocks"))
                .isIn("0", "1");
        areRight(outcome, "first", "after a kill", "read again", "all again", "after removal", "last");
    }
}
