package org.heapspan.benchmarks.secondheap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;

/** Writes the tables and the plot of a report. */
final class SecondHeapPage {
    private static final String PLOT = "h2.svg";

    private final SecondHeapFigures figures;

    SecondHeapPage(SecondHeapFigures figures) {
        this.figures = figures;
    }

    /** Writes the plot; returns tables and plot. */
    Rendered write(Path folder) throws IOException {
        Path plot = Files.writeString(folder.resolve(PLOT), SecondHeapChart.of(figures));
        return new Rendered(tables(), List.of(plot));
    }

    /** What stands between the two comments of {@code docs/benchmarks-h2.md}. */
    private String tables() {
        StringBuilder text = new StringBuilder();
        text.append(RunNote.markdown(List.of(figures.run())));
        text.append("\n![Scans and appends over threads](plots/").append(PLOT).append(")\n");
        goals(text);
        text.append("\n### By threads\n");
        byThreads(text, "scan, million rows/s");
        byThreads(text, "append, million rows/s");
        return text.toString();
    }

    /** What stands between the two comments of {@code docs/h2.md}: what encryption changes. */
    Rendered encrypted() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run())));
        String h2 = RowStore.SECOND_HEAP.title();
        String newArrays = RowStore.COPY_INTO_NEW_ARRAYS.title();
        text.append("\n| What | Figure | Spread, % |\n|---|--:|--:|\n");
        row(text, "Scan from the page cache, GB/s", "scan, GB/s", h2, 1);
        row(text, "Scan with 4 threads, GB/s", "scan, GB/s", h2, 4);
        row(text, "Append, million rows/s", "append, million rows/s", h2, 1);
        row(text, "Append with 4 threads, million rows/s", "append, million rows/s", h2, 4);
        row(text, "Copy of as many bytes into new arrays, GB/s", "scan, GB/s", newArrays, 1);
        return new Rendered(text.toString(), List.of());
    }

    private void goals(StringBuilder text) {
        String h2 = RowStore.SECOND_HEAP.title();
        text.append("\n| What | Figure | Spread, % |\n|---|--:|--:|\n");
        row(text, "Rows, millions", "rows, millions", h2, 1);
        row(text, "Images, MB", "images, MB", h2, 1);
        row(text, "Java heap retained, KB", "Java heap retained, KB", h2, 1);
        ratio(text, "Java heap retained : images, %", "Java heap retained, KB", h2, "images, MB", h2, 0.1);
        row(text, "Scan from the page cache, GB/s", "scan, GB/s", h2, 1);
        row(text, "Copy of as many bytes, GB/s", "scan, GB/s", RowStore.COPY.title(), 1);
        ratio(text, "Scan : copy, %", "scan, GB/s", h2, "scan, GB/s", RowStore.COPY.title(), 100);
        String newArrays = RowStore.COPY_INTO_NEW_ARRAYS.title();
        row(text, "Copy of as many bytes into new arrays, GB/s", "scan, GB/s", newArrays, 1);
        ratio(text, "Scan : copy into new arrays, %", "scan, GB/s", h2, "scan, GB/s", newArrays, 100);
        for (RowStore peer : new RowStore[] {RowStore.KRYO_REGISTERED, RowStore.KRYO, RowStore.JAVA}) {
            ratio(
                    text,
                    "Scan : scan of the bytes of " + peer.title(),
                    "scan, million rows/s",
                    h2,
                    "scan, million rows/s",
                    peer.title(),
                    1);
        }
        String device = "first read from the device, GB/s";
        row(text, "First read from the device with `dd`, GB/s", device, "dd", 1);
        row(text, "First scan from the device, GB/s", device, h2, 1);
        row(text, "First scan from the device with 4 threads, GB/s", device, h2, 4);
        ratio(text, "First scan : `dd`, %", device, h2, device, "dd", 100);
        String collections = "collections, ms";
        row(text, "Collections with nothing cached, ms", collections, "nothing", 1);
        row(text, "Collections with the rows in the second heap, ms", collections, h2, 1);
        row(text, "Collections with the rows on the Java heap, ms", collections, RowStore.JAVA_HEAP.title(), 1);
    }

    private void row(StringBuilder text, String title, String measure, String subject, int threads) {
        OptionalDouble value = figures.find(measure, subject, threads);
        if (value.isPresent()) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.0f |%n",
                    title,
                    number(value.getAsDouble()),
                    100 * figures.spread(measure, subject, threads).orElse(0)));
        }
    }

    private void ratio(
            StringBuilder text,
            String title,
            String measure,
            String subject,
            String otherMeasure,
            String other,
            double factor) {
        OptionalDouble above = figures.find(measure, subject, 1);
        OptionalDouble below = figures.find(otherMeasure, other, 1);
        if (above.isPresent() && below.isPresent()) {
            text.append(String.format(
                    Locale.ROOT, "| %s | %s | |%n", title, number(factor * above.getAsDouble() / below.getAsDouble())));
        }
    }

    private void byThreads(StringBuilder text, String measure) {
        text.append("\n| ").append(measure);
        SecondHeapFigures.THREADS.forEach(threads -> text.append(" | ").append(threads));
        text.append(" |\n|---")
                .append("|--:".repeat(SecondHeapFigures.THREADS.size()))
                .append("|\n");
        for (RowStore store : RowStore.values()) {
            if (figures.find(measure, store.title(), 1).isPresent()) {
                text.append("| ").append(store.title());
                for (int threads : SecondHeapFigures.THREADS) {
                    OptionalDouble value = figures.find(measure, store.title(), threads);
                    text.append(" | ").append(value.isPresent() ? number(value.getAsDouble()) : "");
                }
                text.append(" |\n");
            }
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
