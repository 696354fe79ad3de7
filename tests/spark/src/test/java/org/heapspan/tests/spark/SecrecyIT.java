package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** With {@code spark.io.encryption.enabled} nobody reads objects in the files of an executor, and without it everybody does. */
final class SecrecyIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private Outcome secrecy(String name, boolean encrypted, String... settings) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        SparkRun run = new SparkRun(own, SparkRun.JDK_25)
                .withHeapspan()
                .with("spark.heapspan.h2.dir", own.resolve("second heap").toString())
                .with("spark.heapspan.h2.datasets", "true")
                .with("spark.heapspan.h2.regionSize", "1m")
                // A file of which all is searched.
                .with("spark.heapspan.h2.capacity", "32m")
                .with("spark.heapspan.broadcast.dir", own.toString())
                .with("spark.io.encryption.enabled", String.valueOf(encrypted))
                // So that what is found, or not, is not a matter of compression.
                .with("spark.shuffle.compress", "false")
                .with("spark.shuffle.spill.compress", "false")
                .with("spark.broadcast.compress", "false")
                .with("spark.checkpoint.compress", "false")
                .with("spark.sql.inMemoryColumnarStorage.compressed", "false")
                .with("spark.shuffle.spill.numElementsForceSpillThreshold", "500");
        for (int i = 0; i < settings.length; i += 2) {
            run.with(settings[i], settings[i + 1]);
        }
        Outcome outcome = run.run("SecrecyApplication", own.toString()).succeeded();
        assertThat(outcome.results())
                .containsEntry("cache, records", "4000")
                .containsEntry("cache, right", "4000")
                .containsEntry("disk, right", "4000")
                .containsEntry("shuffle, records", "4000")
                .containsEntry("table, records", "4000")
                .containsEntry("broadcast, evicted", "true")
                .containsEntry("checkpoint, written", "true")
                .containsEntry("checkpoint-local, records", "4000");
        return outcome;
    }

    private static void areReadable(Outcome outcome, boolean readable) {
        String expected = String.valueOf(readable);
        Map<String, String> results = outcome.results();
        assertThat(results)
                .containsEntry("cache", expected)
                .containsEntry("disk", expected)
                .containsEntry("spill", expected)
                .containsEntry("shuffle", expected)
                .containsEntry("table", expected)
                .containsEntry("broadcast", expected)
                .containsEntry("checkpoint-local", expected)
                .as("Spark encrypts no files of checkpoints, which outlive the application and its key")
                .containsEntry("checkpoint", "true");
    }

    @Test
    void encryptedFilesTellNothing() throws Exception {
        Outcome outcome = secrecy("encrypted", true);
        areReadable(outcome, false);
        assertThat(outcome.lines("encrypted by AES with a key of 128 bits")).hasSizeGreaterThanOrEqualTo(2);
        assertThat(outcome.lines("executors of a host do not share broadcasts"))
                .singleElement()
                .asString()
                .contains("spark.io.encryption.enabled=true");
    }

    @Test
    void otherFilesTellAll() throws Exception {
        // In one JVM, as it only proves that what is searched for would be found.
        Outcome outcome = secrecy("clear", false, "spark.master", "local[2]");
        areReadable(outcome, true);
        assertThat(outcome.lines("encrypted by AES")).isEmpty();
    }

    @Tag("soak")
    @Test
    void theHeapIsOffWhereTheUserWantsNoEncryptionOfIt() throws Exception {
        Outcome outcome = secrecy("off", true, "spark.heapspan.h2.encryption", "heap-off", "spark.master", "local[2]");
        areReadable(outcome, false);
        assertThat(outcome.lines(
                        "second heap off (spark.io.encryption.enabled=true and spark.heapspan.h2.encryption=heap-off)"))
                .hasSize(1);
    }
}
