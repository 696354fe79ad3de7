package org.heapspan.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.heapspan.benchmarks.LineDrawing.Scale;

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
    private final int header;
    private final LineDrawing drawing;
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
        Map<String, Integer> legendRows = legendRows(peers, width);
        int lastRow =
                legendRows.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        header = HEADER + LineDrawing.LEGEND_ROW * lastRow;
        drawing = new LineDrawing(width, header + rows * (PANEL_HEIGHT + GAP) + MARGIN, MARGIN, title, subtitle);
        int x = MARGIN;
        int row = 0;
        for (Map.Entry<String, Integer> peer : legendRows.entrySet()) {
            if (peer.getValue() > row) {
                row = peer.getValue();
                x = MARGIN;
            }
            x = drawing.legend(x, row, stroke(peer.getKey()), peers.get(peer.getKey()));
        }
    }

    /** The row of the legend for each line. */
    private static Map<String, Integer> legendRows(Map<String, String> peers, int width) {
        Map<String, Integer> legendRows = new LinkedHashMap<>();
        int x = MARGIN;
        int row = 0;
        for (Map.Entry<String, String> peer : peers.entrySet()) {
            int entry = LineDrawing.legendWidth(peer.getValue());
            if (x > MARGIN && x + entry > width) {
                x = MARGIN;
                row++;
            }
            legendRows.put(peer.getKey(), row);
            x += entry;
        }
        return legendRows;
    }

    /** Draws the next panel, from left to right and row by row. */
    public void panel(String title, List<Point> all) {
        int x = MARGIN + panels % columns * (PANEL_WIDTH + GAP);
        int y = header + panels / columns * (PANEL_HEIGHT + GAP);
        panels++;
        drawing.text(x, y + 16, 13, "start", title);
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
        lines.forEach((peer, line) -> drawing.polyline(
                line.stream()
                        .map(point -> LineDrawing.point(across.of(point.across), up.of(point.up)))
                        .collect(Collectors.joining(" ")),
                stroke(peer)));
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
        return drawing.svg();
    }

    private void grid(Scale across, Scale up, List<Point> points) {
        drawing.powers(across, up, power -> String.format(Locale.ROOT, power < 1 ? "%.2f" : "%,.0f", power));
        points.stream().map(Point::across).distinct().sorted().forEach(each -> {
            drawing.grid(across.of(each), up.from(), across.of(each), up.to());
            drawing.text((int) across.of(each), up.from() + 16, 11, "middle", label(each));
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

    private static String stroke(String peer) {
        return switch (peer) {
            case "copy" -> "stroke=\"#16a34a\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case "heapspan" -> "stroke=\"#c2410c\" stroke-width=\"3\"";
            case "heapspan-unchecked" -> "stroke=\"#c2410c\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "heapspan-registry" -> "stroke=\"#c2410c\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case "heapspan-raw" -> "stroke=\"#fb923c\" stroke-width=\"2\"";
            case "fory-refs" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\"";
            case "fory-refs-fixed" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "fory-refs-unregistered" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\" stroke-dasharray=\"8 3 2 3\"";
            case "fory-refs-strings" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case "fory" -> "stroke=\"#60a5fa\" stroke-width=\"1.5\"";
            case "fory-fixed" -> "stroke=\"#60a5fa\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "kryo-refs" -> "stroke=\"#475569\" stroke-width=\"1.5\"";
            case "kryo" -> "stroke=\"#94a3b8\" stroke-width=\"1.5\"";
            default -> "stroke=\"#a3a3a3\" stroke-width=\"1\"";
        };
    }
}
