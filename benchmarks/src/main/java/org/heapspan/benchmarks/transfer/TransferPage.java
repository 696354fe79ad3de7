package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the tables and plots of a report. */
final class TransferPage {
    private final TransferFigures figures;

    TransferPage(TransferFigures figures) {
        this.figures = figures;
    }

    /** What stands between the two comments of {@code docs/benchmarks-transfer.md}. */
    String tables() {
        StringBuilder text = new StringBuilder();
        figures.machine().forEach(line -> text.append("* ").append(line).append('\n'));
        text.append("* Windows for each figure: ").append(figures.windows()).append('\n');
        return text.append(TransferTables.of(figures)).toString();
    }

    /** Writes tables and plots, and returns the plots. */
    List<Path> write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("transfer.md"), tables());
        List<Path> plots = new ArrayList<>();
        for (String channel : figures.channels()) {
            plots.add(Files.writeString(
                    folder.resolve(TransferChart.fileName(channel)), TransferChart.of(figures, channel)));
        }
        return plots;
    }
}
