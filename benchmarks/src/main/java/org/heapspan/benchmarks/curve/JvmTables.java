package org.heapspan.benchmarks.curve;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.curve.CurveFigures.Figure;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peers;

/** The figures of {@link JvmReport} as Markdown: a table for each JDK and collector. */
final class JvmTables {
    private record Half(String title, Function<Figure, List<Double>> nanos, ToDoubleFunction<Figure> median) {}

    private static final List<Half> HALVES = List.of(
            new Half("encode", figure -> figure.encode, Figure::encodeNanos),
            new Half("decode", figure -> figure.decode, Figure::decodeNanos));

    private JvmTables() {}

    static String of(JvmReport.OfJvms figures) {
        if (figures.jvms.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(RunNote.markdown(
                figures.jvms.values().stream().map(CurveFigures::run).toList()));
        figures.jvms.forEach((jvm, ofJvm) -> table(text, jvm, ofJvm));
        return text.toString();
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
