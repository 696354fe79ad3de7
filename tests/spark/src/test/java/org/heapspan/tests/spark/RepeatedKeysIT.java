package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Numbers of keys in an iterative job on two executor JVMs, one of which is killed. */
final class RepeatedKeysIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void laterIterationsShuffleLess() throws Exception {
        Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .with("spark.heapspan.repeatedKeys", "16m")
                .with("spark.shuffle.io.maxRetries", "1")
                .with("spark.shuffle.io.retryWait", "1s")
                .run("RepeatedKeysApplication", folder.toString())
                .succeeded();
        assertThat(outcome.results())
                .containsEntry("right", outcome.results().get("pages"))
                .containsEntry("less than half", "true");
    }
}
