package org.heapspan.benchmarks.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.benchmarks.spark.SparkStartUpFigures.Figures;
import org.heapspan.benchmarks.spark.SparkStartUpReport.Kind;

/** The figures of {@link SparkStartUpReport} as Markdown. */
final class StartUpTables {
    /** A line of a table. */
    private record Line(String title, ToDoubleFunction<Figures> figure) {}

    private static final List<Line> OF_START = List.of(
            new Line("making a SparkContext, s", figures -> figures.context),
            new Line("from there to the last executor, s", figures -> figures.executors),
            new Line("from there to the result of a first small query, s", figures -> figures.firstQuery),
            new Line("all that, with the start of the driver's JVM, s", figures -> figures.whole),
            new Line("processor time of the driver until then, s", figures -> figures.driverCpu),
            new Line("processor time of both executors until then, s", figures -> figures.executorsCpu));

    private static final List<Line> OF_QUERIES = List.of(
            new Line("processor time of both executors, s", figures -> figures.queryCpu),
            new Line("time, s", figures -> figures.queryWall));

    private StartUpTables() {}

    /** In one line. */
    static String describe(Figures figures) {
        return String.format(
                Locale.ROOT,
                "context %.2f s, whole start %.2f s, CPU %.2f s driver, %.2f s executors; queries %.2f s CPU, %.2f s wall",
                figures.context,
                figures.whole,
                figures.driverCpu,
                figures.executorsCpu,
                figures.queryCpu,
                figures.queryWall);
    }

    static String of(SparkStartUpFigures figures) {
        Map<Kind, List<Figures>> started = figures.started;
        Map<Kind, List<Figures>> queried = figures.queried;
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run)));
        text.append(
                "* Medians, ± half the distance from the least to the greatest; differences are medians of those of neighbours in"
                        + " turns\n");
        if (!started.isEmpty()) {
            text.append(String.format(
                    "%nStart of an application, %d of each kind:%n%n",
                    started.get(Kind.STOCK).size()));
            table(text, OF_START, started, false);
        }
        if (!queried.isEmpty()) {
            text.append(String.format(
                    "%n%d queries over rows after %d that are not counted, in %d applications of each kind:%n%n",
                    figures.times, figures.warmUp, queried.get(Kind.STOCK).size()));
            table(text, OF_QUERIES, queried, true);
        }
        return text.toString();
    }

    private static void table(StringBuilder text, List<Line> lines, Map<Kind, List<Figures>> all, boolean relative) {
        List<Kind> others = all.keySet().stream()
                .filter(kind -> kind != Kind.STOCK)
                .sorted()
                .toList();
        text.append("| | ").append(Kind.STOCK.title()).append(" |");
        others.forEach(kind -> text.append(' ').append(kind.title()).append(" | difference |"));
        text.append("\n|---|--:|").append("--:|--:|".repeat(others.size())).append('\n');
        for (Line line : lines) {
            double[] stock = values(all.get(Kind.STOCK), line);
            text.append("| ")
                    .append(line.title())
                    .append(" | ")
                    .append(text(stock))
                    .append(" |");
            for (Kind kind : others) {
                double[] values = values(all.get(kind), line);
                text.append(' ').append(text(values)).append(" | ");
                text.append(difference(stock, values, relative)).append(" |");
            }
            text.append('\n');
        }
    }

    private static double[] values(List<Figures> figures, Line line) {
        return figures.stream().mapToDouble(line.figure()).toArray();
    }

    private static String text(double[] values) {
        return String.format(Locale.ROOT, "%.2f ±%.2f", Statistics.median(values), halfRange(values));
    }

    /** Of values that were measured one right after the other. */
    private static String difference(double[] stock, double[] values, boolean relative) {
        double[] differences = IntStream.range(0, Math.min(stock.length, values.length))
                .mapToDouble(i -> (values[i] - stock[i]) / (relative ? stock[i] / 100 : 0.001))
                .toArray();
        return String.format(
                Locale.ROOT,
                relative ? "%+.1f ±%.1f %%" : "%+.0f ±%.0f ms",
                Statistics.median(differences),
                halfRange(differences));
    }

    private static double halfRange(double[] values) {
        return (Arrays.stream(values).max().orElse(0)
                        - Arrays.stream(values).min().orElse(0))
                / 2;
    }
}
