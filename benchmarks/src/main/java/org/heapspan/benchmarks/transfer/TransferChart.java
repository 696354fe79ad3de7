package org.heapspan.benchmarks.transfer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.LineChart;
import org.heapspan.benchmarks.data.SizedSet;

/**
 * One SVG for each channel: a row of panels for each data set, in it latency, time and processor time, nanoseconds for each element over the number of elements.
 */
final class TransferChart {
    private record Measure(String title, ToDoubleFunction<TransferFigure> value) {}

    private static final List<Measure> MEASURES = List.of(
            new Measure("latency", TransferFigure::latency),
            new Measure("time of a stream", TransferFigure::time),
            new Measure("processor time", TransferFigure::processor));

    private TransferChart() {}

    static String fileName(String channel) {
        return "transfer-" + channel + ".svg";
    }

    static String of(TransferFigures figures, String channel) {
        Map<String, String> titles = new LinkedHashMap<>();
        for (String carrier : Carrier.NAMES) {
            if (figures.sets().stream().anyMatch(set -> figures.carriers(set).contains(carrier))) {
                titles.put(carrier, Carrier.title(carrier));
            }
        }
        LineChart chart = new LineChart(
                "From JVM to JVM over " + TransferTables.title(channel),
                "Nanoseconds for each element over the number of elements in a message, medians; lower is better. Both axes logarithmic.",
                MEASURES.size(),
                figures.sets().size(),
                titles);
        for (String set : figures.sets()) {
            for (Measure measure : MEASURES) {
                List<LineChart.Point> points = new ArrayList<>();
                for (String carrier : figures.carriers(set)) {
                    for (int elements : figures.elements()) {
                        figures.find(channel, set, carrier, elements)
                                .ifPresent(figure -> points.add(new LineChart.Point(
                                        carrier, elements, measure.value.applyAsDouble(figure) / elements)));
                    }
                }
                chart.panel(new SizedSet(set, 1).title() + ": " + measure.title, points);
            }
        }
        return chart.svg();
    }
}
