package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The external shuffle service of a standalone cluster's worker: it serves what executors wrote after they were killed. */
final class ServedShuffleIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void filesOfKilledExecutorsAreServed(boolean encrypted) throws Exception {
        Map<String, String> ofService = Map.of(
                "spark.shuffle.service.enabled",
                "true",
                "spark.shuffle.service.port",
                SparkRun.freePort(),
                "spark.shuffle.service.fetch.rdd.enabled",
                "true");
        try (StandaloneCluster cluster = new StandaloneCluster(folder, SparkRun.JDK_25, ofService)) {
            SparkRun run = new SparkRun(folder, SparkRun.JDK_25)
                    .withHeapspan()
                    .with("spark.master", cluster.address())
                    .with("spark.io.encryption.enabled", String.valueOf(encrypted))
                    .with("spark.executor.cores", "1")
                    .with("spark.executor.memory", "768m")
                    .with("spark.cores.max", "2");
            ofService.forEach(run::with);
            Outcome outcome = run.run("ServedShuffleApplication").succeeded();
            assertThat(outcome.results())
                    .containsEntry("serializer of a shuffle", "org.heapspan.spark.HeapspanSerializer")
                    .containsEntry("executors killed", "true")
                    .containsEntry("shuffled", "right")
                    .containsEntry("cached", "true")
                    .containsEntry("map tasks done again", "0")
                    .containsEntry("records computed again", "0");
        }
    }
}
