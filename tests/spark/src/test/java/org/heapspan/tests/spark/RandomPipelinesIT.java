package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Operations by key, drawn at random, find what they find on stock Spark. The seed of a pipeline that differs is in the message. */
final class RandomPipelinesIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    /** Each operation once. */
    @Test
    void resultsAreThoseOfStockSpark() throws Exception {
        check(1, 9);
    }

    @Test
    @Tag("soak")
    void resultsOfManyAreThoseOfStockSpark() throws Exception {
        long seed = Long.getLong("heapspan.tests.seed", new Random().nextInt(1_000_000_000));
        System.out.println(
                "RandomPipelinesIT: seeds from " + seed + " (repeat with -Dheapspan.tests.seed=" + seed + ")");
        check(seed, 600);
    }

    /** Why the pipelines draw no such keys. */
    @Tag("soak")
    @Test
    void stockSparkTakesEqualNumbersOfTwoClassesForOneKeyOnlyWhereItSpills() throws Exception {
        Map<String, String> results = new SparkRun(folder, SparkRun.JDK_25)
                .with("spark.master", "local[1]")
                .run("EqualNumbersApplication")
                .succeeded()
                .results();
        assertThat(results).containsEntry("groups without spills", "2000").containsEntry("groups with spills", "1000");
    }

    private void check(long firstSeed, int pipelines) throws Exception {
        Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .with("spark.master", "local[2,4]")
                .with("spark.driver.memory", "1g")
                .run("RandomPipelinesApplication", String.valueOf(firstSeed), String.valueOf(pipelines))
                .succeeded();
        assertThat(outcome.lines("Heapspan's size estimator is off")).isEmpty();
        Map<String, String> results = outcome.results();
        for (String memory : new String[] {"roomy", "little memory"}) {
            assertThat(results)
                    .as("seeds from %d", firstSeed)
                    .containsEntry(memory + ": results that differ", "{}")
                    .containsEntry(memory + ": pipelines", String.valueOf(pipelines))
                    .containsEntry(memory + ": records", results.get("stock: records"))
                    .containsEntry(memory + ": spilled", String.valueOf(memory.equals("little memory")));
        }
    }
}
