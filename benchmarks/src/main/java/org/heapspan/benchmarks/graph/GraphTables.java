package org.heapspan.benchmarks.graph;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.benchmarks.graph.GraphJob.Setting;

/** The figures of jobs on Giraph as Markdown. */
final class GraphTables {
    private final GraphFigures figures;
    private final StringBuilder text = new StringBuilder();

    GraphTables(GraphFigures figures) {
        this.figures = figures;
    }

    /** Jobs that were run in the same way; figures are medians of those that did not fail. */
    private record Row(List<GraphJob> jobs) {
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
    }

    String text() {
        text.append(RunNote.methods(figures.runs)).append(RunNote.markdown(figures.runs));
        for (Setting setting :
                figures.all.stream().map(GraphJob::setting).distinct().toList()) {
            text.append("\n### ").append(title(setting)).append("\n\n");
            text.append(String.format(
                    Locale.ROOT,
                    "JDK %s, %s collector, %d partitions, %d iterations of PageRank and label propagation.%n",
                    setting.jdk(),
                    setting.collector(),
                    setting.partitions(),
                    setting.iterations()));
            List<Row> rows = rows(setting);
            comparison(rows);
            all(rows);
        }
        return text.toString();
    }

    private static String title(Setting setting) {
        return setting.graph()
                + (setting.memoryMegabytes() == 0
                        ? ", no limit of memory"
                        : String.format(Locale.ROOT, ", %,d MB of memory with files", setting.memoryMegabytes()));
    }

    /** In the order of algorithms, peers and heaps. */
    private List<Row> rows(Setting setting) {
        List<Row> rows = new ArrayList<>();
        for (GraphJob job : figures.all) {
            if (job.setting().equals(setting)
                    && rows.stream().noneMatch(row -> row.first().isLike(job))) {
                rows.add(new Row(figures.all.stream().filter(job::isLike).toList()));
            }
        }
        rows.sort(Comparator.comparing((Row row) -> row.first().workload)
                .thenComparing(row -> row.first().peer)
                .thenComparing(row -> row.first().heapMegabytes));
        return rows;
    }

    // ---------------------------------------------------------------- each peer with its best heap

    private void comparison(List<Row> rows) {
        text.append("\n| algorithm | Heapspan, s |");
        GraphPeer.rivals()
                .forEach(rival ->
                        text.append(" time against ").append(rival.title()).append(" | its collections |"));
        text.append("\n|---|--:|")
                .append("--:|--:|".repeat(GraphPeer.rivals().size()))
                .append('\n');
        for (GraphWorkload workload : GraphWorkload.values()) {
            List<Row> ofWorkload = rows.stream()
                    .filter(row -> row.first().workload == workload)
                    .toList();
            if (ofWorkload.stream().noneMatch(row -> row.first().peer == GraphPeer.HEAPSPAN)) {
                continue;
            }
            Optional<Row> heapspan = best(ofWorkload, GraphPeer.HEAPSPAN);
            text.append("| ").append(workload.title()).append(" | ");
            text.append(heapspan.map(row -> seconds(row.seconds())).orElse("fails"))
                    .append(" |");
            for (GraphPeer rival : GraphPeer.rivals()) {
                text.append(against(heapspan, ofWorkload, rival));
            }
            text.append('\n');
        }
    }

    /** Of the heaps that were tried, the one with which a peer takes the least time. */
    private static Optional<Row> best(List<Row> rows, GraphPeer peer) {
        return rows.stream()
                .filter(row -> row.first().peer == peer && !row.succeeded().isEmpty())
                .min(Comparator.comparingDouble(Row::seconds));
    }

    private static String against(Optional<Row> heapspan, List<Row> rows, GraphPeer rival) {
        if (rows.stream().noneMatch(row -> row.first().peer == rival)) {
            return " - | - |";
        }
        Optional<Row> best = best(rows, rival);
        if (best.isEmpty()) {
            return " it fails | - |";
        }
        return heapspan.map(row -> String.format(
                        Locale.ROOT,
                        " %s (%s s) | %s (%s s) |",
                        change(row.seconds(), best.get().seconds()),
                        seconds(best.get().seconds()),
                        change(row.collectionSeconds(), best.get().collectionSeconds()),
                        seconds(best.get().collectionSeconds())))
                .orElse(" - | - |");
    }

    /** How much more or less. */
    private static String change(double ours, double theirs) {
        return theirs == 0 ? "-" : String.format(Locale.ROOT, "%+.0f %%", 100 * (ours / theirs - 1));
    }

    // ---------------------------------------------------------------- all figures

    private void all(List<Row> rows) {
        text.append(
                "\n| algorithm | edges and messages | heap, MB | runs | time, s | load, s | supersteps, s | results, s | collections, s"
                        + " | full collections | CPU, s | resident, MB | with files, MB | read, MB | written, MB | supersteps |\n|---|---|");
        text.append("--:|".repeat(14)).append('\n');
        for (Row row : rows) {
            GraphJob first = row.first();
            text.append(String.format(
                    Locale.ROOT, "| %s | %s | %,d |", first.workload.title(), first.peer.title(), first.heapMegabytes));
            text.append(row.succeeded().isEmpty() ? failure(row) : figures(row)).append('\n');
        }
    }

    private static String failure(Row row) {
        return " " + row.jobs.size() + " | fails: " + row.first().failure + " |" + " |".repeat(11);
    }

    private static String figures(Row row) {
        int tried = row.jobs.size();
        int succeeded = row.succeeded().size();
        return String.format(
                Locale.ROOT,
                " %s | %s | %s | %s | %s | %s | %.0f | %s | %s | %s | %s | %s | %.0f |",
                succeeded == tried ? Integer.toString(tried) : succeeded + " of " + tried,
                range(row),
                seconds(row.median(job -> job.loadSeconds)),
                seconds(row.median(job -> job.computeSeconds)),
                seconds(row.median(job -> job.saveSeconds)),
                seconds(row.collectionSeconds()),
                row.median(job -> job.fullCollections),
                seconds(row.median(job -> job.processorSeconds)),
                megabytes(row.median(job -> job.residentPeakBytes)),
                row.first().memoryMegabytes == 0 ? "-" : megabytes(row.median(job -> job.memoryPeakBytes)),
                megabytes(row.median(job -> job.readBytes)),
                megabytes(row.median(job -> job.writtenBytes)),
                row.median(job -> job.supersteps));
    }

    /** The median, and the least and the greatest if there are several. */
    private static String range(Row row) {
        double[] sorted =
                row.succeeded().stream().mapToDouble(GraphJob::seconds).sorted().toArray();
        return sorted.length == 1
                ? seconds(sorted[0])
                : String.format(
                        Locale.ROOT,
                        "%s (%s to %s)",
                        seconds(row.seconds()),
                        seconds(sorted[0]),
                        seconds(sorted[sorted.length - 1]));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%,.1f", seconds);
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.0f", bytes / 1e6);
    }
}
