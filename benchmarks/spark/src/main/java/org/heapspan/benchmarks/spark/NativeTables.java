package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.RunNote;

/** The figures of {@link NativeReport} as Markdown. */
final class NativeTables {
    private NativeTables() {}

    static String of(SparkFigures figures) {
        StringBuilder text = new StringBuilder(RunNote.markdown(figures.runs()));
        for (String jdk : figures.jdks()) {
            FactorTable<NativePeer> table =
                    new FactorTable<>(figures, jdk, "JDK " + jdk, NativePeer.NATIVE, NativePeer.ordinary());
            table.appendMedians(
                    text,
                    "processor time of the executors, later runs",
                    "native, s",
                    each -> afterFirst(each.cpuSeconds));
            table.appendMedians(text, "elapsed time, later runs", "native, s", each -> afterFirst(each.wallSeconds));
            table.appendMedians(
                    text, "processor time of the executors, first run", "native, s", each -> each.cpuSeconds.get(0));
            table.appendMedians(text, "elapsed time, first run", "native, s", each -> each.wallSeconds.get(0));
            table.appendMedians(
                    text,
                    "peak memory of the executors without pages of files",
                    "native, GB",
                    each -> each.anonymousBytes / 1e9);
            new FactorTable<>(figures, jdk, "JDK " + jdk, NativePeer.NATIVE, new NativePeer[] {
                        NativePeer.NATIVE_BY_ELEMENT, NativePeer.NATIVE_ON_HEAP
                    })
                    .appendMedians(
                            text,
                            "processor time of the executors without what makes native programs fast, later runs",
                            "native, s",
                            each -> afterFirst(each.cpuSeconds));
            recovery(text, figures, jdk);
            details(text, figures, jdk);
        }
        return text.toString();
    }

    /** How long the run in which an executor was killed took, compared with the one before. */
    private static void recovery(StringBuilder text, SparkFigures figures, String jdk) {
        List<String> workloads = figures.workloads(jdk).stream()
                .filter(workload ->
                        !figures.timed(jdk, workload, NativePeer.NATIVE_KILLED).isEmpty())
                .toList();
        if (workloads.isEmpty()) {
            return;
        }
        text.append("\n### JDK ").append(jdk).append(": elapsed time of a run in which an executor is killed\n\n");
        text.append("| job | native, of the run before | Scala, Kryo, of the run before |\n|---|--:|--:|\n");
        for (String workload : workloads) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s |%n",
                    figures.title(workload),
                    recovery(figures.timed(jdk, workload, NativePeer.NATIVE_KILLED)),
                    recovery(figures.timed(jdk, workload, NativePeer.RDD_KRYO_KILLED))));
        }
    }

    private static String recovery(List<Application> timed) {
        return timed.isEmpty()
                ? "-"
                : String.format(Locale.ROOT, "%.2fx", SparkFigures.median(timed, each -> {
                    int last = each.wallSeconds.size() - 1;
                    return each.wallSeconds.get(last) / each.wallSeconds.get(last - 1);
                }));
    }

    private static void details(StringBuilder text, SparkFigures figures, String jdk) {
        text.append("\n### JDK ").append(jdk).append(": all\n\n");
        text.append(
                "| job | | CPU of executors, s: first run | later runs | spread | elapsed, s: first run | later runs |"
                        + " shuffle, MB | peak memory, GB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : figures.workloads(jdk)) {
            for (NativePeer peer : figures.peers(jdk, workload, NativePeer.ordinary())) {
                List<Application> timed = figures.timed(jdk, workload, peer);
                text.append("| ")
                        .append(figures.title(workload))
                        .append(" | ")
                        .append(peer.title())
                        .append(" | ");
                if (timed.isEmpty()) {
                    text.append(figures.failure(jdk, workload, peer).orElse("-"))
                            .append(" | | | | | | |\n");
                    continue;
                }
                text.append(String.format(
                        Locale.ROOT,
                        "%.1f | %.1f | %s | %.1f | %.1f | %.0f | %.2f |%n",
                        SparkFigures.median(timed, each -> each.cpuSeconds.get(0)),
                        SparkFigures.median(timed, each -> afterFirst(each.cpuSeconds)),
                        spread(timed),
                        SparkFigures.median(timed, each -> each.wallSeconds.get(0)),
                        SparkFigures.median(timed, each -> afterFirst(each.wallSeconds)),
                        SparkFigures.median(timed, each -> (double) each.shuffleBytes / each.times / 1e6),
                        SparkFigures.median(timed, each -> each.anonymousBytes / 1e9)));
            }
        }
    }

    private static String spread(List<Application> timed) {
        double spread = SparkFigures.spread(timed, each -> afterFirst(each.cpuSeconds));
        return Double.isNaN(spread) ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * spread);
    }

    /** The mean of all but the first. */
    private static double afterFirst(List<Double> values) {
        return values.stream()
                .skip(1)
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(Double.NaN);
    }
}
