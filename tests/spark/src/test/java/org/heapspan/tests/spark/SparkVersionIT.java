package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plug-in on another version of Spark than it is compiled against: which parts work there. What does not must stand aside, so that jobs find what
 * they find without it. {@code ./dev spark-versions} runs this with one Spark after the other and prints what the tests found.
 */
@Tag("versions")
final class SparkVersionIT {
    /** What the driver's log says of a part. */
    private static final Pattern PART = Pattern.compile("(serializer|shuffle|broadcasts|second heap) (on|off)( \\([^)]*\\))?");

    private static final List<String> FOUND = new ArrayList<>();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    /** Spark 4.0 and 4.1 do not run on JDK 25. */
    private SparkRun newRun(String name) throws IOException {
        return new SparkRun(Files.createDirectories(folder.resolve(name)), SparkRun.JDK_17)
                .withBothCompilers("executor")
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0")
                .with("spark.shuffle.spill.numElementsForceSpillThreshold", "1500");
    }

    private static void found(String line) {
        FOUND.add(line);
    }

    @AfterAll
    static void write() throws IOException {
        Files.write(Path.of(System.getProperty("heapspan.found")), FOUND);
    }

    @Test
    void jobsFindWhatTheyFindWithoutThePlugIn() throws Exception {
        Outcome stock = newRun("stock").run("JobsApplication", folder.resolve("stock/kept").toString(), "false");
        Outcome heapspan = newRun("heapspan")
                .withHeapspan()
                .run("JobsApplication", folder.resolve("heapspan/kept").toString(), "false");
        tell(heapspan);
        found("jobs " + (heapspan.exitCode() == 0 ? "right" : "FAILED"));
        assertThat(JobsIT.comparable(heapspan.succeeded()))
                .containsExactlyInAnyOrderEntriesOf(JobsIT.comparable(stock.succeeded()));
    }

    @Test
    void cachedPartitionsAreWhatTheyAreWithoutThePlugIn() throws Exception {
        Path heap = Files.createDirectories(folder.resolve("second heap"));
        Outcome outcome = newRun("cache")
                .withHeapspan()
                .with("spark.heapspan.h2.dir", heap.toString())
                .with("spark.heapspan.h2.regionSize", "1m")
                .run("CacheApplication", folder.resolve("cache").toString());
        tell(outcome);
        found("cache " + (outcome.exitCode() == 0 ? "right" : "FAILED"));
        CacheIT.isRight(outcome.succeeded());
    }

    /** The plug-in's own words: one line of the driver, one for each executor. */
    private static void tell(Outcome outcome) {
        for (String line : outcome.lines("Heapspan")) {
            if (line.contains(" WARN ") || line.contains(" ERROR ")) {
                found("warning " + line.replaceFirst("^.*? (WARN|ERROR) ", ""));
            }
            Matcher part = PART.matcher(line);
            while (line.contains("HeapspanPlugin: Heapspan") && part.find()) {
                found(part.group(1) + " " + part.group(2));
            }
        }
        for (Map.Entry<String, String> result : outcome.results().entrySet()) {
            if (result.getKey().startsWith("serializer of ") || result.getKey().equals("stores")) {
                found(result.getKey() + " " + result.getValue());
            }
        }
    }
}
