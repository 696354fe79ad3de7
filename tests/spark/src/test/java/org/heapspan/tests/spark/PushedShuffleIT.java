package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Push-based shuffle: blocks of several map tasks one behind the other are read as one. */
final class PushedShuffleIT {
    private static final String SERIALIZER = "org.heapspan.spark.HeapspanSerializer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void mergedBlocksAreReadAsOneStream(String compressed) throws Exception {
        Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                // Spark asks whether records can be put together before it loads plug-ins.
                .with("spark.serializer", SERIALIZER)
                .with("spark.shuffle.manager", "org.apache.spark.heapspan.HeapspanShuffleManager")
                .with("spark.shuffle.compress", compressed)
                .with("spark.shuffle.push.enabled", "true")
                .with("spark.shuffle.service.enabled", "true")
                .with("spark.shuffle.push.mergersMinStaticThreshold", "1")
                .with("spark.shuffle.push.minShuffleSizeToWait", "0")
                .with("spark.shuffle.push.finalize.timeout", "3s")
                // Without YARN push-based shuffle is for Spark's own tests.
                .with("spark.testing", "true")
                .with("spark.test.home", SparkRun.SPARK.toString())
                .run("PushedShuffleApplication")
                .succeeded();
        assertThat(outcome.results())
                .containsEntry("serializer of a shuffle", SERIALIZER)
                .containsEntry("result", "right")
                .containsEntry("merged chunks that were corrupt", "0")
                .containsEntry("merged blocks read one by one instead", "0");
        assertThat(Integer.parseInt(outcome.results().get("merged blocks read")))
                .as(outcome.output())
                .isGreaterThanOrEqualTo(4);
    }
}
