package org.heapspan.benchmarks.spark;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
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
        StringBuilder text = new StringBuilder(RunNote.markdown(figures.runs()));
        for (Kind kind : Kind.values()) {
            figures.applications().stream()
                    .filter(each -> each.kind.equals(kind.optionName()))
                    .collect(Collectors.groupingBy(Setting::of, TreeMap::new, Collectors.toList()))
                    .forEach((setting, applications) -> table(text, kind, setting, applications));
        }
        return text.toString();
    }

    private static void table(StringBuilder text, Kind kind, Setting setting, List<Figures> applications) {
        text.append(String.format(
                "%n%s of %d MB, to %d executors. Medians of %d broadcasts in each application, after %d that %s not"
                        + " counted:%n%n",
                kind.title(),
                setting.megabytes,
                setting.executors,
                setting.times,
                setting.warmUp,
                setting.warmUp == 1 ? "is" : "are"));
        text.append("| | to make it, s | until all have it, s | processor time of the executors, s | Java heap of all"
                + " executors, MB | shared file, MB |\n|---|--:|--:|--:|--:|--:|\n");
        for (Peer peer : Peer.values()) {
            line(
                    text,
                    peer,
                    applications.stream()
                            .filter(each -> each.peer.equals(peer.optionName()))
                            .toList());
        }
    }

    private static void line(StringBuilder text, Peer peer, List<Figures> all) {
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

    /** What the applications of a table have in common; in the order of the tables. */
    private record Setting(int megabytes, int executors, int warmUp, int times) implements Comparable<Setting> {
        private static final Comparator<Setting> ORDER = Comparator.comparingInt(Setting::megabytes)
                .thenComparingInt(Setting::executors)
                .thenComparingInt(Setting::warmUp)
                .thenComparingInt(Setting::times);

        static Setting of(Figures application) {
            return new Setting(application.megabytes, application.executors, application.warmUp, application.times);
        }

        @Override
        public int compareTo(Setting other) {
            return ORDER.compare(this, other);
        }
    }
}
