package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.benchmarks.spark.SparkBroadcastFigures.Figures;
import org.heapspan.benchmarks.spark.SparkBroadcastReport.Kind;
import org.heapspan.benchmarks.spark.SparkBroadcastReport.Peer;

/** The figures of {@link SparkBroadcastReport} as Markdown. */
final class BroadcastTables {
    private static final double MEGABYTE = 1 << 20;

    private BroadcastTables() {}

    /** In one line. */
    static String describe(Figures figures) {
        return figures.failure.isEmpty()
                ? String.format(
                        Locale.ROOT,
                        "%.2f s in the driver, %.2f s to read, %.2f s CPU, %.0f MB heap, %.0f MB shared",
                        Statistics.median(figures.driverSeconds),
                        Statistics.median(figures.readSeconds),
                        Statistics.median(figures.cpuSeconds),
                        Statistics.median(figures.heapBytes) / MEGABYTE,
                        Statistics.median(figures.sharedBytes) / MEGABYTE)
                : figures.failure;
    }

    static String of(SparkBroadcastFigures figures) {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run)));
        text.append(String.format(
                "* Medians of %d broadcasts in each application, after %d that are not counted%n",
                figures.times, figures.warmUp));
        for (Kind kind : Kind.values()) {
            List<Integer> sizes = figures.applications.stream()
                    .filter(each -> each.kind.equals(kind.optionName()))
                    .map(each -> each.megabytes)
                    .distinct()
                    .sorted()
                    .toList();
            for (int megabytes : sizes) {
                text.append(String.format(
                        "%n%s of %d MB, to %d executors:%n%n", kind.title(), megabytes, figures.executors));
                text.append(
                        "| | to make it, s | until all have it, s | processor time of the executors, s | Java heap of all"
                                + " executors, MB | shared file, MB |\n|---|--:|--:|--:|--:|--:|\n");
                for (Peer peer : Peer.values()) {
                    line(text, figures, kind, megabytes, peer);
                }
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, SparkBroadcastFigures figures, Kind kind, int megabytes, Peer peer) {
        List<Figures> all = figures.applications.stream()
                .filter(each -> each.kind.equals(kind.optionName())
                        && each.megabytes == megabytes
                        && each.peer.equals(peer.optionName()))
                .toList();
        if (all.isEmpty()) {
            return;
        }
        text.append("| ").append(peer.title()).append(" |");
        String failure = all.stream()
                .map(each -> each.failure)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse("");
        if (!failure.isEmpty()) {
            text.append(' ').append(failure).append(" | | | | |\n");
            return;
        }
        seconds(text, all, each -> each.driverSeconds);
        seconds(text, all, each -> each.readSeconds);
        seconds(text, all, each -> each.cpuSeconds);
        megabytes(text, all, each -> each.heapBytes);
        megabytes(text, all, each -> each.sharedBytes);
        text.append('\n');
    }

    private static void seconds(StringBuilder text, List<Figures> all, Function<Figures, List<Double>> figure) {
        text.append(String.format(Locale.ROOT, " %.2f |", medianOf(all, figure)));
    }

    private static void megabytes(StringBuilder text, List<Figures> all, Function<Figures, List<Double>> figure) {
        text.append(String.format(Locale.ROOT, " %,.0f |", medianOf(all, figure) / MEGABYTE));
    }

    private static double medianOf(List<Figures> all, Function<Figures, List<Double>> figure) {
        return Statistics.median(
                all.stream().flatMap(each -> figure.apply(each).stream()).toList());
    }
}
