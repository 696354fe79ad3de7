package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A driver that is killed and started again by a standalone cluster ({@code --supervise}). */
final class RestartIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Tag("soak")
    @Test
    void aDriverThatIsStartedAgainGetsItsResultsAndReadsItsCheckpoints() throws Exception {
        try (StandaloneCluster cluster = new StandaloneCluster(folder, SparkRun.JDK_25)) {
            Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                    .withHeapspan()
                    .with("spark.master", cluster.address())
                    .supervised()
                    .with("spark.executor.cores", "1")
                    .with("spark.executor.memory", "600m")
                    .run("RestartApplication", folder.toString())
                    .succeeded();
            assertThat(outcome.results())
                    .as(outcome.output() + cluster.driverLog())
                    .containsEntry("result", "right")
                    .containsEntry("of the checkpoint", "right")
                    .containsEntry("serializer of a shuffle", "org.heapspan.spark.HeapspanSerializer");
            String[] applications = outcome.results().get("applications").split(" ");
            assertThat(applications).hasSize(2).doesNotHaveDuplicates();
            assertThat(cluster.driverLog().lines().filter(line -> line.contains("serializer on, shuffle on")))
                    .as("lives of the driver")
                    .hasSizeBetween(1, 2);
        }
    }
}
