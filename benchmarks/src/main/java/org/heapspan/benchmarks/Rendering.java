package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes the tables and plots of a report. */
final class Rendering {
    private Rendering() {}

    /** Writes {@code codec.md} and the plots into the folder and returns the paths of the plots. */
    static List<Path> write(Measurements measurements, Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> plots = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        measurements.machine().forEach(line -> text.append("* ").append(line).append('\n'));
        text.append(Tables.summary(measurements));
        for (Measurement group : measurements.groups()) {
            String name = String.format("codec-jdk%s-%s-%s", group.jdk, group.collector, group.call.name())
                    .toLowerCase(Locale.ROOT);
            Path times = folder.resolve(name + "-time.svg");
            Files.writeString(times, BarChart.times(measurements, group));
            Path sizes = folder.resolve(name + "-size.svg");
            Files.writeString(sizes, BarChart.sizes(measurements, group));
            plots.add(times);
            plots.add(sizes);
            text.append("\n![").append(Tables.title(group)).append(": time](plots/");
            text.append(times.getFileName()).append(")\n");
            text.append("\n![").append(Tables.title(group)).append(": size](plots/");
            text.append(sizes.getFileName()).append(")\n");
        }
        text.append(Tables.details(measurements));
        Files.writeString(folder.resolve("codec.md"), text);
        return plots;
    }
}
