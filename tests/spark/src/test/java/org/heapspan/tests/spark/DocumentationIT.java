package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scala in the documentation compiles with Spark and the one jar; {@code DocumentationTest} has the other languages. A comment {@code <!-- scala: ...
 * -->} in the line before a block declares what readers have around it.
 */
final class DocumentationIT {
    private static final Pattern BLOCK =
            Pattern.compile("(?m)(?:^<!-- scala: (.*) -->\n)?^```scala\n((?:(?!```).*\n)*)```$");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void scalaCompiles() throws Exception {
        StringBuilder source = new StringBuilder("import org.apache.spark.SparkContext\n");
        source.append("import org.apache.spark.rdd.RDD\n");
        int blocks = 0;
        for (Path page : pages()) {
            Matcher block = BLOCK.matcher(Files.readString(page, StandardCharsets.UTF_8));
            while (block.find()) {
                String context = block.group(1) == null ? "" : block.group(1);
                source.append("// ").append(page.getFileName()).append('\n');
                source.append("trait Block").append(++blocks).append(" {\n").append(context);
                source.append("\ndef block(): Unit = {\n")
                        .append(block.group(2))
                        .append("}\n}\n");
            }
        }
        assertThat(blocks).as("blocks of Scala in docs").isPositive();

        Path file = Files.writeString(folder.resolve("Blocks.scala"), source);
        Path output = folder.resolve("output");
        String jars = SparkRun.SPARK.resolve("jars") + "/*";
        // It only has to find types, and does not run for long.
        ProcessBuilder builder = new ProcessBuilder(
                SparkRun.JDK_25.resolve("bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                jars,
                "scala.tools.nsc.Main",
                "-classpath",
                jars + ":" + SparkRun.HEAPSPAN_JAR,
                "-Ystop-after:typer",
                file.toString());
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        SparkRun.clean(builder.environment());
        Process compiler = builder.start();
        if (!compiler.waitFor(Eventually.TEST_SECONDS, TimeUnit.SECONDS)) {
            compiler.destroyForcibly().waitFor();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(compiler.exitValue()).as("%s%n%s", text, source).isZero();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("heapspan.root"), "docs"))) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }
}
