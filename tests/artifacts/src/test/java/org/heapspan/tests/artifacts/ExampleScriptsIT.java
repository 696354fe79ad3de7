package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The scripts {@code examples/flink/run} and {@code examples/giraph/run}, with the jars of {@code dist/} and releases of Flink and Giraph as they are. They
 * print what the documentation says. The work tree that a script finds is a folder with links: {@code dist/} is made after the tests.
 */
@Execution(ExecutionMode.CONCURRENT)
final class ExampleScriptsIT {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root"));

    @TempDir
    Path folder;

    @BeforeEach
    void assumeAdapters() throws IOException {
        PublishedArtifact.assumeAdapters();
    }

    private Path scriptOf(String host) throws IOException {
        Path example = Path.of("examples", host);
        Path script = folder.resolve(example).resolve("run");
        Files.createDirectories(script.getParent());
        Files.copy(ROOT.resolve(example).resolve("run"), script);
        Files.createSymbolicLink(
                folder.resolve(example).resolve("target"), ROOT.resolve(example).resolve("target"));
        Path jar = Path.of(System.getProperty("heapspan." + host + ".jar"));
        Files.createSymbolicLink(Files.createDirectory(folder.resolve("dist")).resolve(jar.getFileName()), jar);
        return script;
    }

    private String output(List<String> command) throws IOException, InterruptedException {
        return Command.output(
                folder,
                command,
                Map.of("HEAPSPAN_DIRECTORY", folder.resolve("heap").toString()));
    }

    private static void assertDocumented(String page, String output) throws IOException {
        assertThat(Files.readString(ROOT.resolve("docs").resolve(page))).contains("```text\n" + output + "```");
    }

    @Test
    void theExampleOfFlinkPrintsWhatItsPageSays() throws Exception {
        assertDocumented("flink.md", output(List.of(scriptOf("flink").toString())));
    }

    @Test
    void theExampleOfGiraphWritesWhatItsPageSays() throws Exception {
        Path graph = Files.writeString(folder.resolve("graph.txt"), "1 2 3\n2 3\n3 1\n");
        Path ranks = folder.resolve("ranks");
        output(List.of(scriptOf("giraph").toString(), "PageRank", graph.toString(), ranks.toString()));
        assertDocumented("giraph.md", linesOfParts(ranks));
        // The second heap has made it, and left nothing in it.
        assertThat(folder.resolve("heap")).isEmptyDirectory();
    }

    /** The lines of all files of a result, sorted. */
    static String linesOfParts(Path results) throws IOException {
        List<Path> parts;
        try (Stream<Path> files = Files.list(results)) {
            parts = files.filter(file -> file.getFileName().toString().startsWith("part-"))
                    .toList();
        }
        StringBuilder lines = new StringBuilder();
        for (Path part : parts) {
            lines.append(Files.readString(part));
        }
        return lines.toString().lines().sorted().map(line -> line + "\n").collect(Collectors.joining());
    }
}
