package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Combines much more than fits in the heap of an executor with two tasks: what stock Spark completes is completed, with the same results. */
@Tag("soak")
final class TightHeapIT {
    private static final String HEAP_MEGABYTES = "512";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void whatStockSparkCompletesIsCompleted() throws Exception {
        Map<String, String> stock = run("stock", false);
        Map<String, String> found = run("heapspan", true);
        assertThat(stock).as("stock Spark completes all").doesNotContainValue("failed");
        assertThat(stock).containsEntry("spilled", "true");
        assertThat(found).isEqualTo(stock);
    }

    private Map<String, String> run(String name, boolean heapspan) throws Exception {
        SparkRun run = new SparkRun(folder.resolve(name).toFile().mkdirs() ? folder.resolve(name) : folder, SparkRun.JDK_25)
                .withBothCompilers("executor")
                .with("spark.master", "local-cluster[1,2," + HEAP_MEGABYTES + "]")
                .with("spark.executor.memory", HEAP_MEGABYTES + "m");
        Outcome outcome = (heapspan ? run.withHeapspan() : run).run("TightHeapApplication").succeeded();
        return outcome.results();
    }
}
