package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens to executors and files on two executor JVMs: results are right, or the job fails and says why. */
final class FaultsIT {
    /** A version of Heapspan that there has never been. */
    private static final String OTHER = "0.0.1-other";

    private static final String[] OF_FILES = {"bit flipped", "file cut off"};

    private static final String[] OF_CACHES = {
        "cache cut off", "cache with a disk cut off", "cache cut off, read twice at a time"
    };

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path shared;

    /** Of one application for two tests, in which neither shuffle files nor caches have a checksum but Heapspan's. */
    private static final FutureTask<Outcome> DAMAGED = new FutureTask<>(FaultsIT::damaged);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private SparkRun run;

    @BeforeEach
    void describe() {
        run = run(folder);
    }

    private static SparkRun run(Path folder) {
        return new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                // A lost executor is not waited for as long as on a network.
                .with("spark.shuffle.io.maxRetries", "1")
                .with("spark.shuffle.io.retryWait", "1s");
    }

    private static Outcome damaged() throws Exception {
        SparkRun run = withFiles(run(shared), false, false)
                .with("spark.heapspan.h2.dir", shared.resolve("second heap").toString());
        return faults(
                run, shared, Stream.of(OF_CACHES, OF_FILES).flatMap(Stream::of).toArray(String[]::new));
    }

    private static SparkRun withFiles(SparkRun run, boolean compress, boolean checksum) {
        return run.with("spark.shuffle.compress", String.valueOf(compress))
                .with("spark.shuffle.checksum.enabled", String.valueOf(checksum));
    }

    private Outcome faults(String... faults) throws Exception {
        return faults(run, folder, faults);
    }

    private static Outcome faults(SparkRun run, Path folder, String... faults) throws Exception {
        String[] arguments = new String[faults.length + 1];
        arguments[0] = folder.toString();
        System.arraycopy(faults, 0, arguments, 1, faults.length);
        Outcome outcome = run.run("FaultsApplication", arguments).succeeded();
        assertThat(outcome.results()).containsEntry("without a fault", "right");
        return outcome;
    }

    @Test
    void jobsSurviveTheirExecutors() throws Exception {
        // Only executors that have read raw images have the direct engine on.
        run.with("spark.heapspan.encoding", "raw")
                .with("spark.decommission.enabled", "true")
                .with("spark.storage.decommission.enabled", "true")
                .with("spark.storage.decommission.shuffleBlocks.enabled", "true")
                .with("spark.storage.decommission.replicationReattemptInterval", "1s")
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0");
        Outcome outcome = faults("decommissioned", "killed in shuffle read", "crashed");
        assertThat(outcome.results())
                // Its shuffle files are where the other executor reads them, and are what they were.
                .containsEntry("decommissioned", "right, map tasks done again: 0")
                .containsEntry("killed in shuffle read", "right")
                .containsEntry("crashed", "right");
        assertThat(outcome.lines("executors of this application that start from now on"))
                .as("only the crash counts, and nobody who was killed")
                .singleElement()
                .asString()
                .contains("WARN HeapspanPlugin")
                .containsPattern("executor \\d+ on \\S+ died by SIG(ABRT|SEGV)");
        assertThat(outcome.lines("direct engine off (executor "))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).containsPattern("executor \\d+ on \\S+ died by SIG"));
        assertThat(outcome.lines("direct engine on ("))
                .as("executors before the crash")
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(outcome.results().get("alerts"))
                .as("on top of the tab, once")
                .matches(
                        "The direct engine is off for new executors: executor \\d+ on \\S+ died by"
                                + " SIG(ABRT|SEGV) while its direct engine was on; spark.heapspan.circuitBreaker=false ignores that");
    }

    @Tag("soak")
    @Test
    void jobsSurviveThatTheirExecutorsAreKilledElsewhere() throws Exception {
        assertThat(faults("killed in map", "killed in result").results())
                .containsEntry("killed in map", "right")
                .containsEntry("killed in result", "right");
    }

    private void damagedFilesAreNoticed(boolean compress, boolean checksum) throws Exception {
        withFiles(run, compress, checksum);
        areNoticed(faults(OF_FILES), compress);
    }

    private static void areNoticed(Outcome outcome, boolean compress) {
        assertThat(outcome.results()).containsEntry("file cut off", "right");
        if (compress) {
            // LZ4's own checksum notices it: Spark has the map task done again.
            assertThat(outcome.results()).containsEntry("bit flipped", "right");
        } else {
            // Nothing but the group's own checksum can notice it, and Spark does not know whom to ask for the file
            // again.
            assertThat(outcome.results().get("bit flipped"))
                    .startsWith("failed: ")
                    .contains("the group of records that begins at byte ")
                    .contains("the bytes were altered on the way");
        }
    }

    @Tag("soak")
    @Test
    void damagedFilesAreNoticedBySparkOrByTheChecksumOfGroups() throws Exception {
        damagedFilesAreNoticed(true, true);
    }

    @Test
    void damagedFilesAreNoticedByTheChecksumOfGroups() throws Exception {
        DAMAGED.run();
        areNoticed(DAMAGED.get(), false);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void damagedFilesAreNoticedHoweverSparkIsSet(boolean compress, boolean checksum) throws Exception {
        damagedFilesAreNoticed(compress, checksum);
    }

    @Test
    void cachedPartitionsThatCannotBeReadAreComputedAgainByTheSameExecutors() throws Exception {
        DAMAGED.run();
        String expected = "right, files damaged: true, tasks failed: true, cached again: true, executors lost: 0";
        for (String fault : OF_CACHES) {
            assertThat(DAMAGED.get().results()).containsEntry(fault, expected);
        }
    }

    @Test
    void whatIsMissingOrDiffersOnAnExecutorIsNamed() throws Exception {
        Path otherHeapspan = OtherJars.withVersion(SparkRun.HEAPSPAN_JAR, folder.resolve("other-heapspan.jar"), OTHER);
        Path otherGauge =
                OtherJars.ofSource(folder.resolve("other-gauge"), "org.heapspan.tests.spark.extra.Gauge", """
                package org.heapspan.tests.spark.extra;

                public final class Gauge implements java.io.Serializable {
                    private final String sensor;
                    private final double level;

                    public Gauge(String sensor, int level) {
                        this.sensor = sensor;
                        this.level = level;
                    }
                }
                """);
        run.withExtraOnDriverOnly()
                .withLargestFile(2048)
                .with("spark.shuffle.compress", "false")
                .with("spark.executor.extraClassPath", otherHeapspan + ":" + otherGauge);
        Outcome outcome = faults("class missing", "class differs", "class of a result differs", "file too large");
        assertThat(outcome.results().get("class missing"))
                .startsWith("failed: ")
                .contains("class org.heapspan.tests.spark.extra.Reading of the image is not found here");
        assertThat(outcome.results().get("class differs"))
                .startsWith("failed: ")
                .contains("field org.heapspan.tests.spark.extra.Gauge.level was written as int and is double here");
        assertThat(outcome.results().get("class of a result differs"))
                .startsWith("failed: ")
                .contains("field org.heapspan.tests.spark.extra.Gauge.level was written as double and is int here");
        assertThat(outcome.results().get("file too large"))
                .startsWith("failed: ")
                .contains("File too large");
        assertThat(outcome.lines("give all JVMs the same heapspan-spark.jar"))
                .as("once, though both executors have it")
                .singleElement()
                .asString()
                .contains("WARN HeapspanPlugin", "Heapspan " + OTHER + " on executor ");
        assertThat(outcome.lines("Heapspan: executor ")).hasSizeGreaterThanOrEqualTo(2);
    }
}
