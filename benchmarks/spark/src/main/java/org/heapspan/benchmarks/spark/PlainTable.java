package org.heapspan.benchmarks.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** What programs take that are nothing but the job, and the tasks and executors of the native ones, as Markdown. */
final class PlainTable {
    private static final String HEADER = "| job | processor time, s: plain | tasks of native, later runs | |"
            + " executors of native, later runs | | elapsed, s: plain | native, later runs | |\n"
            + "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";

    /** A job: what it takes as a plain program, and as a native one. */
    private record Row(String title, double plain, double tasks, double executors, double elapsed, double ours) {
        String text() {
            return "| " + title + " | " + seconds(plain) + " | " + seconds(tasks) + " | " + factor(tasks / plain)
                    + " | " + seconds(executors) + " | " + factor(executors / plain) + " | " + seconds(elapsed) + " | "
                    + seconds(ours) + " | " + factor(ours / elapsed) + " |\n";
        }
    }

    private PlainTable() {}

    /** Appends a table of these workloads; nothing if there are none. */
    static void append(StringBuilder text, SparkFigures figures, String jdk, List<String> workloads) {
        if (workloads.isEmpty()) {
            return;
        }
        List<Row> rows = new ArrayList<>();
        for (String workload : workloads) {
            rows.add(row(figures, jdk, workload));
        }
        text.append("\n### JDK ").append(jdk).append(": plain C++\n\n").append(HEADER);
        rows.forEach(row -> text.append(row.text()));
        text.append("| geometric mean | | | ")
                .append(mean(rows.stream().mapToDouble(row -> row.tasks / row.plain)))
                .append(" | | ")
                .append(mean(rows.stream().mapToDouble(row -> row.executors / row.plain)))
                .append(" | | | ")
                .append(mean(rows.stream().mapToDouble(row -> row.ours / row.elapsed)))
                .append(" |\n");
    }

    private static Row row(SparkFigures figures, String jdk, String workload) {
        List<Application> plain = figures.timed(jdk, workload, NativePeer.PLAIN);
        List<Application> ours = figures.timed(jdk, workload, NativePeer.NATIVE);
        List<Application> withTasks = ours.stream()
                .filter(each -> !each.taskCpuSecondsOfRuns.isEmpty())
                .toList();
        return new Row(
                figures.title(workload),
                SparkFigures.median(plain, each -> NativeTables.afterFirst(each.cpuSeconds)),
                SparkFigures.median(withTasks, each -> NativeTables.afterFirst(each.taskCpuSecondsOfRuns)),
                SparkFigures.median(ours, each -> NativeTables.afterFirst(each.cpuSeconds)),
                SparkFigures.median(plain, each -> NativeTables.afterFirst(each.wallSeconds)),
                SparkFigures.median(ours, each -> NativeTables.afterFirst(each.wallSeconds)));
    }

    private static String mean(DoubleStream factors) {
        OptionalDouble logarithm =
                factors.filter(factor -> !Double.isNaN(factor)).map(Math::log).average();
        return logarithm.isPresent() ? factor(Math.exp(logarithm.getAsDouble())) : "-";
    }

    private static String seconds(double seconds) {
        return Double.isNaN(seconds) ? "-" : String.format(Locale.ROOT, "%.2f", seconds);
    }

    private static String factor(double factor) {
        return Double.isNaN(factor) ? "-" : String.format(Locale.ROOT, "%.2fx", factor);
    }
}
