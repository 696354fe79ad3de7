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

/** A client of Spark Connect, which brings its classes to the server: with the plug-in there it finds what it finds without. */
@Tag("soak")
final class ConnectIT {
    /** What needs RDDs, which clients do not have, or classes of the client where servers of Spark 4.3 do not look for them. */
    private static final String LEFT_OUT =
            "dataset to RDD and back;dataset with Java's encoder;SQL functions of the program";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void clientsFindWhatTheyFindOnSparkAsItIs() throws Exception {
        Map<String, String> stock = run("stock", false).results();
        assertThat(stock)
                .hasSize(12)
                .allSatisfy((feature, found) -> assertThat(found).doesNotStartWith("failed: "));
        Outcome outcome = run("plugin", true);
        assertThat(outcome.results()).containsExactlyInAnyOrderEntriesOf(stock);
        assertThat(outcome.lines("serializer on, shuffle on")).hasSize(1);
    }

    private Outcome run(String name, boolean heapspan) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        SparkRun run = new SparkRun(own, SparkRun.JDK_25)
                .with("spark.driver.memory", "768m")
                .with("spark.sql.shuffle.partitions", "3");
        if (heapspan) {
            run.withHeapspan()
                    .with("spark.heapspan.h2.dir", own.resolve("second heap").toString())
                    .with("spark.heapspan.h2.datasets", "true");
        }
        return run.runConnected("wide.ConnectedJob", own.resolve("files").toString(), LEFT_OUT)
                .succeeded();
    }
}
