package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes the tables and plots of a report and publishes them in the documentation. */
final class Rendering {
    private static final String BEGIN = "<!-- codec figures: begin, written by ./dev bench codec --publish -->";
    private static final String END = "<!-- codec figures: end -->";

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

    /**
     * Replaces the figures in {@code docs/benchmarks.md} and the plots in {@code docs/plots}.
     *
     * @throws IOException if the page lacks the two comments that enclose the figures, or cannot be written
     */
    static void publish(List<Path> plots, Path folder, Path docs) throws IOException {
        Path page = docs.resolve("benchmarks.md");
        String old = Files.readString(page);
        int begin = old.indexOf(BEGIN);
        int end = old.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(page + " lacks the lines '" + BEGIN + "' and '" + END + "' around the figures");
        }
        String figures = Files.readString(folder.resolve("codec.md"));
        Files.writeString(page, old.substring(0, begin) + BEGIN + "\n" + figures + old.substring(end));
        Path target = Files.createDirectories(docs.resolve("plots"));
        for (Path plot : plots) {
            Files.copy(plot, target.resolve(plot.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
