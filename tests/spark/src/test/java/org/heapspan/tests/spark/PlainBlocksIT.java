package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** An executor that keeps Spark's Kryo for blocks of numbers and strings, beside one that does not. */
final class PlainBlocksIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Tag("soak")
    @Test
    void eachReadsTheBlocksOfTheOther() throws Exception {
        SparkRun run = new SparkRun(folder, SparkRun.JDK_25).withHeapspan();
        Outcome outcome = run.with(
                        "spark.plugins", run.valueOf("spark.plugins") + ",org.heapspan.tests.spark.jobs.OwnKryoPlugin")
                .with("spark.locality.wait", "0s")
                .with("spark.scheduler.minRegisteredResourcesRatio", "1")
                .run("PlainBlocksApplication")
                .succeeded();
        assertThat(outcome.results())
                .hasSize(13)
                .containsEntry("serializers of blocks", "[0 PlainBlockSerializer, 1 KryoSerializer]");
        for (String level : new String[] {"memory", "disk"}) {
            for (String values : new String[] {"numbers", "strings", "arrays"}) {
                assertThat(outcome.results())
                        .containsEntry(level + ", " + values + ", blocks", "[0, 1]")
                        .containsEntry(level + ", " + values + ", read", "{0=right, 1=right}");
            }
        }
    }
}
