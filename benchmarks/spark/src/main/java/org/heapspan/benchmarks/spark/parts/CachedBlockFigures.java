package org.heapspan.benchmarks.spark.parts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** What {@link CachedBlockReport} has measured, with a note on the run; the content of {@code cached-blocks.json}. A bean. */
final class CachedBlockFigures {
    /** One operation with one serializer; a bean. */
    static final class Figure {
        /** The name of the method of the benchmark. */
        public String operation = "";

        public String serializer = "";

        /** Whether blocks are compressed with LZ4. */
        public boolean compressed;

        /** For each record; an iteration each, those of all JVMs. */
        public double[] nanos = {};

        public double recordBytes;

        double medianNanos() {
            return Statistics.median(nanos);
        }
    }

    private static final String REFERENCE = "heapspan";

    public RunNote run = new RunNote();
    public List<Figure> all = new ArrayList<>();

    String table() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(run)));
        List<String> serializers =
                all.stream().map(figure -> figure.serializer).distinct().toList();
        text.append("\n| for each record |");
        serializers.forEach(
                serializer -> text.append(' ').append(title(serializer)).append(" |"));
        text.append("\n|---|").append("--:|".repeat(serializers.size())).append('\n');
        for (boolean compressed : new boolean[] {true, false}) {
            String with = compressed ? ", LZ4 (the default)" : ", `spark.rdd.compress=false`";
            for (String operation : List.of("write", "read")) {
                text.append("| ").append(operation).append(with).append(" |");
                for (String serializer : serializers) {
                    text.append(time(find(operation, serializer, compressed), find(operation, REFERENCE, compressed)));
                }
                text.append('\n');
            }
            text.append("| bytes").append(with).append(" |");
            for (String serializer : serializers) {
                text.append(String.format(Locale.ROOT, " %.1f |", find("read", serializer, compressed).recordBytes));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private Figure find(String operation, String serializer, boolean compressed) {
        return all.stream()
                .filter(figure -> figure.operation.equals(operation)
                        && figure.serializer.equals(serializer)
                        && figure.compressed == compressed)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no figure of " + operation + " with " + serializer));
    }

    private static String time(Figure figure, Figure reference) {
        String nanos = String.format(
                Locale.ROOT, " %.0f ns ±%.0f %%", figure.medianNanos(), 100 * Statistics.spread(figure.nanos));
        if (figure == reference) {
            return nanos + " |";
        }
        return nanos + ", " + Statistics.factor(figure.medianNanos() / reference.medianNanos()) + " |";
    }

    private static String title(String serializer) {
        return switch (serializer) {
            case "heapspan" -> "Heapspan";
            case "kryo" -> "Kryo";
            case "kryo-registered" -> "Kryo, registered, references off";
            case "java" -> "Java";
            default -> serializer;
        };
    }
}
