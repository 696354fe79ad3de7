package org.heapspan.spark.tab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.spark.broadcast.BroadcastSharing;
import org.heapspan.spark.cache.CacheInstallation;
import org.heapspan.spark.estimate.EstimatorInstallation;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.ExecutorReport.Fact;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.SerializationTotals.Executor;
import org.heapspan.spark.report.SerializationTotals.Snapshot;

/** The part of the tab that tells which parts of Heapspan are on, and why others are not. */
final class PartsSection {
    /** Where the driver has decided for all. */
    private static final String ALL = "all";

    /** Parts that each JVM has by itself. */
    private static final List<String> OF_EACH =
            List.of(EstimatorInstallation.NAME, BroadcastSharing.NAME, CacheInstallation.NAME);

    private static final int MOST_EXECUTORS_NAMED = 10;

    private PartsSection() {}

    static void write(Html html, List<Part> ofAll, Snapshot snapshot) {
        Map<Fact, List<String>> parts = parts(ofAll, snapshot);
        TabTable table = TabTable.begin(
                html,
                "heapspan-parts",
                "Parts (" + parts.size() + ")",
                "The parts of Heapspan in this application. If a part is off, Spark uses its own.",
                List.of(
                        "Part",
                        "of Heapspan",
                        "State",
                        "on or off",
                        "Why",
                        "it is off, or what it works with",
                        "Executors",
                        "which executors it is so on"));
        parts.forEach((part, executors) -> table.row()
                .cell(part.subject())
                .cell(part.state())
                .cell(part.why())
                .cell(text(executors))
                .endRow());
        table.end();
    }

    private static String text(List<String> executors) {
        int more = executors.size() - MOST_EXECUTORS_NAMED;
        return more <= 0
                ? String.join(", ", executors)
                : String.join(", ", executors.subList(0, MOST_EXECUTORS_NAMED)) + " and " + more + " more";
    }

    static List<Map<String, Object>> json(List<Part> ofAll, Snapshot snapshot) {
        List<Map<String, Object>> json = new ArrayList<>();
        parts(ofAll, snapshot).forEach((part, executors) -> {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("part", part.subject());
            object.put("state", part.state());
            object.put("why", part.why());
            object.put("executors", executors);
            json.add(object);
        });
        return json;
    }

    /** Each with the executors of which it holds; executors that are as others are named together. */
    private static Map<Fact, List<String>> parts(List<Part> ofAll, Snapshot snapshot) {
        Map<Fact, List<String>> parts = new LinkedHashMap<>();
        for (Part part : ofAll) {
            parts.put(part.fact(), List.of(ALL));
        }
        for (Executor executor : snapshot.executors()) {
            ExecutorReport report = executor.report();
            if (report != null && executor.end() == null) {
                for (String part : OF_EACH) {
                    Fact fact = report.fact(part);
                    if (!fact.state().equals(ExecutorReport.UNKNOWN)) {
                        parts.computeIfAbsent(fact, any -> new ArrayList<>()).add(executor.id());
                    }
                }
            }
        }
        return parts;
    }
}
