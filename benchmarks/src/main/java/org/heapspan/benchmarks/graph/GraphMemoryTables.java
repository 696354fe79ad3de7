package org.heapspan.benchmarks.graph;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.heapspan.benchmarks.graph.GraphJob.Setting;

/** What jobs on Giraph do with less memory, as Markdown: the least that suffices, and the least with which Heapspan is as fast as others. */
final class GraphMemoryTables {
    private final List<GraphRow> rows;
    private final StringBuilder text = new StringBuilder();

    GraphMemoryTables(List<GraphJob> jobs) {
        rows = GraphRow.all(jobs.stream().filter(job -> job.memoryMegabytes > 0).toList());
    }

    String text() {
        leastThatSuffices();
        asFast();
        return text.toString();
    }

    /** Jobs of an algorithm on a graph, whatever their memory and their peer. */
    private record Kind(Setting setting, GraphWorkload workload) {
        static Kind of(GraphRow row) {
            return new Kind(row.first().setting().withoutMemory(), row.first().workload);
        }
    }

    private List<GraphRow> rowsOf(Kind kind) {
        return rows.stream().filter(row -> Kind.of(row).equals(kind)).toList();
    }

    // ---------------------------------------------------------------- the least memory that suffices

    private void leastThatSuffices() {
        List<GraphRow> trials = rows.stream().filter(row -> row.first().trial).toList();
        if (trials.isEmpty()) {
            return;
        }
        text.append("\n### Least memory that suffices\n\n")
                .append(
                        "| graph | algorithm | edges and messages | suffices, MB | too little, MB | heap, MB | time, s | collections, s"
                                + " | with files, MB |\n|---|---|---|")
                .append("--:|".repeat(6))
                .append('\n');
        for (Kind kind : trials.stream().map(Kind::of).distinct().toList()) {
            for (GraphPeer peer : GraphPeer.values()) {
                List<GraphRow> ofPeer = rowsOf(kind).stream()
                        .filter(row -> row.first().trial && row.first().peer == peer)
                        .toList();
                if (!ofPeer.isEmpty()) {
                    least(kind, peer, ofPeer);
                }
            }
        }
    }

    private void least(Kind kind, GraphPeer peer, List<GraphRow> ofPeer) {
        Optional<GraphRow> least =
                ofPeer.stream().filter(row -> !row.succeeded().isEmpty()).findFirst();
        String tooLittle = ofPeer.stream()
                .filter(row -> row.succeeded().isEmpty())
                .map(row -> row.first().memoryMegabytes)
                .filter(megabytes -> least.isEmpty() || megabytes < least.get().first().memoryMegabytes)
                .max(Comparator.naturalOrder())
                .map(megabytes -> String.format(Locale.ROOT, "%,d", megabytes))
                .orElse("-");
        text.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s |",
                kind.setting().graph(),
                kind.workload().title(),
                peer.title()));
        text.append(least.map(row -> String.format(
                        Locale.ROOT,
                        " %,d | %s | %,d | %s | %s | %,.0f |",
                        row.first().memoryMegabytes,
                        tooLittle,
                        row.first().heapMegabytes,
                        GraphRow.text(row.seconds()),
                        GraphRow.text(row.collectionSeconds()),
                        row.median(job -> job.memoryPeakBytes) / 1e6))
                .orElse(" - | " + tooLittle + " | - | - | - | - |"));
        text.append('\n');
    }

    // ---------------------------------------------------------------- less memory at no loss of time

    /** Of kinds of jobs that were run with several sizes of memory. */
    private void asFast() {
        List<Kind> kinds = rows.stream()
                .filter(row -> row.first().peer == GraphPeer.HEAPSPAN && !row.first().trial)
                .map(Kind::of)
                .distinct()
                .filter(this::hasSeveralSizes)
                .toList();
        if (kinds.isEmpty()) {
            return;
        }
        text.append("\n### Less memory at no loss of time\n\n")
                .append(
                        "| graph | algorithm | compared with | its memory, MB | its time, s | memory of Heapspan, MB | time, s | less memory"
                                + " |\n|---|---|---|")
                .append("--:|".repeat(5))
                .append('\n');
        for (Kind kind : kinds) {
            for (GraphPeer rival : GraphPeer.rivals()) {
                List<Integer> sizes = rowsOf(kind).stream()
                        .filter(row -> row.first().peer == rival && !row.first().trial)
                        .map(row -> row.first().memoryMegabytes)
                        .distinct()
                        .toList();
                sizes.forEach(megabytes -> asFast(kind, rival, megabytes));
            }
        }
    }

    private boolean hasSeveralSizes(Kind kind) {
        return rowsOf(kind).stream()
                        .filter(row -> row.first().peer == GraphPeer.HEAPSPAN && !row.first().trial)
                        .map(row -> row.first().memoryMegabytes)
                        .distinct()
                        .count()
                > 1;
    }

    private void asFast(Kind kind, GraphPeer rival, int megabytes) {
        Optional<GraphRow> theirs = GraphRow.best(
                rowsOf(kind).stream()
                        .filter(row -> !row.first().trial && row.first().memoryMegabytes == megabytes)
                        .toList(),
                rival);
        if (theirs.isEmpty()) {
            return;
        }
        double seconds = theirs.get().seconds();
        Optional<GraphRow> ours = rowsOf(kind).stream()
                .filter(row -> !row.first().trial
                        && row.first().peer == GraphPeer.HEAPSPAN
                        && row.first().memoryMegabytes <= megabytes
                        && row.seconds() <= seconds)
                .min(Comparator.comparingInt(row -> row.first().memoryMegabytes));
        text.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %,d | %s |",
                kind.setting().graph(),
                kind.workload().title(),
                rival.title(),
                megabytes,
                GraphRow.text(seconds)));
        text.append(ours.map(row -> String.format(
                        Locale.ROOT,
                        " %,d | %s | %.1fx |",
                        row.first().memoryMegabytes,
                        GraphRow.text(row.seconds()),
                        (double) megabytes / row.first().memoryMegabytes))
                .orElse(" none as fast | - | - |"));
        text.append('\n');
    }
}
