package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of all kinds, on two executor JVMs: with the plug-in they find what stock Spark has found. */
final class JobsIT {
    static final String SERIALIZER = "org.heapspan.spark.HeapspanSerializer";

    private static final FoundOnSpark ON_SPARK = new FoundOnSpark("jobs");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    private static Outcome on25;

    /** And all that Spark can encrypt is encrypted. It reads the checkpoint of the other JVM, too. */
    private static final FutureTask<Outcome> ON_17 = new FutureTask<>(() -> jobs(
            "on17",
            SparkRun.JDK_17,
            on25.results().get("checkpoint file"),
            "spark.io.encryption.enabled",
            "true",
            "spark.authenticate",
            "true",
            "spark.authenticate.secret",
            "known to the tests",
            "spark.network.crypto.enabled",
            "true"));

    @BeforeAll
    static void run() throws Exception {
        on25 = jobs("on25", SparkRun.JDK_25, "");
    }

    private static Outcome on17() throws Exception {
        ON_17.run();
        return ON_17.get();
    }

    private static Outcome jobs(String name, Path jdk, String checkpoint, String... settings) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        boolean heapspan = !name.equals("stock");
        SparkRun run = new SparkRun(own, jdk)
                // So that sorts and groupings spill.
                .with("spark.shuffle.spill.numElementsForceSpillThreshold", "1500");
        if (heapspan) {
            run.withHeapspan();
        } else {
            // What it finds does not depend on where its executors are.
            run.with("spark.master", "local[2]");
        }
        if (name.equals("compiled")) {
            run.withBothCompilers("executor");
        }
        for (int i = 0; i < settings.length; i += 2) {
            run.with(settings[i], settings[i + 1]);
        }
        List<String> arguments =
                new ArrayList<>(List.of(own.resolve("checkpoints").toString(), String.valueOf(heapspan)));
        if (!checkpoint.isEmpty()) {
            arguments.add(checkpoint);
        }
        return run.run("JobsApplication", arguments.toArray(String[]::new)).succeeded();
    }

    /** What may differ: names of serializers, executors and files, messages, jobs that only one of the runs has. */
    static Map<String, String> comparable(Outcome outcome) {
        Map<String, String> results = new HashMap<>(outcome.results());
        results.keySet()
                .removeIf(name -> name.startsWith("serializer ")
                        || name.startsWith("refused ")
                        || name.startsWith("reused ")
                        || name.equals("executors")
                        || name.equals("checkpoint file")
                        || name.equals("checkpoint of another application"));
        assertThat(results).hasSizeGreaterThan(30).doesNotContainValue("false");
        return results;
    }

    @Test
    void resultsAreThoseOfJavaSerializationOnJdk25() throws Exception {
        assertThat(comparable(on25)).containsExactlyInAnyOrderEntriesOf(ON_SPARK.expected());
    }

    /** What the other tests expect. Stock Spark takes longer for these jobs than two executors with the plug-in. */
    @Tag("soak")
    @Test
    void stockSparkFindsWhatIsExpected() throws Exception {
        Outcome stock = jobs("stock", SparkRun.JDK_25, "");
        ON_SPARK.isStillFound(comparable(stock));
        assertThat(stock.results().get("serializer of the driver")).endsWith(".JavaSerializer");
        assertThat(stock.results().get("refused result")).contains("not serializable result: java.lang.Thread");
    }

    @Tag("soak")
    @Test
    void resultsAreThoseOfJavaSerializationIfBothCompilersCompile() throws Exception {
        assertThat(comparable(jobs("compiled", SparkRun.JDK_25, "")))
                .containsExactlyInAnyOrderEntriesOf(ON_SPARK.expected());
    }

    @Tag("soak")
    @Test
    void resultsAreThoseOfJavaSerializationOnJdk17() throws Exception {
        assertThat(comparable(on17())).containsExactlyInAnyOrderEntriesOf(ON_SPARK.expected());
    }

    /** The proof that two lines are enough: the driver's serializer, which Spark makes before plug-ins, is ours too. */
    @Test
    void thePlugInIsEnoughForDriverExecutorsAndShuffles() {
        thePlugInIsEnough(on25);
    }

    private static void thePlugInIsEnough(Outcome outcome) {
        assertThat(outcome.results())
                .containsEntry("serializer of the driver", SERIALIZER)
                .containsEntry("serializer of the executors", "[" + SERIALIZER + "]")
                .containsEntry("serializer of a shuffle", SERIALIZER)
                .containsEntry("executors", "[0, 1]");
    }

    @Test
    void executorsTellTheDriverWhatTheyRunOn() {
        executorsTell(on25, " VM 25.");
    }

    private static void executorsTell(Outcome outcome, String version) {
        assertThat(outcome.lines("serializer on")).hasSize(1);
        assertThat(outcome.lines("Heapspan: executor "))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .contains("collector G1 (")
                        .contains("direct engine not used so far (")
                        .contains("serializer " + SERIALIZER));
        assertThat(outcome.lines("Heapspan: executor 1 ").get(0)).contains(version);
    }

    @Test
    void recordsMayBeReusedByTheirIterators() {
        recordsMayBeReused(on25);
    }

    private static void recordsMayBeReused(Outcome outcome) {
        String expected = outcome.results().get("reused records, expected");
        assertThat(outcome.results())
                .containsEntry("reused records, shuffled", expected)
                .containsEntry("reused records, cached", expected);
    }

    @Test
    void aClassThatCannotTravelEndsTheJobAtOnceAndIsNamedWithThePathToIt() {
        aClassThatCannotTravelIsNamed(on25);
    }

    private static void aClassThatCannotTravelIsNamed(Outcome outcome) {
        assertThat(outcome.results().get("refused result"))
                .contains("not serializable result: root[0].workers[1].thread: java.lang.Thread cannot be copied");
        assertThat(outcome.results().get("refused record"))
                .contains("not serializable result: root._2.workers[1].thread: java.lang.Thread cannot be copied");
    }

    @Tag("soak")
    @Test
    void allElseIsSoOnJdk17() throws Exception {
        thePlugInIsEnough(on17());
        executorsTell(on17(), " VM 17.");
        recordsMayBeReused(on17());
        aClassThatCannotTravelIsNamed(on17());
    }

    /** In one JVM, which makes no difference to the reader. */
    @Test
    void anotherApplicationOnJdk17ReadsTheCheckpoints() throws Exception {
        isRead(on25, "25by17", SparkRun.JDK_17);
    }

    @Tag("soak")
    @Test
    void checkpointsOfJdk17AndOfEncryptedApplicationsAreRead() throws Exception {
        assertThat(on17().results())
                .containsEntry(
                        "checkpoint of another application", ON_SPARK.expected().get("checkpoint"));
        isRead(on17(), "17by25", SparkRun.JDK_25);
    }

    private static void isRead(Outcome writer, String name, Path jdk) throws Exception {
        Outcome reader = new SparkRun(Files.createDirectories(folder.resolve(name)), jdk)
                .withHeapspan()
                .with("spark.master", "local[2]")
                .run("CheckpointApplication", writer.results().get("checkpoint file"))
                .succeeded();
        assertThat(reader.results())
                .containsEntry("checkpoint", ON_SPARK.expected().get("checkpoint"));
    }
}
