package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.spark.SparkFigures.Application;

/** The figures of whole applications as Markdown. */
final class SparkTables {
    private SparkTables() {}

    static String of(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        figures.machine().forEach(line -> text.append("* ").append(line).append('\n'));
        for (String jdk : figures.jdks()) {
            text.append("\n### JDK ").append(jdk).append(": processor time of the executors against Heapspan's\n\n");
            summary(text, figures, jdk);
            text.append("\n### JDK ").append(jdk).append(": all figures\n\n");
            details(text, figures, jdk);
        }
        return text.toString();
    }

    /** How many times as much processor time the peers take as Heapspan: a line a workload, what Heapspan loses in bold. */
    private static void summary(StringBuilder text, SparkFigures figures, String jdk) {
        List<SparkPeer> rivals = figures.workloads(jdk).stream()
                .flatMap(workload -> figures.peers(jdk, workload).stream())
                .filter(peer -> peer != SparkPeer.HEAPSPAN)
                .distinct()
                .sorted()
                .toList();
        text.append("| job | Heapspan, CPU s |");
        rivals.forEach(rival -> text.append(' ').append(rival.title()).append(" |"));
        text.append("\n|---|--:|").append("--:|".repeat(rivals.size())).append('\n');
        double[] products = new double[rivals.size()];
        int[] counts = new int[rivals.size()];
        for (String workload : figures.workloads(jdk)) {
            double ours = cpu(figures, jdk, workload, SparkPeer.HEAPSPAN);
            text.append("| ")
                    .append(figures.title(workload))
                    .append(" | ")
                    .append(seconds(ours))
                    .append(" |");
            for (int i = 0; i < rivals.size(); i++) {
                double factor = cpu(figures, jdk, workload, rivals.get(i)) / ours;
                text.append(' ').append(factor(factor)).append(" |");
                if (!Double.isNaN(factor)) {
                    products[i] += Math.log(factor);
                    counts[i]++;
                }
            }
            text.append('\n');
        }
        text.append("| geometric mean | |");
        for (int i = 0; i < rivals.size(); i++) {
            text.append(' ')
                    .append(counts[i] == 0 ? "-" : factor(Math.exp(products[i] / counts[i])))
                    .append(" |");
        }
        text.append('\n');
    }

    private static void details(StringBuilder text, SparkFigures figures, String jdk) {
        text.append(
                "| job | serializer | runs | CPU of executors, s | spread | wall, s | GC, s | serialization, CPU s | shuffle, MB |"
                        + " spilled, MB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (String workload : figures.workloads(jdk)) {
            for (SparkPeer peer : figures.peers(jdk, workload)) {
                List<Application> runs = figures.timed(jdk, workload, peer);
                text.append("| ")
                        .append(figures.title(workload))
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
                        serialization(figures, jdk, workload, peer, runs),
                        megabytes(SparkFigures.median(runs, run -> run.shuffleBytes)),
                        megabytes(SparkFigures.median(runs, run -> run.spilledBytes))));
            }
            List<String> results = figures.results(jdk, workload);
            if (results.size() > 1) {
                text.append("| ").append(figures.title(workload)).append(" | **RESULTS DIFFER**: ");
                text.append(String.join(" / ", results)).append(" | | | | | | | | |\n");
            }
        }
    }

    /** Share of the samples times the processor time of tasks. */
    private static String serialization(
            SparkFigures figures, String jdk, String workload, SparkPeer peer, List<Application> runs) {
        return figures.sampled(jdk, workload, peer)
                .map(sampled -> String.format(
                        Locale.ROOT,
                        "%.1f (%.0f %%)",
                        sampled.serializationShare * SparkFigures.median(runs, run -> run.taskCpuSeconds),
                        100 * sampled.serializationShare))
                .orElse("-");
    }

    static double cpu(SparkFigures figures, String jdk, String workload, SparkPeer peer) {
        return SparkFigures.median(figures.timed(jdk, workload, peer), run -> run.executorCpuSeconds);
    }

    private static String factor(double factor) {
        if (Double.isNaN(factor)) {
            return "-";
        }
        String text = String.format(Locale.ROOT, "%.2fx", factor);
        return factor < 0.995 ? "**" + text + "**" : text;
    }

    private static String seconds(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "±%.0f %%", 100 * share);
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%.0f", bytes / 1e6);
    }
}
