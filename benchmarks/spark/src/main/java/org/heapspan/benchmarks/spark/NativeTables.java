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
            FactorTable<NativePeer> table = tableOf(figures, jdk);
            laterRuns(text, table, "");
            table.appendMedians(
                    text, "processor time of the executors, first run", "native, s", each -> each.cpuSeconds.get(0));
            table.appendMedians(text, "elapsed time, first run", "native, s", each -> each.wallSeconds.get(0));
            memory(text, table, "");
            new FactorTable<>(figures, jdk, "JDK " + jdk, NativePeer.NATIVE, new NativePeer[] {
                        NativePeer.NATIVE_BY_ELEMENT, NativePeer.NATIVE_ON_HEAP
                    })
                    .appendMedians(
                            text,
                            "processor time of the executors without what makes native programs fast, later runs",
                            "native, s",
                            each -> afterFirst(each.cpuSeconds));
            trouble(text, figures, jdk, "killed", NativePeer.NATIVE_KILLED, NativePeer.RDD_KRYO_KILLED);
            trouble(text, figures, jdk, "slow", NativePeer.NATIVE_SLOWED, NativePeer.RDD_KRYO_SLOWED);
            thrill(text, figures, jdk);
            PlainTable.append(text, figures, jdk, workloads(figures, jdk, NativePeer.PLAIN));
            details(text, figures, jdk);
        }
        return text.toString();
    }

    /** What was measured with more data. */
    static String ofSizes(SparkFigures figures) {
        StringBuilder text = new StringBuilder(RunNote.markdown(figures.runs()));
        for (String jdk : figures.jdks()) {
            FactorTable<NativePeer> table = tableOf(figures, jdk);
            laterRuns(text, table, "more data, ");
            memory(text, table, "more data, ");
            thrill(text, figures, jdk);
            PlainTable.append(text, figures, jdk, workloads(figures, jdk, NativePeer.PLAIN));
        }
        return text.toString();
    }

    private static FactorTable<NativePeer> tableOf(SparkFigures figures, String jdk) {
        return new FactorTable<>(figures, jdk, "JDK " + jdk, NativePeer.NATIVE, NativePeer.ordinary());
    }

    private static void laterRuns(StringBuilder text, FactorTable<NativePeer> table, String what) {
        table.appendMedians(
                text,
                what + "processor time of the executors, later runs",
                "native, s",
                each -> afterFirst(each.cpuSeconds));
        table.appendMedians(text, what + "elapsed time, later runs", "native, s", each -> afterFirst(each.wallSeconds));
    }

    private static void memory(StringBuilder text, FactorTable<NativePeer> table, String what) {
        table.appendMedians(
                text,
                what + "peak memory of the executors without pages of files",
                "native, GB",
                each -> each.anonymousBytes / 1e9);
    }

    /** How long the last run took, in which an executor had trouble, compared with the run before. */
    private static void trouble(
            StringBuilder text, SparkFigures figures, String jdk, String what, NativePeer ours, NativePeer scala) {
        List<String> workloads = workloads(figures, jdk, ours);
        if (workloads.isEmpty()) {
            return;
        }
        text.append("\n### JDK ")
                .append(jdk)
                .append(": elapsed time of a run in which an executor is ")
                .append(what);
        text.append("\n\n| job |");
        for (NativePeer peer : List.of(ours, scala)) {
            text.append(' ')
                    .append(peer.title())
                    .append(", s: run before | ")
                    .append(what)
                    .append(" | longer |");
        }
        text.append("\n|---|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : workloads) {
            text.append("| ").append(figures.title(workload)).append(" |");
            for (NativePeer peer : List.of(ours, scala)) {
                List<Application> timed = figures.timed(jdk, workload, peer);
                double before = SparkFigures.median(timed, each -> fromEnd(each.wallSeconds, 2));
                double last = SparkFigures.median(timed, each -> fromEnd(each.wallSeconds, 1));
                text.append(
                        timed.isEmpty()
                                ? " - | - | - |"
                                : " %s | %s | %s |".formatted(tenths(before), tenths(last), tenths(last - before)));
            }
            text.append('\n');
        }
    }

    /** What Thrill takes, and the native programs with more and more of what Spark and its JVMs take besides. */
    private static void thrill(StringBuilder text, SparkFigures figures, String jdk) {
        List<String> workloads = workloads(figures, jdk, NativePeer.THRILL);
        if (workloads.isEmpty()) {
            return;
        }
        text.append("\n### JDK ").append(jdk).append(": Thrill\n\n");
        text.append(
                "| job | processor time, s: Thrill | native, later runs | first run | a run as an application of its own |"
                        + " elapsed, s: Thrill | native, later runs | first run |\n"
                        + "|---|--:|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : workloads) {
            List<Application> thrill = figures.timed(jdk, workload, NativePeer.THRILL);
            List<Application> ours = figures.timed(jdk, workload, NativePeer.NATIVE);
            text.append("| ").append(figures.title(workload)).append(" |");
            for (double seconds : new double[] {
                SparkFigures.median(thrill, each -> afterFirst(each.cpuSeconds)),
                SparkFigures.median(ours, each -> afterFirst(each.cpuSeconds)),
                SparkFigures.median(ours, each -> each.cpuSeconds.get(0)),
                SparkFigures.median(ours, NativeTables::ofOneRun),
                SparkFigures.median(thrill, each -> afterFirst(each.wallSeconds)),
                SparkFigures.median(ours, each -> afterFirst(each.wallSeconds)),
                SparkFigures.median(ours, each -> each.wallSeconds.get(0))
            }) {
                text.append(' ').append(tenths(seconds)).append(" |");
            }
            text.append('\n');
        }
    }

    /** Processor time of all processes of an application without that of the runs after the first. */
    private static double ofOneRun(Application application) {
        return application.wholeCpuSeconds == 0
                ? Double.NaN
                : application.wholeCpuSeconds
                        - application.cpuSeconds.stream()
                                .skip(1)
                                .mapToDouble(Double::doubleValue)
                                .sum();
    }

    private static List<String> workloads(SparkFigures figures, String jdk, NativePeer peer) {
        return figures.workloads(jdk).stream()
                .filter(workload -> !figures.timed(jdk, workload, peer).isEmpty())
                .toList();
    }

    private static double fromEnd(List<Double> values, int back) {
        return values.get(values.size() - back);
    }

    private static String tenths(double seconds) {
        return Double.isNaN(seconds) ? "-" : String.format(Locale.ROOT, "%.1f", seconds);
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
    static double afterFirst(List<Double> values) {
        return values.stream()
                .skip(1)
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(Double.NaN);
    }
}
