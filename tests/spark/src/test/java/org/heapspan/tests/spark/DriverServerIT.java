package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A server of the global heap in the driver, whose executors on this host are its clients. */
final class DriverServerIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void tasksAreClientsOfTheDriver() throws Exception {
        Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .run("DriverServerApplication")
                .succeeded();
        assertThat(outcome.results().get("executors"))
                .matches(".*\\d+ \\[from, the, driver\\] shared: true.*")
                .doesNotContain("shared: false");
        assertThat(outcome.results().get("from tasks")).contains("[from task, 0]", "[from task, 1]", "[from task, 5]");
    }
}
