package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Seconds as an SVG: a panel for each job, a bar for each contender, a part of it dark. */
final class SparkChart {
    /** Processor time of the executors, and what serialization takes of it. */
    static final SparkChart PROCESSOR_TIME = new SparkChart(
            "Spark: processor time of the executors",
            "Seconds, median; shorter is better. Dark: in serialization, where it was sampled.",
            run -> run.executorCpuSeconds,
            bar -> bar.figures
                    .sampled(bar.jdk, bar.workload, bar.contender)
                    .map(sampled ->
                            sampled.serializationShare * SparkFigures.median(bar.runs(), run -> run.taskCpuSeconds))
                    .orElse(Double.NaN));

    /**
     * What a bar stands for.
     *
     * @param contender who took that long
     */
    record Bar(SparkFigures figures, String jdk, String workload, Contender contender) {
        /** Its applications, of which the median is shown. */
        List<Application> runs() {
            return figures.timed(jdk, workload, contender);
        }
    }

    private static final int WIDTH = 860;
    private static final int LABELS = 250;
    private static final int BARS = 470;
    private static final int ROW = 20;
    private static final int HEADER = 80;
    private static final int PANEL = 44;
    private static final int MARGIN = 20;

    private final String title;
    private final String explanation;
    private final ToDoubleFunction<Application> length;
    private final ToDoubleFunction<Bar> dark;

    /**
     * Says what is drawn.
     *
     * @param length of a bar, in seconds
     * @param dark the part of it that is dark, in seconds; not a number if that is not known
     */
    SparkChart(String title, String explanation, ToDoubleFunction<Application> length, ToDoubleFunction<Bar> dark) {
        this.title = title;
        this.explanation = explanation;
        this.length = length;
        this.dark = dark;
    }

    String of(SparkFigures figures, String jdk, Contender[] all) {
        StringBuilder body = new StringBuilder();
        int y = HEADER;
        for (String workload : figures.workloads(jdk)) {
            List<Bar> bars = figures.peers(jdk, workload, all).stream()
                    .map(peer -> new Bar(figures, jdk, workload, peer))
                    .filter(bar -> !bar.runs().isEmpty())
                    .toList();
            double longest = bars.stream()
                    .mapToDouble(bar -> SparkFigures.median(bar.runs(), length))
                    .max()
                    .orElse(1);
            text(body, MARGIN, y + 22, 15, "bold", "start", figures.title(workload));
            y += PANEL - 12;
            for (Bar bar : bars) {
                draw(body, y, bar, longest);
                y += ROW;
            }
            y += 12;
        }
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                WIDTH,
                y + MARGIN,
                WIDTH,
                y + MARGIN));
        text(svg, MARGIN, 32, 22, "bold", "start", title);
        text(svg, MARGIN, 54, 13, "normal", "start", explanation + " JDK " + jdk + ".");
        return svg.append(body).append("</svg>\n").toString();
    }

    private void draw(StringBuilder out, int y, Bar bar, double longest) {
        double seconds = SparkFigures.median(bar.runs(), length);
        double width = seconds / longest * BARS;
        boolean isOurs = bar.contender.isHeapspan();
        String weight = isOurs ? "bold" : "normal";
        int x = MARGIN + LABELS;
        text(out, x - 8, y + 13, 12, weight, "end", bar.contender.title());
        rectangle(out, x, y + 2, width, isOurs ? "#fdba74" : "#a8b5c6");
        double part = dark.applyAsDouble(bar);
        if (!Double.isNaN(part)) {
            rectangle(out, x, y + 2, Math.min(part / longest * BARS, width), isOurs ? "#c2410c" : "#334155");
        }
        text(out, (int) (x + width + 6), y + 13, 12, weight, "start", String.format(Locale.ROOT, "%.1f", seconds));
    }

    private static void rectangle(StringBuilder out, double x, double y, double width, String color) {
        out.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                x,
                y,
                Math.max(width, 0.5),
                ROW - 5,
                color));
    }

    private static void text(StringBuilder out, int x, int y, int size, String weight, String anchor, String content) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#222222\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n",
                x,
                y,
                size,
                anchor,
                weight,
                content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
