package org.heapspan.benchmarks.spark.parts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.heapspan.benchmarks.RunNote;

/** What {@link BlockSizeReport} has measured, with a note on the run; the content of {@code block-sizes.json}. A bean. */
final class BlockSizeFigures {
    /** A kind of record and a number of records in a block; a bean. */
    static final class Line {
        public String record = "";
        public int recordsInBlock;

        /** Bytes of a block on average, by the title of the serializer. */
        public Map<String, Double> bytes = new LinkedHashMap<>();
    }

    public RunNote run = new RunNote();
    public List<Line> all = new ArrayList<>();

    String table() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(run)));
        List<String> serializers = List.copyOf(all.get(0).bytes.keySet());
        text.append("\n| record | records in a block | ")
                .append(String.join(" | ", serializers))
                .append(" |\n|---|--:|");
        text.append("--:|".repeat(serializers.size())).append('\n');
        for (Line line : all) {
            text.append("| ")
                    .append(line.record)
                    .append(" | ")
                    .append(line.recordsInBlock)
                    .append(" |");
            double ours = line.bytes.get(serializers.get(0));
            for (String serializer : serializers) {
                double bytes = line.bytes.get(serializer);
                text.append(
                        serializer.equals(serializers.get(0))
                                ? String.format(Locale.ROOT, " %.1f |", bytes)
                                : String.format(
                                        Locale.ROOT,
                                        bytes < ours ? " %.1f (**%.2fx**) |" : " %.1f (%.2fx) |",
                                        bytes,
                                        bytes / ours));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
