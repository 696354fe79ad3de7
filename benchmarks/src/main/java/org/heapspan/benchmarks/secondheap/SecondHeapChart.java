package org.heapspan.benchmarks.secondheap;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.heapspan.benchmarks.LineDrawing;
import org.heapspan.benchmarks.LineDrawing.Scale;

/** Rows a second over the number of threads as an SVG: a panel for scans and one for appends. Both axes are logarithmic. */
final class SecondHeapChart {
    private static final int PANEL_WIDTH = 460;
    private static final int PANEL_HEIGHT = 300;
    private static final int LEFT = 60;
    private static final int HEADER = 110;
    private static final int MARGIN = 20;
    private static final int FOOTER = 50;

    private record Panel(String measure, String title) {}

    private static final List<Panel> PANELS =
            List.of(new Panel("scan, million rows/s", "scan"), new Panel("append, million rows/s", "append"));

    private final SecondHeapFigures figures;
    private final LineDrawing drawing = new LineDrawing(
            2 * MARGIN + PANELS.size() * (PANEL_WIDTH + MARGIN),
            HEADER + PANEL_HEIGHT + FOOTER,
            MARGIN,
            "Cached rows, by the number of threads",
            "Million rows a second, medians; higher is better. Both axes logarithmic.");

    private SecondHeapChart(SecondHeapFigures figures) {
        this.figures = figures;
    }

    static String of(SecondHeapFigures figures) {
        return new SecondHeapChart(figures).draw();
    }

    private String draw() {
        legend();
        for (int i = 0; i < PANELS.size(); i++) {
            panel(PANELS.get(i), MARGIN + i * (PANEL_WIDTH + MARGIN));
        }
        return drawing.svg();
    }

    private void legend() {
        int x = MARGIN;
        for (RowStore store : RowStore.values()) {
            x = drawing.legend(x, 0, stroke(store), store.title());
        }
    }

    private void panel(Panel panel, int x) {
        double[] values = List.of(RowStore.values()).stream()
                .flatMapToDouble(store -> SecondHeapFigures.THREADS.stream()
                        .map(threads -> figures.find(panel.measure, store.title(), threads))
                        .filter(OptionalDouble::isPresent)
                        .mapToDouble(OptionalDouble::getAsDouble))
                .sorted()
                .toArray();
        drawing.text(x, HEADER - 8, 14, "start", panel.title);
        if (values.length == 0) {
            return;
        }
        int bottom = HEADER + PANEL_HEIGHT;
        Scale up = new Scale(values[0], values[values.length - 1], bottom, HEADER + 10);
        int most = SecondHeapFigures.THREADS.get(SecondHeapFigures.THREADS.size() - 1);
        Scale across = new Scale(1, most, x + LEFT, x + PANEL_WIDTH - 10);
        drawing.powers(across, up, power -> String.format(Locale.ROOT, "%,.3g", power));
        for (int threads : SecondHeapFigures.THREADS) {
            drawing.grid(across.of(threads), bottom, across.of(threads), HEADER + 10);
            drawing.text((int) across.of(threads), bottom + 18, 11, "middle", Integer.toString(threads));
        }
        drawing.text((across.from() + across.to()) / 2, bottom + 38, 12, "middle", "threads");
        for (RowStore store : RowStore.values()) {
            String line = SecondHeapFigures.THREADS.stream()
                    .flatMap(threads -> figures.find(panel.measure, store.title(), threads).stream()
                            .mapToObj(value -> LineDrawing.point(across.of(threads), up.of(value))))
                    .collect(Collectors.joining(" "));
            if (!line.isEmpty()) {
                drawing.polyline(line, stroke(store));
            }
        }
    }

    private static String stroke(RowStore store) {
        return switch (store) {
            case SECOND_HEAP -> "stroke=\"#c2410c\" stroke-width=\"3\"";
            case COPY -> "stroke=\"#16a34a\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case COPY_INTO_NEW_ARRAYS -> "stroke=\"#15803d\" stroke-width=\"1.5\"";
            case KRYO_REGISTERED -> "stroke=\"#1d4ed8\" stroke-width=\"2\"";
            case KRYO -> "stroke=\"#60a5fa\" stroke-width=\"1.5\"";
            case JAVA -> "stroke=\"#a3a3a3\" stroke-width=\"1.5\"";
            case JAVA_HEAP -> "stroke=\"#334155\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
        };
    }
}
