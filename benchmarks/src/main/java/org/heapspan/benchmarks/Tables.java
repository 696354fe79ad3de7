package org.heapspan.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.benchmarks.peer.Peers.Family;

/** The figures as Markdown tables. */
final class Tables {
    private static final List<Family> RIVALS = List.of(
            Family.FORY_REFS,
            Family.FORY_REFS_STRINGS,
            Family.FORY_REFS_UNREGISTERED,
            Family.FORY,
            Family.KRYO_REFS,
            Family.KRYO,
            Family.JDK);

    /** Ratios are printed with two digits: what prints as 1.00 is a draw. */
    private static final double ROUNDING = 0.005;

    private Tables() {}

    /** How many times as long the peers take as Heapspan as it comes: one line per data set, what Heapspan loses in bold. */
    static String summary(Measurements measurements) {
        StringBuilder text = new StringBuilder();
        for (Measurement group : measurements.groups()) {
            text.append("\n### ").append(title(group)).append(": Heapspan against the others\n\n");
            text.append("| data | Heapspan, ns |");
            RIVALS.forEach(family -> text.append(" vs ").append(family.title()).append(" |"));
            text.append(" size vs Fory refs on |\n|---|--:|");
            text.append("--:|".repeat(RIVALS.size() + 1)).append('\n');
            for (String set : measurements.sets(group)) {
                List<Measurement> rows = measurements.rows(group, set);
                Optional<Measurement> heapspan = asItComes(rows);
                text.append("| ").append(DataSets.named(set).title()).append(" | ");
                text.append(heapspan.map(row -> nanos(row.sumNanos())).orElse("-"))
                        .append(" |");
                for (Family family : RIVALS) {
                    text.append(' ').append(against(heapspan, rows, family)).append(" |");
                }
                text.append(' ').append(size(heapspan, rows)).append(" |\n");
            }
        }
        return text.toString();
    }

    /** Our default, and not the fastest of our settings as with the others. */
    private static Optional<Measurement> asItComes(List<Measurement> rows) {
        return rows.stream()
                .filter(row -> row.peer.equals("heapspan") && row.isTimed())
                .findFirst();
    }

    /** All figures, a table for each kind of JVM and call. */
    static String details(Measurements measurements) {
        StringBuilder text = new StringBuilder();
        for (Measurement group : measurements.groups()) {
            text.append("\n### ").append(title(group)).append(": all figures\n\n");
            text.append("| data | serializer | encode, ns | decode, ns | sum, ns | spread | bytes |"
                    + " sum / Fory refs on | sum / Fory refs off |\n");
            text.append("|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
            for (String set : measurements.sets(group)) {
                List<Measurement> rows = measurements.rows(group, set);
                for (Measurement row : rows) {
                    text.append(row(row, rows));
                }
            }
        }
        return text.toString();
    }

    static String title(Measurement group) {
        return "JDK " + group.jdk + ", " + group.collector + " GC, "
                + (group.call == Call.CHUNK ? "all records in one call" : "one record per call");
    }

    private static String row(Measurement row, List<Measurement> rows) {
        String set = DataSets.named(row.set).title();
        String peer = Peers.title(row.peer);
        if (!row.isTimed()) {
            return "| " + set + " | " + peer + " | " + row.remark + " | | | | | | |\n";
        }
        boolean ours = Peers.family(row.peer).isHeapspan();
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | ±%.0f %% | %.1f | %s | %s |%n",
                set,
                peer,
                nanos(row.encodeNanos()),
                nanos(row.decodeNanos()),
                nanos(row.sumNanos()),
                100 * row.spread(),
                row.bytesPerRecord,
                ratio(row, Measurements.fastest(rows, Family.FORY_REFS), ours),
                ratio(row, Measurements.fastest(rows, Family.FORY), ours));
    }

    /** How long the row takes relative to the rival; bold if that makes a loss of ours. */
    private static String ratio(Measurement row, Optional<Measurement> rival, boolean ours) {
        if (rival.isEmpty()) {
            return "-";
        }
        double ratio = row.sumNanos() / rival.get().sumNanos();
        return marked(String.format(Locale.ROOT, "%.2f", ratio), ours && ratio >= 1 + ROUNDING, "slower");
    }

    /** How many times as long the fastest of a family takes as Heapspan, or why there is no figure; bold if that makes a loss. */
    static String against(Optional<Measurement> heapspan, List<Measurement> rows, Family family) {
        Optional<Measurement> rival = Measurements.fastest(rows, family);
        if (rival.isEmpty()) {
            return rows.stream()
                    .filter(row -> Peers.family(row.peer) == family)
                    .findFirst()
                    .map(row -> row.remark)
                    .orElse("-");
        }
        if (heapspan.isEmpty()) {
            return "-";
        }
        Ratio ratio = Ratio.of(heapspan.get(), rival.get());
        return marked(ratio.toString(), ratio.factor() < 1 - ROUNDING, "slower");
    }

    private static String size(Optional<Measurement> heapspan, List<Measurement> rows) {
        // The default setting of Fory, which is the smaller one, and not its fastest.
        Optional<Measurement> fory =
                rows.stream().filter(row -> row.peer.equals("fory-refs")).findFirst();
        if (heapspan.isEmpty() || fory.isEmpty() || fory.get().bytesPerRecord == 0) {
            return "-";
        }
        double factor = heapspan.get().bytesPerRecord / fory.get().bytesPerRecord;
        return marked(String.format(Locale.ROOT, "%.2f", factor), factor >= 1 + ROUNDING, "larger");
    }

    private static String marked(String text, boolean loss, String word) {
        return loss ? "**" + text + " " + word + "**" : text;
    }

    static String nanos(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }
}
