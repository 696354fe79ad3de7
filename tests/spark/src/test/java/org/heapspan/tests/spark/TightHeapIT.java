package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Combines, joins, sorts and caches more than fits in the heap of an executor with two tasks: what stock Spark completes is completed, with the same
 * results.
 */
@Tag("soak")
final class TightHeapIT {
    private static final String LARGE = "values of 50 MB";
    private static final String SPILLED = ": spilled";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    /** Cogroups need the room: in the end, Spark's map keeps all that it has merged. With 220 MB stock Spark fails. */
    @Test
    void combinersAndJoinsThatDoNotFitAreSpilled() throws Exception {
        Map<String, String> found = check("(?!" + LARGE + "|sort|cached).*", 320);
        // The group of one key has to fit in the heap in the end, so that it may be there as a whole.
        found.remove("one key with nine tenths" + SPILLED);
        found.remove("one key with nine tenths");
        assertSpilled(found, 7);
    }

    @Test
    void aFewLargeValuesAreCombined() throws Exception {
        assertThat(check(LARGE, 400)).containsEntry(LARGE, "8");
    }

    @Test
    void sortsThatDoNotFitAreSpilled() throws Exception {
        assertSpilled(check("sort.*", 220), 2);
    }

    /** The application itself fails if all that is cached was in memory. Tasks that combine take turns, and do not always spill. */
    @Test
    void aCacheThatDoesNotFitIsBesideTasksThatCombine() throws Exception {
        assertThat(check("cached.*", 260)).hasSize(4);
    }

    private static void assertSpilled(Map<String, String> found, int cases) {
        assertThat(found.keySet())
                .filteredOn(each -> !each.endsWith(SPILLED))
                .hasSize(cases)
                .allSatisfy(each ->
                        assertThat(found.get(each + SPILLED)).as(each + SPILLED).isEqualTo("true"));
    }

    private Map<String, String> check(String cases, int heapMegabytes) throws Exception {
        Map<String, String> stock = run("stock", cases, heapMegabytes);
        assertThat(stock).as("with stock Spark").doesNotContainValue("failed");
        Map<String, String> found = run("heapspan", cases, heapMegabytes);
        // Which of them spill differs.
        stock.replaceAll((name, value) -> name.endsWith(SPILLED) ? found.get(name) : value);
        assertThat(found).isEqualTo(stock);
        return found;
    }

    private Map<String, String> run(String name, String cases, int heapMegabytes) throws Exception {
        SparkRun run = new SparkRun(Files.createDirectory(folder.resolve(name)), SparkRun.JDK_25)
                .withBothCompilers("executor")
                .with("spark.master", "local-cluster[1,2,1024]")
                .with("spark.executor.memory", heapMegabytes + "m")
                // Only the jobs of caches are two at a time. Their tasks take turns.
                .with("spark.scheduler.mode", cases.startsWith("cached") ? "FAIR" : "FIFO")
                // Else Spark keeps 300 MB for itself, and executors cannot be that small.
                .with("spark.testing.reservedMemory", "0");
        return (name.equals("stock") ? run : run.withHeapspan())
                .run("TightHeapApplication", cases)
                .succeeded()
                .results();
    }
}
