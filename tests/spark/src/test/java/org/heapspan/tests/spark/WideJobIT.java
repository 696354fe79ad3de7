package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.heapspan.testing.SmallDevice;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The wide job: what each feature of Spark finds with the plug-in, under whatever setting, is what it finds on Spark as it is. */
final class WideJobIT {
    private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
    private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";

    /** Kills executors of Spark as it is, with any of its serializers. */
    private static final String VERY_DEEP = "very deep records";

    /** What Kryo fails with, or gives back as something else: a buffer for a deque, a failure without its stack trace. */
    private static final List<String> NOT_FOR_KRYO = List.of(
            "Option, Either, Try",
            "exceptions as values",
            "sets and maps of enums",
            "Scala's immutable collections",
            "Scala's mutable collections",
            "Java's collections that cannot be changed");

    /** What takes most of the time: SQL and what is built on it, learning, the compiler of spark-shell, and levels that are much like others. */
    private static final List<String> LONG = List.of(
            "classes of spark-shell",
            "dataset*",
            "cached datasets",
            "typed aggregator",
            "groups of objects",
            "SQL*",
            "structured*",
            "rows as records",
            "k-means",
            "random forest",
            "recommendations*",
            "logistic*",
            "large records",
            "connected*",
            "shortest*",
            "triangles",
            "cached more*",
            "cached again*",
            "cached *_SER_2",
            "cached DISK_ONLY*",
            "cached MEMORY_AND_DISK*",
            "checkpoint on disk",
            "page ranks",
            "k-means of RDDs",
            "text files",
            "coalesce and repartition",
            "sample, *",
            "countApproxDistinct, *",
            "many reducers");

    /** What Spark does not have where all is one JVM. */
    private static final String ON_CLUSTERS = "stage with a profile of resources";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    /** What Spark finds as it is, by name: with Kryo, as its guide recommends, or with Java serialization where Kryo does not do. */
    private static final FutureTask<Map<String, String>> ON_SPARK = new FutureTask<>(WideJobIT::foundOnSpark);

    private static final FoundOnSpark MOST_ON_SPARK = new FoundOnSpark("most-features");

    private static SparkRun run(String name) throws IOException {
        return new SparkRun(Files.createDirectories(folder.resolve(name)), SparkRun.JDK_25)
                .with("spark.driver.memory", "768m")
                .with("spark.default.parallelism", "4")
                .with("spark.sql.shuffle.partitions", "3")
                .with("spark.task.maxDirectResultSize", "64k")
                .with("spark.kryoserializer.buffer.max", "256m")
                .with("spark.memory.offHeap.enabled", "true")
                .with("spark.memory.offHeap.size", "64m");
    }

    private static Map<String, String> found(SparkRun run, String name, Collection<String> leftOut) throws Exception {
        Outcome outcome = run.runWorkload(
                        "wide.WideJob", folder.resolve(name).resolve("files").toString(), String.join(";", leftOut))
                .succeeded();
        return new TreeMap<>(outcome.results());
    }

    private static Map<String, String> foundOnSpark() throws Exception {
        Map<String, String> all = found(run("kryo").with("spark.serializer", KRYO), "kryo", List.of(VERY_DEEP));
        Map<String, String> withJava = found(run("java").with("spark.serializer", JAVA), "java", List.of(VERY_DEEP));
        NOT_FOR_KRYO.forEach(feature -> all.put(feature, withJava.get(feature)));
        assertThat(all).hasSizeGreaterThan(120).doesNotContainValue(null);
        assertThat(failed(all)).isEmpty();
        return all;
    }

    /** Has it found once, for all settings; where that fails, it fails for each of them. */
    private static Map<String, String> onSpark() throws Exception {
        ON_SPARK.run();
        return ON_SPARK.get();
    }

    private static Map<String, String> failed(Map<String, String> found) {
        Map<String, String> failed = new TreeMap<>(found);
        failed.values().removeIf(text -> !text.startsWith("failed: "));
        return failed;
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SEVERAL")
    void allFeaturesFindWhatTheyFindOnSparkAsItIs(WideJobSetting setting) throws Exception {
        Map<String, String> expected = new HashMap<>(onSpark());
        expected.keySet().removeAll(setting.featuresThatSparkRefuses());
        try (SmallDevice device = setting.needsDevice() ? SmallDevices.at(folder.resolve("device"), 6) : null) {
            Map<String, String> found = found(
                    withPlugin(setting, device == null ? "" : device.folder().toString()),
                    setting.name(),
                    setting.featuresThatSparkRefuses());
            assertThat(found.remove(VERY_DEEP)).startsWith("3: ").contains("10000 nodes");
            assertSame(found, expected);
        }
    }

    /** Most of the features, those that take the least time, with several settings at once. */
    @Test
    void mostFeaturesFindWhatTheyFindOnSparkAsItIs() throws Exception {
        WideJobSetting several = WideJobSetting.SEVERAL;
        assertSame(found(withPlugin(several, ""), several.name(), leftOutOfMost()), MOST_ON_SPARK.expected());
    }

    /** What that test expects. */
    @Tag("soak")
    @Test
    void sparkAsItIsFindsWhatIsExpectedOfMostFeatures() throws Exception {
        SparkRun onSpark = run("short").with("spark.serializer", KRYO).with("spark.master", "local[2,4]");
        Map<String, String> found = found(onSpark, "short", leftOutOfMost());
        assertThat(found).hasSizeGreaterThan(60);
        assertThat(failed(found)).isEmpty();
        MOST_ON_SPARK.isStillFound(found);
    }

    private static List<String> leftOutOfMost() {
        return Stream.of(LONG, NOT_FOR_KRYO, List.of(VERY_DEEP, ON_CLUSTERS))
                .flatMap(List::stream)
                .toList();
    }

    private static SparkRun withPlugin(WideJobSetting setting, String device) throws IOException {
        SparkRun run = run(setting.name()).withHeapspan();
        setting.applyTo(
                run, folder.resolve(setting.name()).resolve("second heap").toString(), device);
        return run;
    }

    private static void assertSame(Map<String, String> found, Map<String, String> expected) {
        Map<String, String> differing = new TreeMap<>(found);
        differing.entrySet().removeIf(feature -> feature.getValue().equals(expected.get(feature.getKey())));
        assertThat(differing.entrySet().stream()
                        .map(feature -> feature.getKey() + ": " + feature.getValue() + "\n  instead of: "
                                + expected.get(feature.getKey()))
                        .collect(Collectors.joining("\n")))
                .isEmpty();
        assertThat(found.keySet()).isEqualTo(expected.keySet());
    }
}
