package org.heapspan.benchmarks.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * One SVG for each channel: a row of panels for each data set, in it latency, time and processor time, nanoseconds for each element over the number of elements.
 * Both axes are logarithmic; each panel has its own scale.
 */
final class TransferChart {
    private static final int PANEL_WIDTH = 330;
    private static final int PANEL_HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int TOP = 28;
    private static final int GAP = 24;
    private static final int HEADER = 100;
    private static final int MARGIN = 20;

    private record Measure(String title, ToDoubleFunction<TransferFigure> value) {}

    private static final List<Measure> MEASURES = List.of(
            new Measure("latency", TransferFigure::latency),
            new Measure("time of a stream", TransferFigure::time),
            new Measure("processor time", TransferFigure::processor));

    private TransferChart() {}

    static String fileName(String channel) {
        return "transfer-" + channel + ".svg";
    }

    static String of(TransferFigures figures, String channel) {
        StringBuilder svg = new StringBuilder();
        int width = 2 * MARGIN + MEASURES.size() * (PANEL_WIDTH + GAP);
        int height = HEADER + figures.sets().size() * (PANEL_HEIGHT + GAP) + MARGIN;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                width,
                height,
                width,
                height));
        text(svg, MARGIN, 32, 22, "start", "From JVM to JVM over " + TransferTables.title(channel));
        text(
                svg,
                MARGIN,
                54,
                13,
                "start",
                "Nanoseconds for each element over the number of elements in a message, medians; lower is better. Both axes logarithmic.");
        legend(svg, figures);
        for (int row = 0; row < figures.sets().size(); row++) {
            for (int column = 0; column < MEASURES.size(); column++) {
                panel(
                        svg,
                        MARGIN + column * (PANEL_WIDTH + GAP),
                        HEADER + row * (PANEL_HEIGHT + GAP),
                        figures,
                        channel,
                        figures.sets().get(row),
                        MEASURES.get(column));
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg, TransferFigures figures) {
        int x = MARGIN;
        for (String carrier : Carrier.NAMES) {
            if (figures.sets().stream().anyMatch(set -> figures.carriers(set).contains(carrier))) {
                svg.append(String.format(
                        Locale.ROOT,
                        "<line x1=\"%d\" y1=\"76\" x2=\"%d\" y2=\"76\" %s/>%n",
                        x,
                        x + 22,
                        stroke(carrier)));
                text(svg, x + 28, 80, 12, "start", Carrier.title(carrier));
                x += 44 + 7 * Carrier.title(carrier).length();
            }
        }
    }

    /** A point of a line. */
    private record Point(String carrier, int elements, double nanos) {}

    private static void panel(
            StringBuilder svg, int x, int y, TransferFigures figures, String channel, String set, Measure measure) {
        List<Point> points = new ArrayList<>();
        for (String carrier : figures.carriers(set)) {
            for (int elements : figures.elements()) {
                Optional<TransferFigure> figure = figures.find(channel, set, carrier, elements);
                double nanos =
                        figure.map(each -> measure.value.applyAsDouble(each)).orElse(0.0);
                // A clock in steps may show nothing for a short time.
                if (nanos > 0) {
                    points.add(new Point(carrier, elements, nanos / elements));
                }
            }
        }
        text(svg, x, y + 16, 13, "start", new TransferSet(set, 1).title() + ": " + measure.title);
        if (points.isEmpty()) {
            return;
        }
        Scale across = new Scale(
                points.stream().mapToDouble(Point::elements).min().orElse(1),
                points.stream().mapToDouble(Point::elements).max().orElse(1),
                x + LEFT,
                x + PANEL_WIDTH);
        Scale up = new Scale(
                points.stream().mapToDouble(Point::nanos).min().orElse(1),
                points.stream().mapToDouble(Point::nanos).max().orElse(1),
                y + PANEL_HEIGHT - 22,
                y + TOP);
        grid(svg, across, up, figures.elements());
        for (String carrier : figures.carriers(set)) {
            StringBuilder line = new StringBuilder();
            for (Point point : points) {
                if (point.carrier.equals(carrier)) {
                    line.append(
                            String.format(Locale.ROOT, "%.1f,%.1f ", across.of(point.elements), up.of(point.nanos)));
                }
            }
            svg.append(String.format(
                    "<polyline fill=\"none\" points=\"%s\" %s/>%n",
                    line.toString().trim(), stroke(carrier)));
        }
    }

    /** Logarithmic, from the least to the largest value. */
    private record Scale(double least, double largest, int from, int to) {
        double of(double value) {
            double span = Math.log(largest / least);
            return span == 0 ? from : from + (to - from) * Math.log(value / least) / span;
        }
    }

    private static void grid(StringBuilder svg, Scale across, Scale up, List<Integer> elements) {
        for (double power = Math.pow(10, Math.ceil(Math.log10(up.least))); power <= up.largest; power *= 10) {
            line(svg, across.from, up.of(power), across.to, up.of(power));
            text(
                    svg,
                    across.from - 6,
                    (int) up.of(power) + 4,
                    11,
                    "end",
                    String.format(Locale.ROOT, power < 1 ? "%.2f" : "%,.0f", power));
        }
        for (int each : elements) {
            line(svg, across.of(each), up.from, across.of(each), up.to);
            String label = each < 1024 ? Integer.toString(each) : each / 1024 + "K";
            text(svg, (int) across.of(each), up.from + 16, 11, "middle", label);
        }
    }

    private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private static String stroke(String carrier) {
        return switch (carrier) {
            case "copy" -> "stroke=\"#16a34a\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"";
            case "heapspan" -> "stroke=\"#c2410c\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
            case "heapspan-unchecked" -> "stroke=\"#c2410c\" stroke-width=\"3\"";
            case "heapspan-raw" -> "stroke=\"#fb923c\" stroke-width=\"2\"";
            case "fory-refs" -> "stroke=\"#1d4ed8\" stroke-width=\"1.5\"";
            case "fory", "fory-fixed" -> "stroke=\"#60a5fa\" stroke-width=\"1.5\"";
            case "kryo", "kryo-refs" -> "stroke=\"#64748b\" stroke-width=\"1.5\"";
            default -> "stroke=\"#a3a3a3\" stroke-width=\"1\"";
        };
    }

    private static void text(StringBuilder svg, int x, int y, int size, String anchor, String content) {
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
