package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What the lines of docs/spark.md do, alone and together with others. */
final class SettingsIT {
    private static final String KEY = "spark.serializer";
    private static final String HEAPSPAN = "org.heapspan.spark.HeapspanSerializer";
    private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private SparkRun run;

    @BeforeEach
    void describe() {
        // One executor is enough to have a JVM of its own.
        run = new SparkRun(folder, SparkRun.JDK_25).with("spark.master", "local-cluster[1,2,1024]");
    }

    private Outcome settings() throws Exception {
        return run.run("SettingsApplication");
    }

    /** With the tab, whose data tell what is on. */
    private SparkRun withTab() {
        return run.withHeapspan().with("spark.ui.enabled", "true").with("spark.ui.port", "0");
    }

    private static void uses(Outcome outcome, String serializer) {
        assertThat(outcome.succeeded().results())
                .containsEntry("serializer of the driver", serializer)
                .containsEntry("serializer of the executors", "[" + serializer + "]")
                .containsEntry("serializer of a shuffle", serializer);
    }

    @Test
    void theSerializerWorksWithoutThePlugIn() throws Exception {
        run.withHeapspanOnClassPaths().with(KEY, HEAPSPAN).with("spark.master", "local[2]");
        uses(settings(), HEAPSPAN);
    }

    @Test
    void aSerializerThatTheUserChoseStays() throws Exception {
        withTab().with(KEY, JAVA).with("spark.master", "local[2]");
        Outcome outcome = settings();
        uses(outcome, JAVA);
        assertThat(outcome.results().get("parts"))
                .contains("serializer off " + KEY + "=" + JAVA + " is set; remove it to use Heapspan's [\"all\"]")
                .contains("shuffle off it needs Heapspan's serializer, which is off [\"all\"]")
                .contains("second heap off spark.heapspan.h2.dir is not set [\"driver\"]");
        assertThat(outcome.lines("Heapspan's serializer is off"))
                .singleElement()
                .asString()
                .contains(KEY + "=" + JAVA + " is set");
    }

    @Test
    void switchesLeaveSparkAsItIs() throws Exception {
        run.withHeapspan()
                .with("spark.heapspan.serializer", "false")
                .with("spark.heapspan.direct", "false")
                .with("spark.heapspan.ui", "false")
                .with("spark.master", "local[2]");
        Outcome outcome = settings();
        uses(outcome, JAVA);
        assertThat(outcome.results())
                .containsEntry("broadcast", "arrives")
                .containsEntry("broadcast that is not Serializable", "is refused");
        assertThat(outcome.lines("serializer off (spark.heapspan.serializer=false)"))
                .hasSize(1);
        assertThat(outcome.lines("direct engine off (switched off by -Dheapspan.direct=false)"))
                .hasSize(1);
        assertThat(outcome.lines("WARN HeapspanPlugin")).isEmpty();
    }

    @Test
    void localModeUsesTheSerializerToo() throws Exception {
        run.withHeapspan()
                .with("spark.master", "local[2]")
                .with("spark.heapspan.encoding", "raw")
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0");
        Outcome outcome = settings();
        uses(outcome, HEAPSPAN);
        assertThat(outcome.lines("Heapspan: executor driver on ")).hasSize(1);
        // There driver and executor are one JVM, which counts once.
        assertThat(outcome.lines("already registered")).isEmpty();
        assertThat(outcome.lines("WARN HeapspanPlugin")).isEmpty();
    }

    /** And with broadcasts and sizes of combiners left to Spark. */
    @Test
    void theExternalShuffleServiceServesWhatWasWritten() throws Exception {
        Process service = withTab()
                .with("spark.heapspan.broadcast", "false")
                .with("spark.heapspan.combinerSizes", "false")
                .startShuffleService();
        try {
            Outcome outcome = settings();
            uses(outcome, HEAPSPAN);
            assertThat(outcome.lines("serializer on, shuffle on, broadcasts off (spark.heapspan.broadcast=false)"))
                    .hasSize(1);
            assertThat(outcome.results().get("parts"))
                    .contains("serializer on  [\"all\"]; shuffle on  [\"all\"]")
                    .contains("sizes of combiners off spark.heapspan.combinerSizes=false [\"all\"]")
                    .contains("broadcasts off spark.heapspan.broadcast=false [\"all\"]");
            assertThat(outcome.lines("WARN HeapspanPlugin")).isEmpty();
            assertThat(outcome.results())
                    .containsEntry("broadcast", "arrives")
                    .containsEntry("broadcast that is not Serializable", "is refused")
                    .containsEntry(
                            "ports of the shuffle servers", "[" + run.valueOf("spark.shuffle.service.port") + "]");
        } finally {
            service.destroyForcibly().waitFor();
        }
    }

    @Test
    void aShuffleManagerThatTheUserChoseStays() throws Exception {
        Path noFolder = Files.writeString(folder.resolve("file"), "");
        withTab()
                .with("spark.shuffle.manager", "sort")
                .with("spark.heapspan.h2.dir", noFolder.toString())
                .with("spark.master", "local[2]");
        Outcome outcome = settings();
        uses(outcome, HEAPSPAN);
        assertThat(outcome.results())
                .containsEntry("broadcast", "arrives")
                .containsEntry("broadcast that is not Serializable", "arrives");
        assertThat(outcome.results().get("parts"))
                .contains("shuffle off spark.shuffle.manager=sort is set; remove it to use Heapspan's [\"all\"]")
                .contains("sizes of combiners off they need Heapspan's shuffle manager, which is off [\"all\"]")
                .contains("broadcasts on  [\"all\"]")
                .contains("second heap off spark.heapspan.h2.dir is '" + noFolder + "', where no second heap can be: "
                        + noFolder
                        + " is not a folder; name a folder on this host that the executor can create or write"
                        + " to [\"driver\"]");
        assertThat(outcome.lines("serializer on, shuffle off")).hasSize(1);
        assertThat(outcome.lines("Heapspan's shuffle manager is off"))
                .singleElement()
                .asString()
                .contains("spark.shuffle.manager=sort is set");
    }

    /** Executors make their serializer before they fetch such jars: with ours in the configuration none would start. */
    @Test
    void aJarThatComesWithTheApplicationIsTooLateForTheSerializerAndSaysSo() throws Exception {
        run.with("spark.plugins", "org.heapspan.spark.HeapspanPlugin")
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0")
                .with("spark.jars", SparkRun.HEAPSPAN_JAR.toString());
        Outcome outcome = settings();
        uses(outcome, JAVA);
        assertThat(outcome.lines("Heapspan's serializer is off"))
                .singleElement()
                .asString()
                .contains("spark.executor.extraClassPath");
        assertThat(outcome.results().get("parts"))
                .contains("serializer off heapspan-spark.jar came with the application (--jars, spark.jars)");
        assertThat(outcome.lines("Heapspan: executor ")).hasSize(1);
    }

    @Test
    void aWrongValueKeepsTheApplicationFromStarting() throws Exception {
        run.withHeapspan().with("spark.master", "local[2]").with("spark.heapspan.groupBytes", "much");
        Outcome outcome = settings();
        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.output()).contains("spark.heapspan.groupBytes is 'much', expected a size from 1k to 64m");
    }
}
