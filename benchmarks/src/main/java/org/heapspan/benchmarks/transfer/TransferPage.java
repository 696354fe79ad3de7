package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;

/** Writes the tables and plots of a report. */
final class TransferPage {
    private final TransferFigures figures;

    TransferPage(TransferFigures figures) {
        this.figures = figures;
    }

    /** What stands between the two comments of {@code docs/benchmarks-transfer.md}. */
    private String tables() {
        StringBuilder text = new StringBuilder();
        text.append(RunNote.markdown(List.of(figures.run())));
        text.append("* Windows for each figure: ").append(figures.windows()).append('\n');
        return text.append(TransferTables.of(figures)).toString();
    }

    /** Writes plots; returns tables and plots. */
    Rendered write(Path folder) throws IOException {
        List<Path> plots = new ArrayList<>();
        for (String channel : figures.channels()) {
            plots.add(Files.writeString(
                    folder.resolve(TransferChart.fileName(channel)), TransferChart.of(figures, channel)));
        }
        return new Rendered(tables(), plots);
    }
}
