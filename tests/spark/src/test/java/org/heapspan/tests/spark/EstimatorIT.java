package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Groups and joins are the same, and take the same memory, whoever estimates sizes. */
final class EstimatorIT {
    private static final String KEY = "spark.heapspan.sizeEstimator";
    private static final String CLASS = "org/apache/spark/util/SizeEstimator$.class";
    private static final String EDGES = "30000";
    private static final String EDGES_THAT_SPILL = "200000";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private SparkRun run(String name, Path jdk) throws Exception {
        return new SparkRun(Files.createDirectory(folder.resolve(name)), jdk)
                .withHeapspan()
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0");
    }

    @Test
    void localModeAndJdk17DoSoToo() throws Exception {
        Outcome with =
                run("with", SparkRun.JDK_17).with("spark.master", "local[2]").run("EstimatorApplication", EDGES);
        assertThat(with.succeeded().results()).containsEntry("estimates", "[asked, 0 differ]");
        assertThat(with.results().get("parts"))
                .contains("sizes of combiners on  [\"all\"]")
                .contains("size estimator on  [\"driver\"]");
    }

    /** With little memory Spark spills by what it estimates: as often, and it comes to the same end. */
    @Tag("soak")
    @Test
    void groupsAndJoinsInATightHeapAreTheSame() throws Exception {
        Outcome with =
                tight("with").run("EstimatorApplication", EDGES_THAT_SPILL).succeeded();
        Outcome without = tight("without")
                .with(KEY, "false")
                .run("EstimatorApplication", EDGES_THAT_SPILL)
                .succeeded();
        assertThat(with.results())
                .containsEntry("groups", without.results().get("groups"))
                .containsEntry("joined", without.results().get("joined"))
                .containsEntry("spilled", "true")
                .containsEntry("estimates", "[asked, 0 differ]");
        assertThat(with.results().get("parts")).contains("size estimator on  [\"0\",\"1\"]");
        assertThat(with.lines("WARN HeapspanPlugin")).isEmpty();
        assertThat(without.results()).containsEntry("estimates", "[alone, 0 differ]");
        assertThat(without.results().get("parts")).contains("size estimator off " + KEY + "=false [\"0\",\"1\"]");
        double spilled = Double.parseDouble(with.results().get("spilled bytes"));
        double expected = Double.parseDouble(without.results().get("spilled bytes"));
        assertThat(spilled / expected).isBetween(0.7, 1.4);
    }

    private SparkRun tight(String name) throws Exception {
        return run(name, SparkRun.JDK_25)
                .with("spark.executor.memory", "480m")
                .with("spark.memory.fraction", "0.1")
                .with("spark.driver.memory", "1g");
    }

    /** A class that does the same, in a file with other bytes, before Spark's on the class path. */
    @Test
    void anEstimatorThatIsNotKnownIsLeftAlone() throws Exception {
        Path jar = folder.resolve("other.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream target = new JarOutputStream(out)) {
            target.putNextEntry(new JarEntry(CLASS));
            // The name of an attribute that the JVM does not read.
            String content = new String(sparkClass(), StandardCharsets.ISO_8859_1);
            String changed = content.replace("\0\5Scala", "\0\5Skala");
            assertThat(changed).isNotEqualTo(content);
            target.write(changed.getBytes(StandardCharsets.ISO_8859_1));
        }
        // With the other JDK, the archive of classes comes before all else on the class path.
        SparkRun run = run("run", SparkRun.JDK_17).with("spark.master", "local-cluster[1,2,1024]");
        for (String role : new String[] {"driver", "executor"}) {
            String key = "spark." + role + ".extraClassPath";
            run.with(key, jar + ":" + run.valueOf(key));
        }
        Outcome outcome = run.run("EstimatorApplication", EDGES).succeeded();
        assertThat(outcome.results()).containsEntry("estimates", "[alone, 0 differ]");
        assertThat(outcome.results().get("parts"))
                .contains("size estimator off " + CLASS + " is not the file of Spark 4.3.0")
                .contains("Heapspan supports the estimator of that version only [\"0\"]");
        assertThat(outcome.lines("Heapspan's size estimator is off, Spark's own is used instead"))
                .hasSize(1);
    }

    private static byte[] sparkClass() throws Exception {
        try (Stream<Path> jars = Files.list(SparkRun.SPARK.resolve("jars"))) {
            Path core = jars.filter(jar -> jar.getFileName().toString().startsWith("spark-core_"))
                    .findFirst()
                    .orElseThrow();
            try (URLClassLoader loader =
                            new URLClassLoader(new URL[] {core.toUri().toURL()}, null);
                    InputStream in = loader.getResourceAsStream(CLASS)) {
                return in.readAllBytes();
            }
        }
    }
}
