package org.heapspan.benchmarks;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.FlinkQueryFigures.Figure;

/** Seconds of queries as an SVG: a panel for each query, a bar for each serializer, shorter is better. */
final class FlinkQueryChart {
    private static final int WIDTH = 860;
    private static final int LABELS = 210;
    private static final int BARS = 540;
    private static final int ROW = 20;
    private static final int HEADER = 76;
    private static final int TITLE = 30;
    private static final int MARGIN = 20;

    private final StringBuilder svg = new StringBuilder();

    private FlinkQueryChart() {}

    static String of(FlinkQueryFigures figures) {
        return new FlinkQueryChart().draw(figures);
    }

    private String draw(FlinkQueryFigures figures) {
        int height = HEADER + figures.queries().size() * TITLE + figures.all.size() * ROW + MARGIN;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                WIDTH,
                height,
                WIDTH,
                height));
        text(MARGIN, 32, 22, "bold", "start", "Queries of TPC-H on Flink");
        text(MARGIN, 54, 13, "normal", "start", "Seconds, median; shorter is better. Scale " + figures.scale + ".");
        double longest = figures.all.stream().mapToDouble(Figure::median).max().orElse(1);
        int y = HEADER;
        for (String query : figures.queries()) {
            List<Figure> ofQuery = figures.of(query);
            text(MARGIN, y + 18, 15, "bold", "start", query + ": " + ofQuery.get(0).title);
            y += TITLE;
            for (Figure figure : ofQuery) {
                bar(y, figure, longest);
                y += ROW;
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private void bar(int y, Figure figure, double longest) {
        boolean isOurs = figure.serializer.startsWith("Heapspan");
        String weight = isOurs ? "bold" : "normal";
        double width = figure.median() / longest * BARS;
        int x = MARGIN + LABELS;
        text(x - 8, y + 10, 12, weight, "end", figure.serializer);
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                x,
                y - 1,
                width,
                ROW - 5,
                isOurs ? "#c2410c" : "#334155"));
        text((int) (x + width + 6), y + 10, 12, weight, "start", String.format(Locale.ROOT, "%.2f", figure.median()));
    }

    private void text(int x, int y, int size, String weight, String anchor, String content) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#222222\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n",
                x,
                y,
                size,
                anchor,
                weight,
                content));
    }
}
