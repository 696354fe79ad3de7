package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The examples for Spark, with the data that they make up themselves. */
final class ExamplesIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private List<String> run(String number, String... options) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Path examples =
                SparkRun.HEAPSPAN_JAR.resolve("../../../../examples/spark").normalize();
        List<String> command = new ArrayList<>(List.of(
                examples.resolve("run").toString(),
                number,
                "--master",
                "local[2]",
                "--conf",
                "spark.driver.memory=512m"));
        command.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        SparkRun.clean(environment);
        environment.put("JAVA_HOME", SparkRun.JDK_25.toString());
        // Of compilers, shells and Spark, none of which runs for long.
        environment.put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 " + SparkRun.UNVERIFIED);
        environment.put("SPARK_HOME", SparkRun.SPARK.toString());
        environment.put("PYSPARK_PYTHON", SparkRun.python());
        environment.put("HEAPSPAN", Distribution.in(folder).toString());
        environment.put("HEAPSPAN_DATA", folder.resolve("no data here").toString());
        Process process = builder.start();
        if (!process.waitFor(Eventually.TEST_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isZero();
        assertThat(text).contains("the example generates its data");
        return text.lines().toList();
    }

    @Tag("soak")
    @Test
    void python() throws Exception {
        assertThat(run("07"))
                .contains(
                        "the best films of 100 and more ratings: 1 (3.0), 2 (3.0), 3 (3.0), 4 (3.0), 6 (3.0)",
                        "serializer: HeapspanSerializer");
    }

    /** The page for new users shows its output. */
    @Test
    void scala() throws Exception {
        String page = Files.readString(
                Path.of(System.getProperty("heapspan.root"), "docs", "start-spark.md"), StandardCharsets.UTF_8);
        String shown = page.substring(page.indexOf("```text\n") + "```text\n".length());
        List<String> lines = shown.substring(0, shown.indexOf("\n```")).lines().toList();
        assertThat(lines).hasSizeGreaterThan(2);

        List<String> output = run(
                "08", "--conf", "spark.heapspan.h2.dir=" + folder.resolve("heap"), "--conf", "spark.log.level=INFO");

        assertThat(output).containsSubsequence(lines);
        assertThat(output)
                .as("what the page on caches says of the second heap")
                .anyMatch(line -> line.contains("second heap on (" + folder.resolve("heap") + ", "));
    }

    @Tag("soak")
    @Test
    void java() throws Exception {
        assertThat(run("09"))
                .contains(
                        "2 kinds of connections; the largest:",
                        "tcp normal. 666 connections, 317 MB, 7 services",
                        "tcp attack. 334 connections, 159 MB, 7 services",
                        "serializer: HeapspanSerializer");
    }
}
