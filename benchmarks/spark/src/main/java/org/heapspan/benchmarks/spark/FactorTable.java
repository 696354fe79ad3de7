package org.heapspan.benchmarks.spark;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.Statistics;

/**
 * Tables of how many times as much of something the others take as one of the contenders does, as Markdown: a line a workload of which anyone has
 * the figure, what that one loses in bold.
 *
 * @param heading of all tables, before what each is of
 * @param all the contenders in the order of the columns
 */
record FactorTable<C extends Contender>(SparkFigures figures, String jdk, String heading, C reference, C[] all) {
    /** What a contender takes for a workload; not a number if that was not measured. */
    interface Figure {
        double of(String workload, Contender contender);
    }

    /** Appends that of the medians of timed applications. */
    void appendMedians(StringBuilder text, String title, String unit, ToDoubleFunction<Application> figure) {
        append(
                text,
                title,
                unit,
                (workload, contender) -> SparkFigures.median(figures.timed(jdk, workload, contender), figure));
    }

    /** Appends a heading and a table; nothing if nobody has a figure of any workload. */
    void append(StringBuilder text, String title, String unit, Figure figure) {
        List<String> workloads = figures.workloads(jdk).stream()
                .filter(workload ->
                        Arrays.stream(all).anyMatch(contender -> !Double.isNaN(figure.of(workload, contender))))
                .toList();
        if (workloads.isEmpty()) {
            return;
        }
        List<C> rivals = Arrays.stream(all)
                .filter(contender -> contender != reference)
                .filter(contender ->
                        workloads.stream().anyMatch(workload -> !Double.isNaN(figure.of(workload, contender))))
                .toList();
        text.append("\n### ").append(heading).append(": ").append(title).append("\n\n");
        text.append("| job | ").append(unit).append(" |");
        rivals.forEach(rival -> text.append(' ').append(rival.title()).append(" |"));
        text.append("\n|---|--:|").append("--:|".repeat(rivals.size())).append('\n');
        for (String workload : workloads) {
            text.append("| ").append(figures.title(workload)).append(" | ");
            text.append(SparkTables.seconds(figure.of(workload, reference))).append(" |");
            for (C rival : rivals) {
                text.append(' ')
                        .append(Statistics.factor(factor(figure, workload, rival)))
                        .append(" |");
            }
            text.append('\n');
        }
        text.append("| geometric mean | |");
        for (C rival : rivals) {
            double mean = workloads.stream()
                    .mapToDouble(workload -> factor(figure, workload, rival))
                    .filter(factor -> !Double.isNaN(factor))
                    .map(Math::log)
                    .average()
                    .orElse(Double.NaN);
            text.append(' ').append(Statistics.factor(Math.exp(mean))).append(" |");
        }
        text.append('\n');
    }

    private double factor(Figure figure, String workload, C rival) {
        return figure.of(workload, rival) / figure.of(workload, reference);
    }
}
