package org.heapspan.benchmarks.curve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.LineChart;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.benchmarks.curve.CurveFigures.Figure;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peers;

/** The tables and plots of a report. */
final class CurvePage {
    static final String HEAPSPAN = "heapspan";

    private record Measure(String title, ToDoubleFunction<Figure> value, ToDoubleFunction<Figure> spread) {}

    private static final Measure ENCODE =
            new Measure("encode", Figure::encodeNanos, figure -> Figure.spread(figure.encode));

    private static final Measure DECODE =
            new Measure("decode", Figure::decodeNanos, figure -> Figure.spread(figure.decode));

    private static final Measure SUM = new Measure(
            "encode and decode",
            Figure::sumNanos,
            figure -> Math.max(ENCODE.spread.applyAsDouble(figure), DECODE.spread.applyAsDouble(figure)));

    private static final Measure BYTES = new Measure("bytes", figure -> figure.sizeBytes, figure -> 0);

    private static final List<Measure> TIMES = List.of(ENCODE, DECODE);
    private static final List<Measure> PLOTTED = List.of(ENCODE, DECODE, BYTES);

    private final CurveFigures figures;

    CurvePage(CurveFigures figures) {
        this.figures = figures;
    }

    /** Writes plots; returns tables and plots. */
    Rendered write(Path folder) throws IOException {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run())));
        Path elements = Files.writeString(folder.resolve("curves-elements.svg"), elementsChart());
        Path threads = Files.writeString(folder.resolve("curves-threads.svg"), threadsChart());
        text.append("\n![Encode, decode and bytes over the number of elements](plots/curves-elements.svg)\n");
        for (String set : figures.sets()) {
            byElements(text, set);
        }
        text.append("\n![Encode and decode over threads](plots/curves-threads.svg)\n");
        for (String set : figures.sets()) {
            byThreads(text, set);
        }
        return new Rendered(text.toString(), List.of(elements, threads));
    }

    private Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        figures.peers().forEach(peer -> titles.put(peer, Peers.title(peer)));
        return titles;
    }

    private String elementsChart() {
        LineChart chart = new LineChart(
                "Over the number of elements of an object",
                "Nanoseconds and bytes for each element, medians; lower is better. Both axes logarithmic.",
                PLOTTED.size(),
                figures.sets().size(),
                titles());
        for (String set : figures.sets()) {
            for (Measure measure : PLOTTED) {
                chart.panel(title(set) + ": " + measure.title, byElements(figures, set, measure.value));
            }
        }
        return chart.svg();
    }

    /** What each peer takes for one element, over the number of elements. */
    static List<LineChart.Point> byElements(CurveFigures figures, String set, ToDoubleFunction<Figure> value) {
        List<LineChart.Point> points = new ArrayList<>();
        for (String peer : figures.peers()) {
            for (int elements : figures.elements(set)) {
                figures.find(set, peer, elements, 1)
                        .ifPresent(figure -> points.add(
                                new LineChart.Point(peer, elements, value.applyAsDouble(figure) / elements)));
            }
        }
        return points;
    }

    private String threadsChart() {
        LineChart chart = new LineChart(
                "Over threads, each with an object of its own",
                "Nanoseconds between the ends of two calls, whichever thread makes them, medians; lower is better. Both axes logarithmic.",
                2,
                figures.sets().size(),
                titles());
        for (String set : figures.sets()) {
            for (Measure measure : TIMES) {
                List<LineChart.Point> points = new ArrayList<>();
                for (String peer : figures.peers()) {
                    for (Figure figure : figures.byThreads(set, peer)) {
                        points.add(new LineChart.Point(peer, figure.threads, measure.value.applyAsDouble(figure)));
                    }
                }
                chart.panel(title(set) + ": " + measure.title, points);
            }
        }
        return chart.svg();
    }

    private static String title(String set) {
        return new SizedSet(set, 1).title();
    }

    private void byElements(StringBuilder text, String set) {
        text.append("\n### ").append(title(set)).append(", by the number of elements\n");
        for (Measure measure : TIMES) {
            text.append("\nTo ").append(measure.title);
            text.append(
                    " one element: nanoseconds of Heapspan, and their spread; the others as multiples of them.\n\n");
            head(text, "elements", measure.equals(ENCODE) ? "bytes, Heapspan : Fory with references" : "");
            for (int elements : figures.elements(set)) {
                Optional<Figure> own = figures.find(set, HEAPSPAN, elements, 1);
                text.append(String.format(Locale.ROOT, "| %,d |", elements));
                row(text, measure, own, elements, peer -> figures.find(set, peer, elements, 1));
                text.append(measure.equals(ENCODE) ? bytes(own, figures.find(set, "fory-refs", elements, 1)) : "\n");
            }
        }
    }

    /** How much longer an image is than the bytes of another peer. */
    private static String bytes(Optional<Figure> own, Optional<Figure> other) {
        return own.isPresent() && other.isPresent() && other.get().sizeBytes > 0
                ? String.format(Locale.ROOT, " %.2f |%n", (double) own.get().sizeBytes / other.get().sizeBytes)
                : " - |\n";
    }

    private void byThreads(StringBuilder text, String set) {
        List<Figure> own = figures.byThreads(set, HEAPSPAN);
        if (own.isEmpty()) {
            return;
        }
        text.append("\n### ").append(title(set));
        text.append(String.format(Locale.ROOT, " of %,d elements, by threads%n%n", own.get(0).elements));
        text.append(
                "Calls of all threads together, encode and decode: nanoseconds of Heapspan for each element, the others as multiples of it.\n\n");
        head(text, "threads", "faster than one thread");
        for (Figure figure : own) {
            text.append("| ").append(figure.threads).append(" |");
            row(
                    text,
                    SUM,
                    Optional.of(figure),
                    figure.elements,
                    peer -> figures.find(set, peer, figure.elements, figure.threads));
            text.append(String.format(Locale.ROOT, " %.2fx |%n", own.get(0).sumNanos() / figure.sumNanos()));
        }
    }

    /** The head of a table; the last column is left out if it has no title. */
    private void head(StringBuilder text, String first, String last) {
        text.append("| ").append(first).append(" | Heapspan, ns | spread |");
        figures.peers().stream()
                .filter(peer -> !peer.equals(HEAPSPAN))
                .forEach(peer -> text.append(' ').append(Peers.title(peer)).append(" |"));
        if (!last.isEmpty()) {
            text.append(' ').append(last).append(" |");
        }
        text.append("\n|--:|--:|--:|");
        text.append("--:|".repeat(figures.peers().size() - (last.isEmpty() ? 1 : 0)))
                .append('\n');
    }

    private interface Find {
        Optional<Figure> of(String peer);
    }

    private void row(StringBuilder text, Measure measure, Optional<Figure> own, int elements, Find find) {
        text.append(own.filter(figure -> figure.remark.isEmpty())
                .map(figure -> String.format(
                        Locale.ROOT,
                        " %,.1f | ±%.0f %% |",
                        measure.value.applyAsDouble(figure) / elements,
                        100 * measure.spread.applyAsDouble(figure)))
                .orElse(" - | |"));
        for (String peer : figures.peers()) {
            if (!peer.equals(HEAPSPAN)) {
                text.append(' ').append(factor(measure, own, find.of(peer))).append(" |");
            }
        }
    }

    private static String factor(Measure measure, Optional<Figure> own, Optional<Figure> other) {
        return own.isEmpty() ? "-" : factor(measure.value, own.get(), other);
    }

    /** How many times as long another peer takes; bold if it takes less. */
    static String factor(ToDoubleFunction<Figure> value, Figure own, Optional<Figure> other) {
        if (other.isEmpty()) {
            return "-";
        }
        if (!other.get().remark.isEmpty()) {
            return other.get().remark;
        }
        return Statistics.factor(value.applyAsDouble(other.get()) / value.applyAsDouble(own));
    }
}
