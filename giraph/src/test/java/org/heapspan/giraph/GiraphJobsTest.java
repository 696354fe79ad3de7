package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.heapspan.examples.giraph.LabelPropagation;
import org.heapspan.examples.giraph.PageRank;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeapStatistics;
import org.heapspan.h2.SecondHeapStatistics.LabelStatistics;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole jobs of Giraph, compared with Giraph alone. */
final class GiraphJobsTest {
    private static final int VERTICES = 3000;

    @TempDir
    Path folder;

    /** Remembers what was in the second heap when a superstep began, and when a job ended. */
    public static final class Witness extends DefaultWorkerObserver {
        /** Of the messages, for each superstep that has some. */
        private static final List<Label> LABELS = new CopyOnWriteArrayList<>();

        private static volatile SecondHeapStatistics seen;

        @Override
        public void preSuperstep(long superstep) {
            for (LabelStatistics each : WorkerHeap.of(getConf()).statistics().labels()) {
                if (each.liveBytes() > 0
                        && !each.label().equals(WorkerHeap.EDGES)
                        && !each.label().equals(WorkerHeap.LOADED_EDGES)) {
                    LABELS.add(each.label());
                }
            }
        }

        @Override
        public void postApplication() {
            seen = WorkerHeap.of(getConf()).statistics();
        }
    }

    static List<String> graph() {
        Random random = new Random(3);
        List<String> lines = new ArrayList<>();
        for (int vertex = 0; vertex < VERTICES; vertex++) {
            StringBuilder line = new StringBuilder().append(vertex);
            for (int i = random.nextInt(30); i > 0; i--) {
                line.append(' ').append(random.nextInt(VERTICES));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    @Test
    void pageRankIsThatOfGiraphAlone() throws Exception {
        GiraphConfiguration plain = Jobs.plain(PageRank.class, folder);
        plain.setInt(PageRank.ITERATIONS, 5);
        Map<Long, String> expected = Jobs.run(plain, graph());
        assertThat(expected).hasSize(VERTICES);

        GiraphConfiguration settings = Jobs.inSecondHeap(Jobs.plain(PageRank.class, folder), folder);
        settings.setInt(PageRank.ITERATIONS, 5);
        settings.addWorkerObserverClass(Witness.class);
        Witness.LABELS.clear();
        Map<Long, String> ranks = Jobs.run(settings, graph());
        assertThat(ranks.keySet()).isEqualTo(expected.keySet());
        ranks.forEach((vertex, rank) -> assertThat(Double.parseDouble(rank))
                .isCloseTo(Double.parseDouble(expected.get(vertex)), within(1e-12)));

        // 45,000 edges of 8 bytes, and messages of 16 bytes in each of five supersteps.
        assertThat(Witness.seen.writtenBytes()).isGreaterThan(45_000 * 8 + 5 * 43_000 * 16);
        assertThat(Witness.seen.liveBytes()).isBetween(300_000L, 500_000L);
        // At each superstep those of the one before, which have a label of their own.
        assertThat(Witness.LABELS).hasSize(5).doesNotHaveDuplicates();
        assertThat(folder.resolve("second-heap")).isEmptyDirectory();
    }

    /** Adds edges before the checkpoint. */
    static GiraphConfiguration labels(Path folder) {
        return withCheckpoints(Jobs.inSecondHeap(Jobs.plain(LabelPropagation.class, folder), folder));
    }

    private static GiraphConfiguration withCheckpoints(GiraphConfiguration settings) {
        settings.setInt(LabelPropagation.ITERATIONS, 5);
        settings.setBoolean("giraph.cleanupCheckpointsAfterSuccess", false);
        settings.setInt("giraph.checkpointFrequency", 2);
        return settings;
    }

    private GiraphConfiguration labels(boolean inSecondHeap) {
        return inSecondHeap ? labels(folder) : withCheckpoints(Jobs.plain(LabelPropagation.class, folder));
    }

    /** Also one that had too little memory without the second heap. */
    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false"})
    @Tag("soak")
    void aJobGoesOnFromACheckpoint(boolean firstInSecondHeap, boolean nextInSecondHeap) throws Exception {
        Path checkpoints = Files.createDirectories(folder.resolve("checkpoints"));
        Map<Long, String> expected = Jobs.run(
                labels(firstInSecondHeap), graph(), checkpoints, Files.createDirectories(folder.resolve("first")));
        assertThat(expected).hasSize(VERTICES);
        String job;
        try (Stream<Path> jobs = Files.list(checkpoints)) {
            job = jobs.map(Path::getFileName).map(Path::toString).findFirst().orElseThrow();
        }

        // Of the graph it gets nothing but the checkpoint.
        GiraphConfiguration next = labels(nextInSecondHeap);
        next.set("giraph.restart.jobId", job);
        next.set("giraph.restartSuperstep", "4");
        assertThat(Jobs.run(next, List.of(), checkpoints, Files.createDirectories(folder.resolve("second"))))
                .isEqualTo(expected);
    }
}
