package org.heapspan.benchmarks;

import java.util.Locale;

/** An SVG of lines, texts and logarithmic axes; what charts of lines are drawn with. Not thread-safe. */
public final class LineDrawing {
    /** Pixels from one row of a legend to the next. */
    static final int LEGEND_ROW = 20;

    private final StringBuilder svg = new StringBuilder();

    /** Begins a drawing of so many pixels with a title and a line below it. */
    public LineDrawing(int width, int height, int margin, String title, String subtitle) {
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                width,
                height,
                width,
                height));
        text(margin, 32, 22, "start", title);
        text(margin, 54, 13, "start", subtitle);
    }

    /** Logarithmic, from the least to the largest value; in pixels. */
    public record Scale(double least, double largest, int from, int to) {
        /** Where a value is. */
        public double of(double value) {
            double span = Math.log(largest / least);
            return span == 0 ? from : from + (to - from) * Math.log(value / least) / span;
        }
    }

    /**
     * Draws an entry of the legend.
     *
     * @param row its row in the legend, from 0
     * @param stroke attributes of the line
     * @return where the next one begins
     */
    public int legend(int x, int row, String stroke, String title) {
        int y = 76 + LEGEND_ROW * row;
        svg.append(String.format(
                Locale.ROOT, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" %s/>%n", x, y, x + 22, y, stroke));
        text(x + 28, y + 4, 12, "start", title);
        return x + legendWidth(title);
    }

    /** How many pixels an entry of the legend takes. */
    static int legendWidth(String title) {
        return 44 + 7 * title.length();
    }

    /**
     * Draws a line through points.
     *
     * @param points each as {@link #point}, with spaces between
     * @param stroke attributes of the line
     */
    public void polyline(String points, String stroke) {
        svg.append(String.format("<polyline fill=\"none\" points=\"%s\" %s/>%n", points, stroke));
    }

    /** A point for {@link #polyline}. */
    public static String point(double x, double y) {
        return String.format(Locale.ROOT, "%.1f,%.1f", x, y);
    }

    /** Draws lines of the grid across, at the powers of ten. */
    public void powers(Scale across, Scale up, PowerLabel label) {
        for (double power = Math.pow(10, Math.ceil(Math.log10(up.least))); power <= up.largest; power *= 10) {
            grid(across.from, up.of(power), across.to, up.of(power));
            text(across.from - 6, (int) up.of(power) + 4, 11, "end", label.of(power));
        }
    }

    /** How a power of ten is written. */
    public interface PowerLabel {
        String of(double power);
    }

    /** Draws a line of the grid. */
    public void grid(double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    /** Writes a text; the anchor is {@code start}, {@code middle} or {@code end}. */
    public void text(int x, int y, int size, String anchor, String content) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#222222\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                size,
                anchor,
                content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }

    /** Ends the drawing and returns it. */
    public String svg() {
        return svg + "</svg>\n";
    }
}
