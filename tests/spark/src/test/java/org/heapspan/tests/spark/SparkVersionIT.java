package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plug-in on another version of Spark than it is compiled against. Parts that do not work there stand aside, and jobs find what they find
 * without the plug-in. {@code ./dev spark-versions} runs this with one Spark after the other and prints what it found.
 */
@Tag("versions")
final class SparkVersionIT {
    /** What the log says of a part that is off. */
    private static final Pattern OFF =
            Pattern.compile("(serializer|shuffle|broadcasts|second heap) off(?! \\(spark.heapspan.h2.dir is not set)");

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

    @Test
    void jobsFindWhatTheyFindWithoutThePlugIn() throws Exception {
        tell("jobs", "FAILS");
        Outcome stock = newRun("stock")
                .run("JobsApplication", folder.resolve("kept by stock").toString(), "false");
        Outcome heapspan = newRun("heapspan")
                .withHeapspan()
                .run("JobsApplication", folder.resolve("kept").toString(), "false");
        assertThat(JobsIT.comparable(heapspan.succeeded()))
                .containsExactlyInAnyOrderEntriesOf(JobsIT.comparable(stock.succeeded()));
        tell("jobs", parts(heapspan));
    }

    @Test
    void cachedPartitionsAreWhatTheyAreWithoutThePlugIn() throws Exception {
        tell("cache", "FAILS");
        Path heap = Files.createDirectories(folder.resolve("second heap"));
        Outcome outcome = newRun("cache")
                .withHeapspan()
                .with("spark.heapspan.h2.dir", heap.toString())
                .with("spark.heapspan.h2.regionSize", "1m")
                .run("CacheApplication", folder.resolve("cache").toString());
        CacheIT.isRight(outcome.succeeded());
        tell("cache", parts(outcome));
    }

    /** Which parts stood aside, by the plug-in's own words: a line of the driver, a line for each executor, warnings. */
    private static String parts(Outcome outcome) {
        assertThat(outcome.lines("HeapspanPlugin: Heapspan "))
                .as("what the driver says")
                .isNotEmpty();
        assertThat(outcome.lines("Heapspan: executor "))
                .as("what executors say")
                .isNotEmpty();
        TreeSet<String> aside = new TreeSet<>();
        for (String line : outcome.lines("HeapspanPlugin: ")) {
            Matcher off = OFF.matcher(line);
            while (off.find()) {
                aside.add(off.group(1));
            }
            if (line.contains("no tab")) {
                aside.add("tab");
            }
        }
        return aside.isEmpty() ? "works" : "works, these stand aside: " + String.join(", ", aside);
    }

    /** Later lines replace earlier ones. */
    private static void tell(String what, String how) throws IOException {
        Path found = Path.of(System.getProperty("heapspan.found"));
        String others = Files.exists(found) ? Files.readString(found).replaceAll("(?m)^" + what + ":.*\n", "") : "";
        Files.writeString(
                found,
                others + what + ": " + how + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING);
    }
}
