package org.heapspan.benchmarks.graph;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.graph.GraphJob.Setting;

/** The figures of jobs on Giraph as Markdown. */
final class GraphTables {
    private final GraphFigures figures;
    private final StringBuilder text = new StringBuilder();

    GraphTables(GraphFigures figures) {
        this.figures = figures;
    }

    String text() {
        text.append(RunNote.methods(figures.runs)).append(RunNote.markdown(figures.runs));
        List<Setting> settings = figures.all.stream()
                .filter(job -> !job.trial)
                .map(GraphJob::setting)
                .distinct()
                .toList();
        for (Setting setting : settings) {
            text.append("\n### ").append(title(setting)).append("\n\n");
            text.append(String.format(
                    Locale.ROOT,
                    "JDK %s, %s collector, %d partitions, %d iterations of PageRank and label propagation.%n",
                    setting.jdk(),
                    setting.collector(),
                    setting.partitions(),
                    setting.iterations()));
            List<GraphRow> rows = GraphRow.all(figures.all.stream()
                    .filter(job -> !job.trial && job.setting().equals(setting))
                    .toList());
            comparison(rows);
            all(rows);
        }
        return text.append(new GraphMemoryTables(figures.all).text()).toString();
    }

    private static String title(Setting setting) {
        return setting.graph()
                + (setting.memoryMegabytes() == 0
                        ? ", no limit of memory"
                        : String.format(Locale.ROOT, ", %,d MB of memory with files", setting.memoryMegabytes()));
    }

    // ---------------------------------------------------------------- each peer with its best heap

    private void comparison(List<GraphRow> rows) {
        text.append("\n| algorithm | Heapspan, s |");
        GraphPeer.rivals()
                .forEach(rival ->
                        text.append(" time against ").append(rival.title()).append(" | its collections |"));
        text.append("\n|---|--:|")
                .append("--:|--:|".repeat(GraphPeer.rivals().size()))
                .append('\n');
        for (GraphWorkload workload : GraphWorkload.values()) {
            List<GraphRow> ofWorkload = rows.stream()
                    .filter(row -> row.first().workload == workload)
                    .toList();
            if (ofWorkload.stream().noneMatch(row -> row.first().peer == GraphPeer.HEAPSPAN)) {
                continue;
            }
            Optional<GraphRow> heapspan = GraphRow.best(ofWorkload, GraphPeer.HEAPSPAN);
            text.append("| ").append(workload.title()).append(" | ");
            text.append(heapspan.map(row -> GraphRow.text(row.seconds())).orElse("fails"))
                    .append(" |");
            for (GraphPeer rival : GraphPeer.rivals()) {
                text.append(against(heapspan, ofWorkload, rival));
            }
            text.append('\n');
        }
    }

    private static String against(Optional<GraphRow> heapspan, List<GraphRow> rows, GraphPeer rival) {
        if (rows.stream().noneMatch(row -> row.first().peer == rival)) {
            return " - | - |";
        }
        Optional<GraphRow> best = GraphRow.best(rows, rival);
        if (best.isEmpty()) {
            return " it fails | - |";
        }
        return heapspan.map(row -> String.format(
                        Locale.ROOT,
                        " %s (%s s) | %s (%s s) |",
                        change(row.seconds(), best.get().seconds()),
                        GraphRow.text(best.get().seconds()),
                        change(row.collectionSeconds(), best.get().collectionSeconds()),
                        GraphRow.text(best.get().collectionSeconds())))
                .orElse(" - | - |");
    }

    /** How much more or less. */
    private static String change(double ours, double theirs) {
        return theirs == 0 ? "-" : String.format(Locale.ROOT, "%+.0f %%", 100 * (ours / theirs - 1));
    }

    // ---------------------------------------------------------------- all figures

    private void all(List<GraphRow> rows) {
        text.append(
                "\n| algorithm | edges and messages | heap, MB | runs | time, s | load, s | supersteps, s | results, s | collections, s"
                        + " | full collections | CPU, s | resident, MB | with files, MB | read, MB | written, MB | supersteps |\n|---|---|");
        text.append("--:|".repeat(14)).append('\n');
        for (GraphRow row : rows) {
            GraphJob first = row.first();
            text.append(String.format(
                    Locale.ROOT, "| %s | %s | %,d |", first.workload.title(), first.peer.title(), first.heapMegabytes));
            text.append(row.succeeded().isEmpty() ? failure(row) : figures(row)).append('\n');
        }
    }

    private static String failure(GraphRow row) {
        return " " + row.jobs().size() + " | fails: " + row.first().failure + " |" + " |".repeat(11);
    }

    private static String figures(GraphRow row) {
        int tried = row.jobs().size();
        int succeeded = row.succeeded().size();
        return String.format(
                Locale.ROOT,
                " %s | %s | %s | %s | %s | %s | %.0f | %s | %s | %s | %s | %s | %.0f |",
                succeeded == tried ? Integer.toString(tried) : succeeded + " of " + tried,
                range(row),
                GraphRow.text(row.median(job -> job.loadSeconds)),
                GraphRow.text(row.median(job -> job.computeSeconds)),
                GraphRow.text(row.median(job -> job.saveSeconds)),
                GraphRow.text(row.collectionSeconds()),
                row.median(job -> job.fullCollections),
                GraphRow.text(row.median(job -> job.processorSeconds)),
                megabytes(row.median(job -> job.residentPeakBytes)),
                row.first().memoryMegabytes == 0 ? "-" : megabytes(row.median(job -> job.memoryPeakBytes)),
                megabytes(row.median(job -> job.readBytes)),
                megabytes(row.median(job -> job.writtenBytes)),
                row.median(job -> job.supersteps));
    }

    /** The median, and the least and the greatest if there are several. */
    private static String range(GraphRow row) {
        double[] sorted =
                row.succeeded().stream().mapToDouble(GraphJob::seconds).sorted().toArray();
        return sorted.length == 1
                ? GraphRow.text(sorted[0])
                : String.format(
                        Locale.ROOT,
                        "%s (%s to %s)",
                        GraphRow.text(row.seconds()),
                        GraphRow.text(sorted[0]),
                        GraphRow.text(sorted[sorted.length - 1]));
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.0f", bytes / 1e6);
    }
}
