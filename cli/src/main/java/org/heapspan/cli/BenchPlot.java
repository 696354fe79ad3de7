package org.heapspan.cli;

import java.util.List;
import java.util.Locale;

/** The results as bars in an SVG image: time of encoding and decoding relative to Java serialization, shorter is better. */
final class BenchPlot {
    private static final int WIDTH = 860;
    private static final int LABEL_WIDTH = 170;
    private static final int BAR_WIDTH = 560;
    private static final int ROW_HEIGHT = 22;
    private static final int TOP = 74;

    private BenchPlot() {}

    static String svg(List<List<BenchResult>> samples, String machine) {
        StringBuilder body = new StringBuilder();
        int y = TOP;
        for (List<BenchResult> results : samples) {
            double most = results.stream()
                    .filter(BenchResult::measured)
                    .mapToDouble(BenchResult::both)
                    .max()
                    .orElse(1);
            y += 14;
            text(body, 20, y, 14, "bold", results.get(0).sample());
            y += 6;
            for (BenchResult result : results) {
                text(body, 30, y + 15, 13, "normal", result.library());
                if (result.measured()) {
                    double encode = BAR_WIDTH * result.encode() / most;
                    double decode = BAR_WIDTH * result.decode() / most;
                    boolean ours = result.library().equals("Heapspan");
                    bar(body, LABEL_WIDTH, y + 3, encode, ours ? "#b3541e" : "#5b7a99");
                    bar(body, LABEL_WIDTH + encode, y + 3, decode, ours ? "#e8a87c" : "#a9bfd3");
                    text(
                            body,
                            (int) (LABEL_WIDTH + encode + decode + 6),
                            y + 15,
                            12,
                            "normal",
                            Text.nanoseconds(result.both()) + ", " + Text.bytes(result.sizeBytes()));
                } else {
                    text(body, LABEL_WIDTH, y + 15, 12, "normal", "failed");
                }
                y += ROW_HEIGHT;
            }
            y += 10;
        }
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                WIDTH,
                y + 10,
                WIDTH,
                y + 10));
        text(svg, 20, 30, 19, "bold", "Time to encode (dark) and decode (light) a graph; shorter is better");
        text(svg, 20, 52, 12, "normal", machine);
        return svg.append(body).append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, double x, int y, double width, String color) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>%n",
                x,
                y,
                width,
                color));
    }

    private static void text(StringBuilder svg, int x, int y, int size, String weight, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"%s\" fill=\"#222222\">%s</text>%n",
                x,
                y,
                size,
                weight,
                text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
