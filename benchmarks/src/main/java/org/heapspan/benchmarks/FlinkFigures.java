package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What {@code ./dev bench flink} has measured, with a note on the run; the content of {@code flink.json}. A bean. Flink is no part of it, so that all
 * pages can be compared with their figures without Flink.
 */
public final class FlinkFigures {
    /** Where the figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/flink.md",
            "flink",
            "flink",
            (figures, folder) -> new Publication.Rendered(
                    FigureFile.read(figures, FlinkFigures.class).table(), List.of()));

    public RunNote run = new RunNote();
    public List<Figure> all = new ArrayList<>();

    /** One serializer and one kind of record; a bean. */
    public static final class Figure {
        public String record = "";
        public String serializer = "";
        public double bytesPerRecord;

        /** For a record; the median of each JVM. */
        public List<Double> writeNanos = new ArrayList<>();

        public List<Double> readNanos = new ArrayList<>();
        public List<Double> copyNanos = new ArrayList<>();
    }

    /**
     * Adds what one JVM has measured.
     *
     * @param values bytes of a record, and nanoseconds to write, to read and to copy one, with tabs between them
     */
    public void add(String record, String serializer, String values) {
        Figure figure = all.stream()
                .filter(each -> each.record.equals(record) && each.serializer.equals(serializer))
                .findFirst()
                .orElseGet(() -> {
                    Figure added = new Figure();
                    added.record = record;
                    added.serializer = serializer;
                    all.add(added);
                    return added;
                });
        String[] numbers = values.split("\t", -1);
        figure.bytesPerRecord = Double.parseDouble(numbers[0]);
        figure.writeNanos.add(Double.valueOf(numbers[1]));
        figure.readNanos.add(Double.valueOf(numbers[2]));
        figure.copyNanos.add(Double.valueOf(numbers[3]));
    }

    private String table() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(run)));
        text.append("\n| record | serializer | bytes | write, ns | read, ns | copy, ns |\n|---|---|--:|--:|--:|--:|\n");
        for (Figure figure : all) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f | %s | %s | %s |%n",
                    figure.record,
                    figure.serializer,
                    figure.bytesPerRecord,
                    time(figure.writeNanos),
                    time(figure.readNanos),
                    time(figure.copyNanos)));
        }
        return text.toString();
    }

    /** The median of the JVMs, and the least and the greatest. */
    private static String time(List<Double> nanos) {
        double[] values =
                nanos.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return String.format(
                Locale.ROOT, "%,.0f (%,.0f to %,.0f)", Statistics.median(values), values[0], values[values.length - 1]);
    }
}
