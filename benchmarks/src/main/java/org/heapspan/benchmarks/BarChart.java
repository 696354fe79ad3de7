package org.heapspan.benchmarks;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.benchmarks.peer.Peers.Family;

/**
 * Bar charts as SVG: a panel for each data set, a bar for each serializer, shorter is better. Each panel has a scale of its own
 * from zero; bars longer than {@link #CUT} times the longest of Heapspan and Fory are cut and say so.
 */
final class BarChart {
    private static final int PANEL_WIDTH = 620;
    private static final int LABEL_WIDTH = 228;
    private static final int BAR_WIDTH = 270;
    private static final int ROW_HEIGHT = 20;
    private static final int PANEL_HEADER = 40;
    private static final int PANEL_GAP = 18;
    private static final int HEADER = 92;
    private static final int MARGIN = 20;
    private static final double CUT = 2.5;

    private final StringBuilder svg = new StringBuilder();

    private BarChart() {}

    /** Encode and decode time, stacked. */
    static String times(Measurements measurements, Measurement group) {
        return new BarChart()
                .draw(
                        measurements,
                        group,
                        "Time to encode and decode one record",
                        "Nanoseconds per record, median; shorter is better.",
                        true);
    }

    /** Size of the encoded form. */
    static String sizes(Measurements measurements, Measurement group) {
        return new BarChart()
                .draw(measurements, group, "Size of one encoded record", "Bytes per record; shorter is better.", false);
    }

    private String draw(Measurements measurements, Measurement group, String title, String subtitle, boolean times) {
        List<String> sets = measurements.sets(group);
        int[] heights = new int[2];
        StringBuilder body = new StringBuilder();
        for (String set : sets) {
            List<Measurement> rows = measurements.rows(group, set);
            int column = heights[0] <= heights[1] ? 0 : 1;
            int x = MARGIN + column * (PANEL_WIDTH + MARGIN);
            int y = HEADER + heights[column];
            panel(body, x, y, DataSets.named(set).title(), rows, times);
            heights[column] += PANEL_HEADER + rows.size() * ROW_HEIGHT + PANEL_GAP;
        }
        int width = MARGIN * 3 + PANEL_WIDTH * 2;
        int height = HEADER + Math.max(heights[0], heights[1]) + MARGIN;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" role=\"img\">%n",
                width,
                height,
                width,
                height));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
        text(svg, MARGIN, 32, 22, "#111111", "start", "bold", title);
        text(svg, MARGIN, 54, 13, "#444444", "start", "normal", subtitle + " " + Tables.title(group) + ".");
        if (times) {
            legend(MARGIN, 66, Family.HEAPSPAN, "Heapspan");
            legend(MARGIN + 290, 66, Family.JDK, "others");
        }
        svg.append(body).append("</svg>\n");
        return svg.toString();
    }

    private void legend(int x, int y, Family family, String word) {
        rectangle(svg, x, y, 14, 12, encodeColor(family));
        rectangle(svg, x + 14, y, 14, 12, decodeColor(family));
        text(svg, x + 36, y + 11, 13, "#444444", "start", "normal", word + ": encode (dark), decode");
    }

    private static void panel(StringBuilder out, int x, int y, String title, List<Measurement> rows, boolean times) {
        text(out, x, y + 24, 15, "#111111", "start", "bold", title);
        double scale = scale(rows, times);
        int barX = x + LABEL_WIDTH;
        int top = y + PANEL_HEADER;
        out.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#999999\"/>%n",
                barX,
                top - 3,
                barX,
                top + rows.size() * ROW_HEIGHT));
        for (int i = 0; i < rows.size(); i++) {
            bar(out, barX, top + i * ROW_HEIGHT, rows.get(i), scale, times);
        }
    }

    private static void bar(StringBuilder out, int barX, int y, Measurement row, double scale, boolean times) {
        Family family = Peers.family(row.peer);
        String weight = family.isHeapspan() ? "bold" : "normal";
        text(out, barX - 8, y + 13, 12, "#222222", "end", weight, Peers.title(row.peer));
        double value = value(row, times);
        if (Double.isNaN(value)) {
            text(out, barX + 6, y + 13, 12, "#999999", "start", "normal", row.remark);
            return;
        }
        double length = Math.min(value, scale) / scale * BAR_WIDTH;
        if (times) {
            double encodeLength = Math.min(row.encodeNanos(), scale) / scale * BAR_WIDTH;
            rectangle(out, barX, y + 2, encodeLength, ROW_HEIGHT - 5, encodeColor(family));
            rectangle(out, barX + encodeLength, y + 2, length - encodeLength, ROW_HEIGHT - 5, decodeColor(family));
        } else {
            rectangle(out, barX, y + 2, length, ROW_HEIGHT - 5, encodeColor(family));
        }
        String label = number(value);
        if (value > scale) {
            // Two white strokes across the end: the bar goes on.
            out.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d l6 %d m4 0 l-6 -%d\" stroke=\"#ffffff\" stroke-width=\"2\"/>%n",
                    barX + BAR_WIDTH - 18.0,
                    y + 2,
                    ROW_HEIGHT - 5,
                    ROW_HEIGHT - 5));
            label += " (bar cut)";
        }
        text(out, (int) (barX + length + 6), y + 13, 12, "#222222", "start", weight, label);
    }

    /** The value at the full length of a bar. */
    private static double scale(List<Measurement> rows, boolean times) {
        double longest = 0;
        double reference = 0;
        for (Measurement row : rows) {
            double value = value(row, times);
            if (!Double.isNaN(value)) {
                longest = Math.max(longest, value);
                Family family = Peers.family(row.peer);
                if (family != Family.KRYO && family != Family.KRYO_REFS && family != Family.JDK) {
                    reference = Math.max(reference, value);
                }
            }
        }
        return reference == 0 ? longest : Math.min(longest, reference * CUT);
    }

    private static double value(Measurement row, boolean times) {
        if (!row.isTimed()) {
            return Double.NaN;
        }
        return times ? row.sumNanos() : row.bytesPerRecord;
    }

    private static String encodeColor(Family family) {
        return family.isHeapspan() ? "#c2410c" : "#334155";
    }

    private static String decodeColor(Family family) {
        return family.isHeapspan() ? "#fdba74" : "#a8b5c6";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static void rectangle(StringBuilder out, double x, double y, double width, double height, String color) {
        out.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x,
                y,
                Math.max(width, 0.5),
                height,
                color));
    }

    private static void text(
            StringBuilder out, int x, int y, int size, String color, String anchor, String weight, String content) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n",
                x,
                y,
                size,
                color,
                anchor,
                weight,
                content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
