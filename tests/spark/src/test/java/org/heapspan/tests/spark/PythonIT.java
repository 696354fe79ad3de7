package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Python's objects are bytes to Spark: a PySpark program works with the plug-in as without it. */
final class PythonIT {
    private static final Path PROGRAM =
            Path.of("src", "test", "resources", "program.py").toAbsolutePath();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void aProgramOfPythonFindsWhatItShould() throws Exception {
        Outcome outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                // Which JVM does a task is nothing to Python.
                .with("spark.master", "local-cluster[1,2,1024]")
                .runPython(PROGRAM)
                .succeeded();
        assertThat(outcome.lines("serializer on")).hasSize(1);
        assertThat(outcome.results())
                .containsEntry("counts", "[('a', {'count': 100}), ('b', {'count': 200}), ('c', {'count': 300})]")
                .containsEntry("broadcast", "['?', 'first']")
                .containsEntry("accumulator", "600")
                .containsEntry("frame", "[(0, 143), (1, 143), (2, 143), (3, 143), (4, 143), (5, 143), (6, 142)]")
                .containsEntry("joined", "[(1, 'one'), (2, 'two')]")
                .containsEntry("cached", "1200")
                .containsEntry("python rows", "[('x', 1), ('y', 2)]");
    }
}
