package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the tables and plots of a report and publishes them in {@code docs/benchmarks-transfer.md}. */
final class TransferPage {
    private static final String BEGIN =
            "<!-- transfer figures: begin, written by ./dev bench transfer --render --publish -->";
    private static final String END = "<!-- transfer figures: end -->";

    private final TransferFigures figures;

    TransferPage(TransferFigures figures) {
        this.figures = figures;
    }

    /** What stands between the two comments of the page. */
    String tables() {
        StringBuilder text = new StringBuilder();
        figures.machine().forEach(line -> text.append("* ").append(line).append('\n'));
        text.append("* Windows for each figure: ").append(figures.windows()).append('\n');
        return text.append(TransferTables.of(figures)).toString();
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("transfer.md"), tables());
        writePlots(folder);
    }

    private void writePlots(Path folder) throws IOException {
        for (String channel : figures.channels()) {
            Files.writeString(folder.resolve(TransferChart.fileName(channel)), TransferChart.of(figures, channel));
        }
    }

    /**
     * Replaces the figures of the page, and the plots.
     *
     * @throws IOException if the page lacks the two comments that enclose the figures, or cannot be written
     */
    void publish(Path docs) throws IOException {
        Path page = docs.resolve("benchmarks-transfer.md");
        String old = Files.readString(page);
        int begin = old.indexOf(BEGIN);
        int end = old.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(page + " lacks the lines '" + BEGIN + "' and '" + END + "' around the figures");
        }
        Files.writeString(page, old.substring(0, begin) + BEGIN + "\n" + tables() + old.substring(end));
        writePlots(Files.createDirectories(docs.resolve("plots")));
    }
}
