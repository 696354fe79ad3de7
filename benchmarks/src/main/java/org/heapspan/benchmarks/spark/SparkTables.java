package org.heapspan.benchmarks.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.heapspan.benchmarks.MachineNote;
import org.heapspan.benchmarks.spark.SparkFigures.Application;

/** The figures of whole applications as Markdown. */
final class SparkTables {
    private SparkTables() {}

    static String of(SparkFigures figures) {
        StringBuilder text = new StringBuilder();
        machines(text, figures.jobsByMachine());
        for (String jdk : figures.jdks()) {
            FactorTable<SparkPeer> table = new FactorTable<>(figures, jdk, SparkPeer.HEAPSPAN, SparkPeer.values());
            table.appendMedians(
                    text,
                    "processor time of the executors against Heapspan's",
                    "Heapspan, CPU s",
                    run -> run.executorCpuSeconds);
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

    /**
     * The lines of all notes, then what is different between them, with the jobs that were measured then. How busy the machine was
     * makes no difference, but is said.
     */
    static void machines(StringBuilder text, Map<List<String>, Set<String>> jobs) {
        Map<List<String>, Set<String>> alike = new LinkedHashMap<>();
        Map<List<String>, NavigableSet<Double>> loads = new HashMap<>();
        jobs.forEach((note, titles) -> {
            List<String> still = note.stream().map(MachineNote::withoutLoad).toList();
            alike.computeIfAbsent(still, any -> new LinkedHashSet<>()).addAll(titles);
            NavigableSet<Double> own = loads.computeIfAbsent(still, any -> new TreeSet<>());
            note.forEach(line -> MachineNote.load(line).ifPresent(own::add));
        });
        List<String> common = new ArrayList<>();
        alike.keySet().stream().limit(1).forEach(common::addAll);
        alike.keySet().forEach(common::retainAll);
        common.forEach(line -> text.append("* ").append(line).append('\n'));
        alike.forEach((note, titles) -> {
            List<String> own = new ArrayList<>(note);
            own.removeAll(common);
            NavigableSet<Double> load = loads.getOrDefault(note, Collections.emptyNavigableSet());
            if (!load.isEmpty()) {
                own.add("load average at the start " + (load.size() == 1 ? "" : load.first() + " to ") + load.last());
            }
            if (!own.isEmpty()) {
                text.append("* ").append(String.join("; ", own)).append(" (");
                text.append(String.join(", ", titles)).append(")\n");
            }
        });
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
