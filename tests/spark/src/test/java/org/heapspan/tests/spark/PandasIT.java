package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Functions over pandas' and Arrow's data: with the plug-in they find what they find on Spark as it is. */
@Tag("soak")
final class PandasIT {
    private static final Path PROGRAM =
            Path.of("src", "test", "resources", "pandas_program.py").toAbsolutePath();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void functionsOfPandasFindWhatTheyFindOnSparkAsItIs() throws Exception {
        Map<String, String> stock = run("stock").runPython(PROGRAM).succeeded().results();
        assertThat(stock)
                .hasSize(11)
                .containsEntry("to pandas", "62478.75")
                .containsEntry("Arrow's table", "1000")
                .containsEntry("of an RDD", "[(0, 840), (1, 870), (2, 900), (3, 930)]");
        Outcome outcome = run("plugin")
                .withHeapspan()
                .with("spark.heapspan.h2.dir", folder.resolve("second heap").toString())
                .with("spark.heapspan.h2.datasets", "true")
                .runPython(PROGRAM)
                .succeeded();
        assertThat(outcome.results()).containsExactlyInAnyOrderEntriesOf(stock);
        assertThat(outcome.lines("serializer on, shuffle on")).hasSize(1);
    }

    private SparkRun run(String name) throws Exception {
        return new SparkRun(Files.createDirectories(folder.resolve(name)), SparkRun.JDK_25)
                .withPython(PythonPackages.interpreter());
    }
}
