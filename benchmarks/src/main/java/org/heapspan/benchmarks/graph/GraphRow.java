package org.heapspan.benchmarks.graph;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.Statistics;

/** Jobs that were run in the same way; figures are medians of those that did not fail. */
record GraphRow(List<GraphJob> jobs) {
    /** All of these jobs, in the order of algorithms, peers, memory and heaps. */
    static List<GraphRow> all(List<GraphJob> jobs) {
        List<GraphRow> rows = new ArrayList<>();
        for (GraphJob job : jobs) {
            if (rows.stream().noneMatch(row -> row.first().isLike(job))) {
                rows.add(new GraphRow(jobs.stream().filter(job::isLike).toList()));
            }
        }
        rows.sort(Comparator.comparing((GraphRow row) -> row.first().workload)
                .thenComparing(row -> row.first().peer)
                .thenComparing(row -> row.first().memoryMegabytes)
                .thenComparing(row -> row.first().heapMegabytes));
        return rows;
    }

    /** The one with which a peer takes the least time, if it succeeds with one. */
    static Optional<GraphRow> best(List<GraphRow> rows, GraphPeer peer) {
        return rows.stream()
                .filter(row -> row.first().peer == peer && !row.succeeded().isEmpty())
                .min(Comparator.comparingDouble(GraphRow::seconds));
    }

    GraphJob first() {
        return jobs.get(0);
    }

    List<GraphJob> succeeded() {
        return jobs.stream().filter(GraphJob::succeeded).toList();
    }

    double median(ToDoubleFunction<GraphJob> figure) {
        return Statistics.median(succeeded().stream().mapToDouble(figure).toArray());
    }

    double seconds() {
        return median(GraphJob::seconds);
    }

    double collectionSeconds() {
        return median(job -> job.collectionSeconds);
    }

    /** As tables show it. */
    static String text(double seconds) {
        return String.format(Locale.ROOT, "%,.1f", seconds);
    }
}
