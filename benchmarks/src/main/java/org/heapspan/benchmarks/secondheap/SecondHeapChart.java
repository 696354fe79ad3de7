package org.heapspan.benchmarks.secondheap;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

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
    private final StringBuilder svg = new StringBuilder();

    private SecondHeapChart(SecondHeapFigures figures) {
        this.figures = figures;
    }

    static String of(SecondHeapFigures figures) {
        return new SecondHeapChart(figures).draw();
    }

    private String draw() {
        int width = 2 * MARGIN + PANELS.size() * (PANEL_WIDTH + MARGIN);
        int height = HEADER + PANEL_HEIGHT + FOOTER;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                width,
                height,
                width,
                height));
        text(MARGIN, 32, 22, "start", "Cached rows, by the number of threads");
        text(MARGIN, 54, 13, "start", "Million rows a second, medians; higher is better. Both axes logarithmic.");
        legend();
        for (int i = 0; i < PANELS.size(); i++) {
            panel(PANELS.get(i), MARGIN + i * (PANEL_WIDTH + MARGIN));
        }
        return svg.append("</svg>\n").toString();
    }

    private void legend() {
        int x = MARGIN;
        for (RowStore store : RowStore.values()) {
            svg.append(String.format(
                    Locale.ROOT, "<line x1=\"%d\" y1=\"76\" x2=\"%d\" y2=\"76\" %s/>%n", x, x + 22, stroke(store)));
            text(x + 28, 80, 12, "start", store.title());
            x += 44 + 7 * store.title().length();
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
        text(x, HEADER - 8, 14, "start", panel.title);
        if (values.length == 0) {
            return;
        }
        int bottom = HEADER + PANEL_HEIGHT;
        Scale up = new Scale(values[0], values[values.length - 1], bottom, HEADER + 10);
        int most = SecondHeapFigures.THREADS.get(SecondHeapFigures.THREADS.size() - 1);
        Scale across = new Scale(1, most, x + LEFT, x + PANEL_WIDTH - 10);
        for (double power = Math.pow(10, Math.ceil(Math.log10(up.least))); power <= up.largest; power *= 10) {
            grid(across.from, up.of(power), across.to, up.of(power));
            text(across.from - 6, (int) up.of(power) + 4, 11, "end", String.format(Locale.ROOT, "%,.3g", power));
        }
        for (int threads : SecondHeapFigures.THREADS) {
            grid(across.of(threads), bottom, across.of(threads), HEADER + 10);
            text((int) across.of(threads), bottom + 18, 11, "middle", Integer.toString(threads));
        }
        text((across.from + across.to) / 2, bottom + 38, 12, "middle", "threads");
        for (RowStore store : RowStore.values()) {
            StringBuilder line = new StringBuilder();
            for (int threads : SecondHeapFigures.THREADS) {
                figures.find(panel.measure, store.title(), threads)
                        .ifPresent(value -> line.append(
                                String.format(Locale.ROOT, "%.1f,%.1f ", across.of(threads), up.of(value))));
            }
            if (line.length() > 0) {
                svg.append(String.format(
                        "<polyline fill=\"none\" points=\"%s\" %s/>%n",
                        line.toString().trim(), stroke(store)));
            }
        }
    }

    /** Logarithmic, from the least to the largest value. */
    private record Scale(double least, double largest, int from, int to) {
        double of(double value) {
            double span = Math.log(largest / least);
            return span == 0 ? from : from + (to - from) * Math.log(value / least) / span;
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

    private void grid(double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private void text(int x, int y, int size, String anchor, String content) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#222222\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                size,
                anchor,
                content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
