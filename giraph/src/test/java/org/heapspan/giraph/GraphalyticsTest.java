package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.graph.Computation;
import org.heapspan.examples.giraph.BreadthFirstSearch;
import org.heapspan.examples.giraph.ConnectedComponents;
import org.heapspan.examples.giraph.LabelPropagation;
import org.heapspan.examples.giraph.PageRank;
import org.heapspan.examples.giraph.ShortestPaths;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The algorithms of LDBC Graphalytics with edges and messages in the second heap find what their authors expect. */
@Tag("once")
final class GraphalyticsTest {
    @TempDir
    Path folder;

    /** One adds edges, one has numbers as values of edges, and one sends doubles. */
    @ParameterizedTest
    @CsvSource({"cdlp, dir", "sssp, dir", "pr, dir"})
    void eachKindOfEdgesAndMessages(String algorithm, String kind) throws Exception {
        check(algorithm, kind);
    }

    /** Each job takes ten seconds, in which Giraph mostly waits. */
    @ParameterizedTest
    @Tag("soak")
    @CsvSource({"pr, undir", "cdlp, undir", "wcc, dir", "wcc, undir", "bfs, dir", "bfs, undir", "sssp, undir"})
    void otherAlgorithms(String algorithm, String kind) throws Exception {
        check(algorithm, kind);
    }

    @SuppressWarnings("rawtypes")
    private static Class<? extends Computation> program(String algorithm) {
        return switch (algorithm) {
            case "pr" -> PageRank.class;
            case "cdlp" -> LabelPropagation.class;
            case "wcc" -> ConnectedComponents.class;
            case "bfs" -> BreadthFirstSearch.class;
            default -> ShortestPaths.class;
        };
    }

    private void check(String algorithm, String kind) throws Exception {
        assumeThat(ValidationGraphs.ARCHIVE).isReadable();
        ValidationGraphs graphs = new ValidationGraphs();
        GiraphConfiguration settings = Jobs.inSecondHeap(Jobs.plain(program(algorithm), folder), folder);
        settings.setBoolean("graph.directed", kind.equals("dir"));
        settings.setInt(PageRank.ITERATIONS, 26);
        settings.setInt(LabelPropagation.ITERATIONS, 5);
        Map<Long, String> found = Jobs.run(settings, graphs.lists(algorithm, kind));
        Map<Long, String> expected = graphs.expected(algorithm, kind);
        if (algorithm.equals("pr")) {
            // As precise as the rules of the benchmark say.
            assertThat(found.keySet()).isEqualTo(expected.keySet());
            found.forEach((vertex, rank) -> assertThat(Double.parseDouble(rank))
                    .isCloseTo(Double.parseDouble(expected.get(vertex)), withinPercentage(0.01)));
        } else {
            assertThat(found).isEqualTo(expected);
        }
    }
}
