package org.heapspan.benchmarks.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures of jobs on Giraph: what is kept, and what the page says of it. */
@Tag("once")
final class GraphFiguresTest {
    private final GraphFigures figures = new GraphFigures();

    @TempDir
    Path folder;

    private static GraphJob job(GraphPeer peer, int heapMegabytes, double computeSeconds) {
        GraphJob job = new GraphJob();
        job.graph = "some-graph";
        job.peer = peer;
        job.jdk = "25";
        job.collector = "Parallel";
        job.heapMegabytes = heapMegabytes;
        job.memoryMegabytes = 1024;
        job.loadSeconds = 1;
        job.computeSeconds = computeSeconds;
        job.collectionSeconds = computeSeconds / 2;
        job.vertices = 3;
        job.weightedSum = 1 + computeSeconds * 1e-12;
        return job;
    }

    private static GraphJob failed(GraphPeer peer, int heapMegabytes) {
        GraphJob job = job(peer, heapMegabytes, 0);
        job.failure = "out of memory";
        job.vertices = 0;
        return job;
    }

    @Test
    void eachPeerIsComparedWithItsBestHeap() throws IOException {
        figures.begin(new RunNote());
        figures.add(job(GraphPeer.HEAPSPAN, 500, 9));
        figures.add(job(GraphPeer.HEAPSPAN, 600, 6));
        figures.add(job(GraphPeer.HEAPSPAN, 600, 4));
        figures.add(job(GraphPeer.HEAPSPAN, 600, 5));
        figures.add(job(GraphPeer.OUT_OF_CORE, 600, 19));
        figures.add(failed(GraphPeer.OUT_OF_CORE, 400));
        figures.add(failed(GraphPeer.BYTES, 600));
        Path json = folder.resolve("giraph.json");
        FigureFile.write(json, figures);

        assertThat(GraphFigures.load(json).tables().lines())
                .contains(
                        "### some-graph, 1,024 MB of memory with files",
                        "| PageRank | 6.0 | -70 % (20.0 s) | -74 % (9.5 s) | it fails | - | - | - |",
                        "| PageRank | Heapspan | 600 | 3 | 6.0 (5.0 to 7.0) | 1.0 | 5.0 | 0.0 | 2.5 | 0 | 0.0 | 0 | 0 | 0 | 0 | 0 |",
                        "| PageRank | Giraph, out of core | 400 | 1 | fails: out of memory | | | | | | | | | | | |");
    }

    private static GraphJob with(int memoryMegabytes, GraphJob job) {
        job.memoryMegabytes = memoryMegabytes;
        return job;
    }

    private static GraphJob trial(int memoryMegabytes, GraphJob job) {
        job.trial = true;
        return with(memoryMegabytes, job);
    }

    @Test
    void trialsTellTheLeastMemoryThatSuffices() throws IOException {
        figures.begin(new RunNote());
        figures.add(trial(1024, job(GraphPeer.HEAPSPAN, 768, 4)));
        figures.add(trial(512, failed(GraphPeer.HEAPSPAN, 256)));
        figures.add(trial(640, job(GraphPeer.HEAPSPAN, 384, 8)));
        figures.add(trial(1024, failed(GraphPeer.BYTES, 768)));

        String tables = figures.tables();
        assertThat(tables.lines())
                .contains(
                        "### Least memory that suffices",
                        "| some-graph | PageRank | Heapspan | 640 | 512 | 384 | 9.0 | 4.0 | 0 |",
                        "| some-graph | PageRank | Giraph, edges as bytes (its default) | - | 1,024 | - | - | - | - |");
        assertThat(tables).doesNotContain("MB of memory with files", "no loss of time");
        GraphJob other = with(640, job(GraphPeer.HEAPSPAN, 384, 8));
        assertThat(figures.count(other)).isZero();
        assertThat(figures.find(trial(640, other))).isPresent();
    }

    @Test
    void eachPeerIsComparedWithTheLeastMemoryThatCostsNoTime() throws IOException {
        figures.begin(new RunNote());
        figures.add(with(1024, job(GraphPeer.HEAPSPAN, 600, 4)));
        figures.add(with(640, job(GraphPeer.HEAPSPAN, 300, 9)));
        figures.add(with(512, job(GraphPeer.HEAPSPAN, 200, 10)));
        figures.add(with(1024, job(GraphPeer.OUT_OF_CORE, 700, 9.5)));
        figures.add(with(640, job(GraphPeer.OUT_OF_CORE, 300, 12)));
        figures.add(with(1024, job(GraphPeer.BYTES, 700, 3)));
        figures.add(with(1024, failed(GraphPeer.OBJECTS, 700)));

        assertThat(figures.tables()
                        .lines()
                        .dropWhile(line -> !line.startsWith("### Less memory"))
                        .skip(4))
                .containsExactly(
                        "| some-graph | PageRank | Giraph, out of core | 640 | 13.0 | 512 | 11.0 | 1.3x |",
                        "| some-graph | PageRank | Giraph, out of core | 1,024 | 10.5 | 640 | 10.0 | 1.6x |",
                        "| some-graph | PageRank | Giraph, edges as bytes (its default) | 1,024 | 4.0 | none as fast | - | - |");
    }

    @Test
    void jobsOfTheSameKindAreCounted() throws IOException {
        figures.begin(new RunNote());
        figures.add(job(GraphPeer.HEAPSPAN, 500, 9));
        figures.add(job(GraphPeer.HEAPSPAN, 600, 9));
        assertThat(figures.count(job(GraphPeer.HEAPSPAN, 500, 1))).isEqualTo(1);
        assertThat(figures.count(job(GraphPeer.BYTES, 500, 1))).isZero();
    }

    @Test
    void otherResultsAreRefused() throws IOException {
        figures.begin(new RunNote());
        figures.add(job(GraphPeer.BYTES, 500, 9));
        GraphJob lessVertices = job(GraphPeer.HEAPSPAN, 500, 9);
        lessVertices.vertices = 2;
        GraphJob otherHash = job(GraphPeer.HEAPSPAN, 500, 9);
        otherHash.hash = 1;
        GraphJob otherRanks = job(GraphPeer.HEAPSPAN, 500, 9);
        otherRanks.weightedSum *= 1 + 1e-8;
        for (GraphJob wrong : new GraphJob[] {lessVertices, otherHash, otherRanks}) {
            assertThatThrownBy(() -> figures.add(wrong)).hasMessageContaining("PageRank on some-graph: Heapspan finds");
        }
        wrongButOfAnotherGraph(lessVertices);
    }

    private void wrongButOfAnotherGraph(GraphJob job) throws IOException {
        job.graph = "another-graph";
        figures.add(job);
        assertThat(figures.all).hasSize(2);
    }
}
