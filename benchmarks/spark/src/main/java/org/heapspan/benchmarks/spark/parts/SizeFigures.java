package org.heapspan.benchmarks.spark.parts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.RunNote;

/** What {@link SizeReport} has measured, with a note on the run; the content of {@code sizes.json}. A bean. */
final class SizeFigures {
    /** Estimates of one object; processor time in nanoseconds, the least of all rounds. A bean. */
    static final class Line {
        public String object = "";

        /** How many records the object reaches. */
        public int records;

        public double sparkNanos;
        public double heapspanNanos;

        /** Of objects that were never estimated before. */
        public double sparkFirstNanos;

        public double heapspanFirstNanos;

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "| %s | %,d | %,.0f | %,.0f | %s | %,.0f | %,.0f | %s |",
                    object,
                    records,
                    sparkNanos,
                    heapspanNanos,
                    factor(sparkNanos / heapspanNanos),
                    sparkFirstNanos,
                    heapspanFirstNanos,
                    factor(sparkFirstNanos / heapspanFirstNanos));
        }

        private static String factor(double factor) {
            return String.format(Locale.ROOT, factor < 0.95 ? "**%.1fx**" : "%.1fx", factor);
        }
    }

    public RunNote run = new RunNote();
    public List<Line> all = new ArrayList<>();

    String table() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(run)));
        text.append("\n| object | records | Spark, ns | Heapspan, ns | | Spark, first, ns | Heapspan, first, ns | |\n");
        text.append("|---|--:|--:|--:|--:|--:|--:|--:|\n");
        all.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }
}
