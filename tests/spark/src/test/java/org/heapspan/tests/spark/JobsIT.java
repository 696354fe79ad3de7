package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of all kinds, on two executor JVMs: with the plug-in they find what they find with Spark's own serializer. */
final class JobsIT {
    static final String SERIALIZER = "org.heapspan.spark.HeapspanSerializer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    private static Outcome stock;
    private static Outcome on25;
    private static Outcome on17;

    @BeforeAll
    static void run() throws Exception {
        stock = jobs("stock", SparkRun.JDK_25, "");
        on25 = jobs("on25", SparkRun.JDK_25, "");
        // And all that Spark can encrypt is encrypted. It reads the checkpoint of the other JVM, too.
        on17 = jobs(
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
                "true");
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
    void resultsAreThoseOfJavaSerializationOnJdk25() {
        assertThat(comparable(on25)).containsExactlyInAnyOrderEntriesOf(comparable(stock));
    }

    @Tag("soak")
    @Test
    void resultsAreThoseOfJavaSerializationIfBothCompilersCompile() throws Exception {
        assertThat(comparable(jobs("compiled", SparkRun.JDK_25, "")))
                .containsExactlyInAnyOrderEntriesOf(comparable(stock));
    }

    @Test
    void resultsAreThoseOfJavaSerializationOnJdk17() {
        assertThat(comparable(on17)).containsExactlyInAnyOrderEntriesOf(comparable(stock));
    }

    /** The proof that two lines are enough: the driver's serializer, which Spark makes before plug-ins, is ours too. */
    @Test
    void thePlugInIsEnoughForDriverExecutorsAndShuffles() {
        for (Outcome outcome : new Outcome[] {on25, on17}) {
            assertThat(outcome.results())
                    .containsEntry("serializer of the driver", SERIALIZER)
                    .containsEntry("serializer of the executors", "[" + SERIALIZER + "]")
                    .containsEntry("serializer of a shuffle", SERIALIZER)
                    .containsEntry("executors", "[0, 1]");
        }
        assertThat(stock.results().get("serializer of the driver")).endsWith(".JavaSerializer");
    }

    @Test
    void executorsTellTheDriverWhatTheyRunOn() {
        for (Outcome outcome : new Outcome[] {on25, on17}) {
            assertThat(outcome.lines("serializer on")).hasSize(1);
            assertThat(outcome.lines("Heapspan: executor "))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .contains("collector G1 (")
                            .contains("direct engine not used so far (")
                            .contains("serializer " + SERIALIZER));
        }
        assertThat(on25.lines("Heapspan: executor 1 ").get(0)).contains(" VM 25.");
        assertThat(on17.lines("Heapspan: executor 1 ").get(0)).contains(" VM 17.");
    }

    @Test
    void recordsMayBeReusedByTheirIterators() {
        for (Outcome outcome : new Outcome[] {on25, on17}) {
            String expected = outcome.results().get("reused records, expected");
            assertThat(outcome.results())
                    .containsEntry("reused records, shuffled", expected)
                    .containsEntry("reused records, cached", expected);
        }
    }

    @Test
    void aClassThatCannotTravelEndsTheJobAtOnceAndIsNamedWithThePathToIt() {
        for (Outcome outcome : new Outcome[] {on25, on17}) {
            assertThat(outcome.results().get("refused result"))
                    .contains("not serializable result: root[0].workers[1].thread: java.lang.Thread cannot be copied");
            assertThat(outcome.results().get("refused record"))
                    .contains("not serializable result: root._2.workers[1].thread: java.lang.Thread cannot be copied");
        }
        assertThat(stock.results().get("refused result")).contains("not serializable result: java.lang.Thread");
    }

    @Test
    void anotherApplicationOnAnotherJvmReadsTheCheckpoints() throws Exception {
        String expected = stock.results().get("checkpoint");
        assertThat(on17.results()).containsEntry("checkpoint of another application", expected);
        Outcome reader = new SparkRun(Files.createDirectories(folder.resolve("17by25")), SparkRun.JDK_25)
                .withHeapspan()
                // It makes no difference to the reader in which JVM it is.
                .with("spark.master", "local[2]")
                .run("CheckpointApplication", on17.results().get("checkpoint file"))
                .succeeded();
        assertThat(reader.results()).containsEntry("checkpoint", expected);
    }
}
