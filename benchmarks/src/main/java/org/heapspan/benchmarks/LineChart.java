package org.heapspan.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Panels of lines in rows and columns as an SVG. Both axes are logarithmic, and each panel has its own scale. Not thread-safe. */
public final class LineChart {
    private static final int PANEL_WIDTH = 330;
    private static final int PANEL_HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int TOP = 28;
    private static final int GAP = 24;
    private static final int HEADER = 100;
    private static final int MARGIN = 20;

    /**
     * A point of a line.
     *
     * @param peer whose line
     * @param across what the horizontal axis shows, a whole number from 1 on
     * @param up what the vertical axis shows; not drawn unless positive: a clock in steps may show nothing for a short time
     */
    public record Point(String peer, int across, double up) {}

    private final int columns;
    private final int rows;
    private final StringBuilder svg = new StringBuilder();
    private int panels;

    /**
     * Begins a chart.
     *
     * @param peers titles by the names of lines, for the legend
     */
    public LineChart(String title, String subtitle, int columns, int rows, Map<String, String> peers) {
        this.columns = columns;
        this.rows = rows;
        int width = 2 * MARGIN + columns * (PANEL_WIDTH + GAP);
        int height = HEADER + rows * (PANEL_HEIGHT + GAP) + MARGIN;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                width,
                height,
                width,
                height));
        text(MARGIN, 32, 22, "start", title);
        text(MARGIN, 54, 13, "start", subtitle);
        int x = MARGIN;
        for (Map.Entry<String, String> peer : peers.entrySet()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" y1=\"76\" x2=\"%d\" y2=\"76\" %s/>%n",
                    x,
                    x + 22,
                    stroke(peer.getKey())));
            text(x + 28, 80, 12, "start", peer.getValue());
            x += 44 + 7 * peer.getValue().length();
        }
    }

    /** Draws the next panel, from left to right and row by row. */
    public void panel(String title, List<Point> all) {
        int x = MARGIN + panels % columns * (PANEL_WIDTH + GAP);
        int y = HEADER + panels / columns * (PANEL_HEIGHT + GAP);
        panels++;
        text(x, y + 16, 13, "start", title);
        List<Point> points = all.stream().filter(point -> point.up > 0).toList();
        if (points.isEmpty()) {
            return;
        }
        Scale across = new Scale(
                points.stream().mapToDouble(Point::across).min().orElse(1),
                points.stream().mapToDouble(Point::across).max().orElse(1),
                x + LEFT,
                x + PANEL_WIDTH);
        Scale up = new Scale(
                points.stream().mapToDouble(Point::up).min().orElse(1),
                points.stream().mapToDouble(Point::up).max().orElse(1),
                y + PANEL_HEIGHT - 22,
                y + TOP);
        grid(across, up, points);
        Map<String, List<Point>> lines =
                points.stream().collect(Collectors.groupingBy(Point::peer, LinkedHashMap::new, Collectors.toList()));
        lines.forEach((peer, line) -> svg.append(String.format(
                "<polyline fill=\"none\" points=\"%s\" %s/>%n",
                line.stream()
                        .map(point -> String.format(Locale.ROOT, "%.1f,%.1f", across.of(point.across), up.of(point.up)))
                        .collect(Collectors.joining(" ")),
                stroke(peer))));
    }

    /**
     * Returns the SVG.
     *
     * @throws IllegalStateException if panels are missing
     */
    public String svg() {
        if (panels != columns * rows) {
            throw new IllegalStateException(panels + " panels were drawn, expected " + columns * rows);
        }
        return svg + "</svg>\n";
    }

    /** Logarithmic, from the least to the largest value. */
    private record Scale(double least, double largest, int from, int to) {
        double of(double value) {
            double span = Math.log(largest / least);
            return span == 0 ? from : from + (to - from) * Math.log(value / least) / span;
        }
    }

    private void grid(Scale across, Scale up, List<Point> points) {
        for (double power = Math.pow(10, Math.ceil(Math.log10(up.least))); power <= up.largest; power *= 10) {
            line(across.from, up.of(power), across.to, up.of(power));
            text(
                    across.from - 6,
                    (int) up.of(power) + 4,
                    11,
                    "end",
                    String.format(Locale.ROOT, power < 1 ? "%.2f" : "%,.0f", power));
        }
        points.stream().map(Point::across).distinct().sorted().forEach(each -> {
            line(across.of(each), up.from, across.of(each), up.to);
            text((int) across.of(each), up.from + 16, 11, "middle", label(each));
        });
    }

    private static String label(int number) {
        if (number >= 1024 && number % 1024 == 0) {
            return number / 1024 + "K";
        }
        return number >= 1_000_000
                ? number / 1_000_000 + "M"
                : number >= 10_000 ? number / 1000 + "k" : Integer.toString(number);
    }

    private void line(double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private static String stroke(String peer) {
        return switch (peer) {
            case "copy" -> "stroke=\"#16a34a\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case "heapspan" -> "stroke=\"#c2410c\" stroke-width=\"3\"";
            case "heapspan-unchecked" -> "stroke=\"#c2410c\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "heapspan-raw" -> "stroke=\"#fb923c\" stroke-width=\"2\"";
            case "fory-refs" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\"";
            case "fory-refs-fixed" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "fory" -> "stroke=\"#60a5fa\" stroke-width=\"1.5\"";
            case "fory-fixed" -> "stroke=\"#60a5fa\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "kryo-refs" -> "stroke=\"#475569\" stroke-width=\"1.5\"";
            case "kryo" -> "stroke=\"#94a3b8\" stroke-width=\"1.5\"";
            default -> "stroke=\"#a3a3a3\" stroke-width=\"1\"";
        };
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
