package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.spark.SparkFigures.Application;

/** Processor time of the executors as an SVG: a panel for each job, a bar for each serializer, the part that serialization takes dark. */
final class SparkChart {
    private static final int WIDTH = 860;
    private static final int LABELS = 250;
    private static final int BARS = 470;
    private static final int ROW = 20;
    private static final int HEADER = 80;
    private static final int PANEL = 44;
    private static final int MARGIN = 20;

    private SparkChart() {}

    static String of(SparkFigures figures, String jdk) {
        StringBuilder body = new StringBuilder();
        int y = HEADER;
        for (String workload : figures.workloads(jdk)) {
            List<SparkPeer> peers = figures.peers(jdk, workload).stream()
                    .filter(peer -> !figures.timed(jdk, workload, peer).isEmpty())
                    .toList();
            double longest = peers.stream()
                    .mapToDouble(peer -> SparkTables.cpu(figures, jdk, workload, peer))
                    .max()
                    .orElse(1);
            text(body, MARGIN, y + 22, 15, "bold", "start", figures.title(workload));
            y += PANEL - 12;
            for (SparkPeer peer : peers) {
                bar(body, y, figures, jdk, workload, peer, longest);
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
        text(svg, MARGIN, 32, 22, "bold", "start", "Spark: processor time of the executors");
        text(
                svg,
                MARGIN,
                54,
                13,
                "normal",
                "start",
                "Seconds, median; shorter is better. Dark: in serialization, where it was sampled. JDK " + jdk + ".");
        return svg.append(body).append("</svg>\n").toString();
    }

    private static void bar(
            StringBuilder out,
            int y,
            SparkFigures figures,
            String jdk,
            String workload,
            SparkPeer peer,
            double longest) {
        List<Application> runs = figures.timed(jdk, workload, peer);
        double cpu = SparkTables.cpu(figures, jdk, workload, peer);
        double length = cpu / longest * BARS;
        String weight = peer.isHeapspan() ? "bold" : "normal";
        int x = MARGIN + LABELS;
        text(out, x - 8, y + 13, 12, weight, "end", peer.title());
        rectangle(out, x, y + 2, length, peer.isHeapspan() ? "#fdba74" : "#a8b5c6");
        figures.sampled(jdk, workload, peer).ifPresent(sampled -> {
            double serialization =
                    sampled.serializationShare * SparkFigures.median(runs, run -> run.taskCpuSeconds) / longest * BARS;
            rectangle(out, x, y + 2, Math.min(serialization, length), peer.isHeapspan() ? "#c2410c" : "#334155");
        });
        text(out, (int) (x + length + 6), y + 13, 12, weight, "start", String.format(Locale.ROOT, "%.1f", cpu));
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
