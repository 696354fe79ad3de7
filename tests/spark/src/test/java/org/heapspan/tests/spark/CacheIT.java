package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that are cached in the second heap, on two executor JVMs: they are those that Spark itself would cache. */
final class CacheIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private Outcome cache(String name, Path jdk, String... settings) throws Exception {
        return cache(new SparkRun(own(name), jdk), name, settings);
    }

    private Path own(String name) throws IOException {
        return Files.createDirectories(folder.resolve(name));
    }

    private Outcome cache(SparkRun run, String name, String... settings) throws Exception {
        return with(run, settings).run("CacheApplication", own(name).toString()).succeeded();
    }

    private static SparkRun with(SparkRun run, String... settings) {
        run.withHeapspan().withPatientLocality();
        for (int i = 0; i < settings.length; i += 2) {
            run.with(settings[i], settings[i + 1]);
        }
        return run;
    }

    private String[] heap(String... more) throws IOException {
        String directory =
                Files.createDirectories(folder.resolve("second heap")).toString();
        return Stream.concat(
                        Stream.of("spark.heapspan.h2.dir", directory, "spark.heapspan.h2.regionSize", "1m"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    static void isRight(Outcome outcome) {
        var results = outcome.results();
        String events = results.get("DISK_ONLY");
        for (String name : List.of("MEMORY_ONLY", "MEMORY_ONLY_2", "MEMORY_AND_DISK", "MEMORY_ONLY_SER")) {
            assertThat(results)
                    .containsEntry(name, events)
                    .containsEntry(name + " again", events)
                    .containsEntry(name + " partitions in the web UI", "4")
                    .containsEntry(name + " has a size there", "true");
        }
        assertThat(results)
                .containsEntry("dataset", "200000")
                .containsEntry("dataset again", "[[name 0,9950000.0], [name 1,9950100.0], [name 10,9951000.0]]")
                .containsEntry("graph", "20000")
                .containsEntry("graph, doubled", "20000")
                .containsEntry("graph, partitions that share their index", "4")
                .containsEntry("graph, sum", "200030000")
                .containsEntry("graph unpersisted, h2HeldBytes", "0")
                .containsEntry("first", events)
                .containsEntry("second", events)
                .containsEntry("second again", events)
                .containsEntry("both unpersisted, h2HeldBytes", "0")
                .containsEntry("refused", "[1, 2, 3 has thread of 3, 4, 5, 6 has thread of 6]")
                .containsEntry("refused again", "[1, 2, 3 has thread of 3, 4, 5, 6 has thread of 6]")
                .containsEntry("of another loader", "[made 1, made 2]")
                .containsEntry("of another loader again", "[made 1, made 2]")
                .containsEntry("within records", "true")
                .containsEntry("within records again", "true")
                .containsEntry("within records, other classes", "4")
                .containsEntry("failing", "true")
                .containsEntry("survived", events)
                .containsEntry("survived again", events);
        assertThat(results.get("taken")).startsWith("10 ");
    }

    private void cachesInTheSecondHeap(SparkRun run, String name, String... more) throws Exception {
        Outcome outcome = cache(run, name, heap(more));
        isRight(outcome);
        assertThat(outcome.results())
                .containsEntry("stores", "[PartitionStore]")
                .containsEntry("MEMORY_ONLY, h2Partitions", "4")
                .containsEntry("MEMORY_AND_DISK, h2Partitions", "4")
                .containsEntry("MEMORY_ONLY_2, h2Partitions", "8")
                .containsEntry("MEMORY_ONLY_SER, h2Partitions", "0")
                .containsEntry("DISK_ONLY, h2Partitions", "0")
                .containsEntry("MEMORY_ONLY in Spark's memory", "false")
                .containsEntry("first, partitions beside the second", "4")
                .containsEntry("second, partitions", "4")
                .containsEntry("MEMORY_ONLY_SER in Spark's memory", "true")
                .containsEntry("unpersisted, h2HeldBytes", "0")
                .containsEntry("taken, unpersisted, h2Partitions", "0")
                .containsEntry("dataset, h2Partitions", "4")
                .containsEntry("dataset unpersisted, h2HeldBytes", "0")
                .containsEntry("graph, h2Partitions", "12")
                .containsEntry("refused, h2Partitions", "0")
                .containsEntry("refused, h2Declined", "2")
                .containsEntry("of another loader, h2Declined", "4")
                .containsEntry("within records, h2Declined", "8")
                .containsEntry("failing, unpersisted, h2HeldBytes", "0");
        try (Stream<Path> left = Files.list(folder.resolve("second heap"))) {
            assertThat(left)
                    .as("files that executors left, one of which was killed")
                    .isEmpty();
        }
    }

    @Test
    void partitionsAreCachedInTheSecondHeap() throws Exception {
        cachesInTheSecondHeap(new SparkRun(own("25"), SparkRun.JDK_25), "25", "spark.heapspan.h2.datasets", "true");
    }

    @Tag("soak")
    @Test
    void theyAreThereIfBothCompilersCompile() throws Exception {
        cachesInTheSecondHeap(
                new SparkRun(own("compiled"), SparkRun.JDK_25).withBothCompilers("executor"),
                "compiled",
                "spark.heapspan.h2.datasets",
                "true");
    }

    @Tag("soak")
    @Test
    void theyAreOnThePortableEngineOfJdk17() throws Exception {
        cachesInTheSecondHeap(
                new SparkRun(own("17"), SparkRun.JDK_17).withBothCompilers("executor"),
                "17",
                "spark.heapspan.direct",
                "false",
                "spark.heapspan.h2.datasets",
                "true");
    }

    @Tag("soak")
    @Test
    void whatDoesNotFitIsCachedAsBySparkOnceNoOtherRddCanGo() throws Exception {
        Outcome outcome = cache("full", SparkRun.JDK_25, fullHeap());
        isRight(outcome);
        isCachedAsBySpark(outcome);
    }

    private String[] fullHeap() throws IOException {
        return heap("spark.heapspan.h2.capacity", "6m", "spark.heapspan.h2.keptFraction", "0");
    }

    private static void isCachedAsBySpark(Outcome outcome) {
        assertThat(outcome.results())
                .containsEntry("unpersisted, h2HeldBytes", "0")
                .containsEntry("MEMORY_ONLY_2 in Spark's memory", "true")
                .containsEntry("dataset, h2Partitions", "0")
                .containsEntry("second, partitions", "4");
        assertThat(outcome.results().get("first, partitions beside the second")).isIn("0", "1", "2", "3");
        assertThat(Integer.parseInt(outcome.results().get("graph, h2Partitions")))
                .as("made of their bytes, since none is kept; an executor that gets most of them has no room for all")
                .isBetween(1, 12);
    }

    /** Where there is room, all parts of a graph lie there, made of their bytes. */
    @Tag("soak")
    @Test
    void theyAreThereWholeWhereNothingIsKept() throws Exception {
        cachesInTheSecondHeap(
                new SparkRun(own("not kept"), SparkRun.JDK_25).withBothCompilers("executor"),
                "not kept",
                "spark.heapspan.h2.keptFraction",
                "0",
                "spark.heapspan.h2.datasets",
                "true");
    }

    /** One folder for Spark's files and one for the second heap, for both at the same time. */
    @Tag("soak")
    @Test
    void twoApplicationsInOneFolderDoNotDisturbEachOther() throws Exception {
        String[] heap = heap();
        Path local = Files.createDirectories(folder.resolve("local"));
        CompletableFuture<Outcome> other = CompletableFuture.supplyAsync(() -> {
            try {
                return cache(new SparkRun(own("other"), SparkRun.JDK_25).withLocalFolder(local), "other", heap);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        Outcome one = cache(new SparkRun(own("one"), SparkRun.JDK_25).withLocalFolder(local), "one", heap);
        for (Outcome outcome : List.of(one, other.get())) {
            isRight(outcome);
            assertThat(outcome.results())
                    .containsEntry("stores", "[PartitionStore]")
                    .containsEntry("MEMORY_ONLY, h2Partitions", "4")
                    .containsEntry("MEMORY_ONLY_2, h2Partitions", "8")
                    .containsEntry("unpersisted, h2HeldBytes", "0");
        }
        try (Stream<Path> left = Files.list(folder.resolve("second heap"))) {
            assertThat(left).as("files of the second heap that are left").isEmpty();
        }
    }

    /** {@code ulimit -f}: no file may be so large as those of the second heap are from the start. */
    @Tag("soak")
    @Test
    void whereFilesMayNotBeAsLargeSparksOwnStoreKeepsAll() throws Exception {
        SparkRun run = new SparkRun(own("limited"), SparkRun.JDK_25).withLargestFile(4096);
        Outcome outcome = cache(run, "limited", heap());
        isRight(outcome);
        assertThat(outcome.results())
                .containsEntry("MEMORY_ONLY, h2Partitions", "0")
                .containsEntry("MEMORY_ONLY_2, h2Partitions", "0")
                .containsEntry("MEMORY_ONLY in Spark's memory", "true");
        assertThat(run.executorLogs()).contains("Spark's own store keeps").contains("File too large");
    }

    @Tag("soak")
    @Test
    void switchedOffItLeavesSparkAsItIs() throws Exception {
        Outcome outcome = cache("off", SparkRun.JDK_25, heap("spark.heapspan.h2", "false"));
        isRight(outcome);
        assertThat(outcome.results())
                .containsEntry("stores", "[MemoryStore]")
                .containsEntry("MEMORY_ONLY, h2Partitions", "0")
                .containsEntry("MEMORY_ONLY in Spark's memory", "true");
    }

    /** A record that no array of bytes could hold, between others. */
    @Tag("soak")
    @Test
    void recordOfMoreThanTwoGigabytesIsCachedAsBySpark() throws Exception {
        Outcome stock = cacheLongRecord("long-stock", false);
        Outcome heapspan = cacheLongRecord("long", true);
        assertThat(stock.results().get("computed")).startsWith("[20000 true ");
        assertThat(heapspan.results()).containsExactlyInAnyOrderEntriesOf(stock.results());
    }

    private Outcome cacheLongRecord(String name, boolean withHeapspan) throws Exception {
        SparkRun run = new SparkRun(Files.createDirectories(folder.resolve(name)), SparkRun.JDK_25)
                .withBothCompilers("executor")
                .with("spark.master", "local-cluster[1,1,9216]")
                .with("spark.executor.memory", "8g");
        if (withHeapspan) {
            String[] settings = heap();
            run.withHeapspan().with(settings[0], settings[1]);
        }
        return run.run("LongRecordApplication", "300000000").succeeded();
    }
}
