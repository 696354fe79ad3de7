package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.RunNote;

/** The figures of whole applications as Markdown. */
final class SparkTables {
    private SparkTables() {}

    static String of(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        head(text, figures);
        for (String jdk : figures.jdks()) {
            FactorTable<SparkPeer> table = factors(figures, jdk, "JDK " + jdk);
            processorTimes(text, table);
            table.append(
                    text,
                    "processor time of serialization against Heapspan's",
                    "Heapspan, CPU s",
                    (workload, peer) -> figures.serializationSeconds(jdk, workload, peer));
            text.append("\n### JDK ").append(jdk).append(": all figures\n\n");
            details(text, figures, jdk);
        }
        return text.toString();
    }

    /** What was measured of groups. */
    static String ofGroups(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        head(text, figures);
        for (String jdk : figures.jdks()) {
            processorTimes(text, factors(figures, jdk, "JDK " + jdk + ", groups and joins"));
            text.append('\n');
            details(text, figures, jdk);
        }
        return text.toString();
    }

    private static FactorTable<SparkPeer> factors(SparkFigures figures, String jdk, String heading) {
        return new FactorTable<>(figures, jdk, heading, SparkPeer.HEAPSPAN, SparkPeer.values());
    }

    private static void processorTimes(StringBuilder text, FactorTable<SparkPeer> table) {
        table.appendMedians(
                text,
                "processor time of the executors against Heapspan's",
                "Heapspan, CPU s",
                run -> run.executorCpuSeconds);
        table.appendMedians(
                text, "processor time of the tasks against Heapspan's", "Heapspan, CPU s", run -> run.taskCpuSeconds);
    }

    /** Processor time, bytes that were shuffled, and what heaps hold at the end. */
    static String ofKeys(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        head(text, figures);
        for (String jdk : figures.jdks()) {
            text.append("""

                    | Serializer | Runs | CPU of executors, s | Wall, s | Shuffled, MB | Java heap of the executors at the end, MB |
                    |---|--:|--:|--:|--:|--:|
                    """);
            for (String workload : figures.workloads(jdk)) {
                for (SparkPeer peer : figures.peers(jdk, workload, SparkPeer.values())) {
                    List<Application> runs = figures.timed(jdk, workload, peer);
                    text.append(String.format(
                            Locale.ROOT,
                            "| %s | %d | %s | %s | %s | %s |%n",
                            peer.title(),
                            runs.size(),
                            seconds(SparkFigures.median(runs, run -> run.executorCpuSeconds)),
                            seconds(SparkFigures.median(runs, Application::wall)),
                            megabytes(SparkFigures.median(runs, run -> run.shuffleBytes)),
                            megabytes(SparkFigures.median(runs, run -> run.heapBytes))));
                }
                differences(text, figures, jdk, workload, " | | | | | |");
            }
        }
        return text.toString();
    }

    /** What was another way than the page describes, then the notes of all runs. */
    static void head(StringBuilder text, SparkFigures figures) {
        text.append(RunNote.methods(figures.runs())).append(RunNote.markdown(figures.runs()));
    }

    private static void details(StringBuilder text, SparkFigures figures, String jdk) {
        text.append(
                "| job | data × times | serializer | runs | CPU of executors, s | spread | wall, s | GC, s | serialization, CPU s | shuffle, MB |"
                        + " spilled, MB |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : figures.workloads(jdk)) {
            for (SparkPeer peer : figures.peers(jdk, workload, SparkPeer.values())) {
                List<Application> runs = figures.timed(jdk, workload, peer);
                text.append("| ")
                        .append(figures.title(workload))
                        .append(" | ")
                        .append(figures.work(jdk, workload))
                        .append(" | ")
                        .append(peer.title())
                        .append(" | ");
                if (runs.isEmpty()) {
                    text.append(figures.failure(jdk, workload, peer).orElse("not timed"))
                            .append(" | | | | | | | |\n");
                    continue;
                }
                text.append(String.format(
                        Locale.ROOT,
                        "%d | %s | %s | %s | %s | %s | %s | %s |%n",
                        runs.size(),
                        seconds(SparkFigures.median(runs, run -> run.executorCpuSeconds)),
                        percent(SparkFigures.spread(runs, run -> run.executorCpuSeconds)),
                        seconds(SparkFigures.median(runs, Application::wall)),
                        seconds(SparkFigures.median(runs, run -> run.collectorSeconds)),
                        serialization(figures, jdk, workload, peer),
                        megabytes(SparkFigures.median(runs, run -> run.shuffleBytes)),
                        megabytes(SparkFigures.median(runs, run -> run.spilledBytes))));
            }
            differences(text, figures, jdk, workload, " | | | | | | | | | |");
        }
    }

    /** A line that says so where contenders had other results; ended by empty cells. */
    static void differences(StringBuilder text, SparkFigures figures, String jdk, String workload, String end) {
        List<String> results = figures.results(jdk, workload);
        if (results.size() > 1) {
            text.append("| ").append(figures.title(workload)).append(" | **RESULTS DIFFER**: ");
            text.append(String.join(" / ", results)).append(end).append('\n');
        }
    }

    /** Processor time in a serializer, and which share of that of tasks it is. */
    static String serialization(SparkFigures figures, String jdk, String workload, Contender peer) {
        return figures.sampled(jdk, workload, peer)
                .map(sampled -> String.format(
                        Locale.ROOT,
                        "%.1f (%.0f %%)",
                        figures.serializationSeconds(jdk, workload, peer),
                        100 * sampled.serializationShare))
                .orElse("-");
    }

    static double cpu(SparkFigures figures, String jdk, String workload, SparkPeer peer) {
        return SparkFigures.median(figures.timed(jdk, workload, peer), run -> run.executorCpuSeconds);
    }

    static String seconds(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
    }

    static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "±%.0f %%", 100 * share);
    }

    static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%.0f", bytes / 1e6);
    }
}
