package org.heapspan.examples;

import java.util.List;
import java.util.Locale;

/** The demo's result as an SVG image: one bar for each library, from the first byte encoded to the last object decoded. */
final class DemoPlot {
    private static final int WIDTH = 820;
    private static final int LABEL_WIDTH = 160;
    private static final int BAR_WIDTH = 440;
    private static final int ROW_HEIGHT = 34;
    private static final int TOP = 80;

    private DemoPlot() {}

    static String svg(List<Demo.Result> results, String subtitle) {
        double most =
                results.stream().mapToDouble(Demo.Result::totalMillis).max().orElse(1);
        int height = TOP + results.size() * ROW_HEIGHT + 20;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                WIDTH,
                height,
                WIDTH,
                height));
        text(svg, 20, 32, 19, "One object graph from JVM to JVM: encode (dark), move, decode (light)");
        text(svg, 20, 56, 13, subtitle);
        int y = TOP;
        for (Demo.Result result : results) {
            boolean ours = result.name().equals("Heapspan");
            double scale = BAR_WIDTH / most;
            double encode = result.encodeMillis() * scale;
            double move = result.moveMillis() * scale;
            double decode = result.decodeMillis() * scale;
            text(svg, 20, y + 17, 14, result.name());
            bar(svg, LABEL_WIDTH, y, encode, ours ? "#b3541e" : "#5b7a99");
            bar(svg, LABEL_WIDTH + encode, y, move, "#d9d9d9");
            bar(svg, LABEL_WIDTH + encode + move, y, decode, ours ? "#e8a87c" : "#a9bfd3");
            text(
                    svg,
                    (int) (LABEL_WIDTH + encode + move + decode + 8),
                    y + 17,
                    13,
                    String.format(Locale.ROOT, "%.1f ms, %,d KB", result.totalMillis(), result.sizeBytes() / 1024));
            y += ROW_HEIGHT;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, double x, int y, double width, String color) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"24\" fill=\"%s\"/>%n",
                x,
                y,
                width,
                color));
    }

    private static void text(StringBuilder svg, int x, int y, int size, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#222222\">%s</text>%n",
                x,
                y,
                size,
                text));
    }
}
