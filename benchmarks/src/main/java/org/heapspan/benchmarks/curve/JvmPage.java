package org.heapspan.benchmarks.curve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.LineChart;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.curve.CurveFigures.Figure;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peers;

/** The figures of {@link JvmReport}: a plot, and as Markdown a table for each JDK and collector. */
final class JvmPage {
    private record Half(String title, Function<Figure, List<Double>> nanos, ToDoubleFunction<Figure> median) {}

    private static final List<Half> HALVES = List.of(
            new Half("encode", figure -> figure.encode, Figure::encodeNanos),
            new Half("decode", figure -> figure.decode, Figure::decodeNanos));

    private JvmPage() {}

    /** Writes the plot; returns tables and plot. */
    static Rendered write(JvmReport.OfJvms figures, Path folder) throws IOException {
        if (figures.jvms.isEmpty()) {
            return new Rendered("", List.of());
        }
        StringBuilder text = new StringBuilder(RunNote.markdown(
                figures.jvms.values().stream().map(CurveFigures::run).toList()));
        Path plot = Files.writeString(folder.resolve("curves-jvms.svg"), encodeChart(figures));
        text.append(
                "\n![Time to encode over the number of elements, on each JDK and collector](plots/curves-jvms.svg)\n");
        figures.jvms.forEach((jvm, ofJvm) -> table(text, jvm, ofJvm));
        return new Rendered(text.toString(), List.of(plot));
    }

    /** A column for each JDK and collector, a row for each kind of object. */
    private static String encodeChart(JvmReport.OfJvms figures) {
        List<String> sets = figures.jvms.values().stream()
                .flatMap(ofJvm -> ofJvm.sets().stream())
                .distinct()
                .toList();
        Map<String, String> titles = new LinkedHashMap<>();
        figures.jvms.values().forEach(ofJvm -> ofJvm.peers().forEach(peer -> titles.put(peer, Peers.title(peer))));
        LineChart chart = new LineChart(
                "Encode, on each JDK and collector",
                "Nanoseconds for each element, over the number of elements: medians of all JVMs; lower is better. Both axes logarithmic.",
                figures.jvms.size(),
                sets.size(),
                titles);
        for (String set : sets) {
            figures.jvms.forEach((jvm, ofJvm) -> chart.panel(
                    new SizedSet(set, 1).title() + ", " + jvm, CurvePage.byElements(ofJvm, set, Figure::encodeNanos)));
        }
        return chart.svg();
    }

    private static void table(StringBuilder text, String jvm, CurveFigures figures) {
        List<String> rivals = figures.peers().stream()
                .filter(peer -> !peer.equals(CurvePage.HEAPSPAN))
                .toList();
        text.append("\n### ").append(jvm).append("\n\n| object | elements |");
        for (Half half : HALVES) {
            text.append(' ').append(half.title).append(": Heapspan, ns | between JVMs |");
            rivals.forEach(rival -> text.append(' ').append(Peers.title(rival)).append(" |"));
        }
        text.append("\n|---|--:|")
                .append("--:|".repeat(HALVES.size() * (2 + rivals.size())))
                .append('\n');
        for (String set : figures.sets()) {
            for (int elements : figures.elements(set)) {
                text.append("| ").append(new SizedSet(set, 1).title());
                text.append(String.format(Locale.ROOT, " | %,d |", elements));
                Optional<Figure> own = figures.find(set, CurvePage.HEAPSPAN, elements, 1);
                for (Half half : HALVES) {
                    text.append(own.map(figure -> own(half, figure, elements)).orElse(" - | - |"));
                    for (String rival : rivals) {
                        Optional<Figure> other = figures.find(set, rival, elements, 1);
                        text.append(' ')
                                .append(own.isEmpty() ? "-" : CurvePage.factor(half.median, own.get(), other))
                                .append(" |");
                    }
                }
                text.append('\n');
            }
        }
    }

    private static String own(Half half, Figure figure, int elements) {
        return String.format(
                Locale.ROOT,
                " %,.1f | ±%.0f %% |",
                half.median.applyAsDouble(figure) / elements,
                100 * Figure.spreadOfJvms(half.nanos.apply(figure)));
    }
}
