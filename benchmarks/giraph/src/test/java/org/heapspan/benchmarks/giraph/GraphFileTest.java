package org.heapspan.benchmarks.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.heapspan.benchmarks.graph.GraphJob;
import org.heapspan.benchmarks.graph.GraphWorkload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that jobs read, and what is read of those that they write. */
final class GraphFileTest {
    @TempDir
    Path folder;

    @Test
    void edgesOfBothDirectionsBecomeLists() throws IOException {
        try (OutputStream packed =
                new GZIPOutputStream(Files.newOutputStream(folder.resolve("ego-Twitter-undirected.txt.gz")))) {
            packed.write("# a comment\n1\t2\n1\t4\n".getBytes(StandardCharsets.UTF_8));
        }
        GraphFile file = GraphFile.write("ego-Twitter", false, folder, folder.resolve("graph"));
        assertThat(file.path()).hasContent("1 2 4\n2 1\n4 1\n");
        assertThat(file.source()).isEqualTo(1);
        assertThat(file.directed()).isFalse();
    }

    @Test
    void generatedGraphsHaveAsManyEdgesAsTheirNameSays() throws IOException {
        GraphFile file = GraphFile.write("generated-40-3", true, folder, folder.resolve("graph"));
        assertThat(Files.readAllLines(file.path()))
                .hasSize(40)
                .allMatch(line -> line.matches("\\d+( \\d+ [1-9]\\d?\\d?){3}"));
        assertThat(file.directed()).isTrue();
    }

    @Test
    void otherNamesAreRefused() {
        for (String wrong : new String[] {"cnr", "generated-0-5", "generated-5"}) {
            assertThatThrownBy(() -> GraphFile.check(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("no graph '" + wrong + "'; there are: cnr-2000, ego-Twitter, generated-VERTICES-EDGES");
        }
        GraphFile.check("generated-5-1");
    }

    private GraphJob described(GraphWorkload workload, String... files) throws IOException {
        Path results = Files.createTempDirectory(folder, "results");
        Files.writeString(results.resolve("_SUCCESS"), "no results");
        for (int i = 0; i < files.length; i++) {
            Files.writeString(results.resolve("part-m-0000" + i), files[i]);
        }
        GraphJob job = new GraphJob();
        job.workload = workload;
        Results.describe(results, job);
        return job;
    }

    @Test
    void resultsInAnotherOrderAreTheSame() throws IOException {
        GraphJob one = described(GraphWorkload.BFS, "1\t0\n2\t9223372036854775807\n3\t1\n");
        GraphJob same = described(GraphWorkload.BFS, "3\t1\n", "2\t9223372036854775807\n1\t0\n");
        GraphJob exchanged = described(GraphWorkload.BFS, "1\t1\n2\t9223372036854775807\n3\t0\n");
        assertThat(one.vertices).isEqualTo(3);
        assertThat(one.weightedSum).isBetween(1.0, 2.0).isEqualTo(same.weightedSum);
        assertThat(one.hash).isEqualTo(same.hash).isNotEqualTo(exchanged.hash);
    }

    @Test
    void ranksCountWithTheirVertices() throws IOException {
        GraphJob one = described(GraphWorkload.PR, "1\t0.25\n2\t0.75\n");
        GraphJob exchanged = described(GraphWorkload.PR, "1\t0.75\n2\t0.25\n");
        assertThat(one.hash).isZero();
        assertThat(one.weightedSum).isNotCloseTo(exchanged.weightedSum, org.assertj.core.data.Offset.offset(1e-6));
    }
}
