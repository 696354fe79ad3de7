package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Publication.Rendered;

/** Writes the tables and plots of a report. */
final class Rendering {
    private Rendering() {}

    /** The headline of these figures, without plots. */
    static Rendered writeHeadline(Path figures, Path folder) throws IOException {
        Measurements measurements = Measurements.load(figures);
        StringBuilder text = new StringBuilder(RunNote.methods(measurements.runs()));
        text.append(Headline.first(measurements));
        text.append("\nMade with:\n\n");
        measurements.runs().forEach(run -> text.append(run.markdown()));
        return new Rendered(text.toString(), List.of());
    }

    /** What Heapspan loses, without plots. */
    static Rendered writeLosses(Path figures, Path folder) throws IOException {
        Measurements measurements = Measurements.load(figures);
        return new Rendered(RunNote.methods(measurements.runs()) + Headline.losses(measurements), List.of());
    }

    /** Writes plots of these figures into the folder; returns tables and plots. */
    static Rendered write(Path figures, Path folder) throws IOException {
        Measurements measurements = Measurements.load(figures);
        List<Path> plots = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        text.append(RunNote.methods(measurements.runs()));
        text.append(RunNote.markdown(measurements.runs()));
        text.append(Headline.all(measurements));
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
        return new Rendered(text.toString(), plots);
    }
}
