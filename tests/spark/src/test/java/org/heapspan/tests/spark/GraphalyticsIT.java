package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** LDBC Graphalytics on GraphX with the plug-in: the graphs and outputs that its authors publish to validate an implementation. */
final class GraphalyticsIT {
    private static final Path ARCHIVE =
            Path.of(System.getProperty("heapspan.data"), "ldbc-graphalytics-validation-graphs.tar.gz");
    private static final String GRAPHS = "validation-graphs/";
    private static final int ALGORITHMS = 6;
    private static final int GRAPHS_PER_ALGORITHM = 4;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Tag("soak")
    @Test
    void allAlgorithmsFindWhatTheirAuthorsExpect() throws Exception {
        assumeThat(ARCHIVE).isReadable();
        Path graphs = Files.createDirectories(folder.resolve("graphs"));
        unpack(graphs);
        Map<String, String> found = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .runWorkload("GraphalyticsRun", graphs.toString())
                .succeeded()
                .results();
        assertThat(found).hasSize(ALGORITHMS * GRAPHS_PER_ALGORITHM);
        assertThat(found.entrySet())
                .allSatisfy(
                        line -> assertThat(line.getValue()).as(line.getKey()).matches("[1-9][0-9]* vertices match"));
    }

    private static void unpack(Path target) throws IOException {
        try (InputStream file = new BufferedInputStream(Files.newInputStream(ARCHIVE));
                TarArchiveInputStream archive = new TarArchiveInputStream(new GZIPInputStream(file))) {
            for (TarArchiveEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                int start = entry.getName().indexOf(GRAPHS);
                if (start >= 0 && entry.isFile()) {
                    Path copy = target.resolve(entry.getName().substring(start + GRAPHS.length()));
                    Files.createDirectories(copy.getParent());
                    Files.copy(archive, copy);
                }
            }
        }
    }
}
