package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What {@code ./dev bench flink-queries} has measured, with a note on each run; the content of {@code flink-queries.json}, {@code flink-tuples.json},
 * {@code flink-dates.json}, {@code flink-large.json} and {@code flink-groups.json}. A bean. Flink is no part of it, so that all pages can be compared with their figures without Flink.
 */
public final class FlinkQueryFigures {
    /** Where the figures are published. */
    public static final Publication PUBLICATION =
            new Publication("docs/benchmarks-flink.md", "flink-queries", "flink-queries", FlinkQueryFigures::render);

    /** Where those of rows as tuples are. */
    public static final Publication TUPLES = new Publication(
            "docs/benchmarks-flink.md",
            "flink-tuples",
            "flink-queries --tuples",
            (figures, folder) -> new Publication.Rendered(read(figures).table(), List.of()));

    /** Where those of Flink's own type for dates are. */
    public static final Publication DATES = new Publication(
            "docs/benchmarks-flink.md",
            "flink-dates",
            "flink-queries --dates",
            (figures, folder) -> new Publication.Rendered(read(figures).table(), List.of()));

    /** Where those of data that does not fit in the heap are. */
    public static final Publication LARGE = new Publication(
            "docs/benchmarks-flink.md",
            "flink-large",
            "flink-queries --large",
            (figures, folder) -> new Publication.Rendered(read(figures).table(), List.of()));

    /** Where those of records in groups are. */
    public static final Publication GROUPS = new Publication(
            "docs/benchmarks-flink.md",
            "flink-groups",
            "flink-queries --groups",
            (figures, folder) -> new Publication.Rendered(read(figures).table("records", "sent"), List.of()));

    private static final String PLOT = "flink-queries.svg";

    public List<RunNote> runs = new ArrayList<>();

    /** Size of the data, in gigabytes. */
    public String scale = "";

    public List<Figure> all = new ArrayList<>();

    /** One query and one serializer, or one form of records; a bean. */
    public static final class Figure extends OfRun {
        /** Its name, or what is exchanged if it is no query. */
        public String query = "";

        /** Of a query. */
        public String title = "";

        public String serializer = "";

        /** What tasks have sent to others. */
        public double exchangedMegabytes;

        /** Of each run in each JVM that counts. */
        public List<Double> seconds = new ArrayList<>();

        double median() {
            return Statistics.median(seconds);
        }

        private String name() {
            return title.isEmpty() ? query : query + ": " + title;
        }

        private double[] values() {
            return seconds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        }

        /** The median; the least and the greatest too, if there are several. */
        private String time() {
            double[] values = values();
            if (values.length == 1) {
                return String.format(Locale.ROOT, "%.2f", values[0]);
            }
            return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median(), values[0], values[values.length - 1]);
        }
    }

    /**
     * The figures in this file, or none if there is no file.
     *
     * @throws IOException if it holds something else
     */
    public static FlinkQueryFigures load(Path json) throws IOException {
        return Files.exists(json) ? read(json) : new FlinkQueryFigures();
    }

    /**
     * Adds the note of a run that begins: figures that are added from now on are of this run.
     *
     * @param gigabytes size of the data
     * @throws IOException if former figures are of another kind of machine, other versions or options, or other data
     */
    public void begin(RunNote run, String gigabytes) throws IOException {
        if (!all.isEmpty() && !scale.equals(gigabytes)) {
            throw new IOException("the figures that there are have scale " + scale + ", these would have scale "
                    + gigabytes + "; measure them with --scale=" + scale + ", or without --add");
        }
        run.mustBeComparableWith(runs);
        for (RunNote former : runs) {
            if (!former.software.equals(run.software)) {
                throw new IOException("the figures that there are were measured with " + former.software
                        + ", these would be with " + run.software + "; measure them the same way, or without --add");
            }
        }
        scale = gigabytes;
        runs.add(run);
    }

    /**
     * Ends the latest run, and forgets runs of which no figure is left. Queries are in the order of this list from now on, those that are not in it are
     * last.
     */
    public void end(List<String> order) {
        runs.get(runs.size() - 1).end();
        OfRun.dropUnused(runs, all);
        all.sort(Comparator.comparingInt(
                figure -> order.contains(figure.query) ? order.indexOf(figure.query) : order.size()));
    }

    /** Whether there is a figure of a query and a serializer. */
    public boolean has(String query, String serializer) {
        return find(query, serializer) != null;
    }

    /**
     * The figure of a query and a serializer, which a caller completes. If there is none, one of the latest run.
     *
     * @param title of the query
     */
    public Figure figure(String query, String title, String serializer) {
        Figure figure = find(query, serializer);
        if (figure == null) {
            figure = new Figure();
            figure.run = runs.size() - 1;
            figure.query = query;
            figure.title = title;
            figure.serializer = serializer;
            all.add(figure);
        }
        return figure;
    }

    List<String> queries() {
        return all.stream().map(figure -> figure.query).distinct().toList();
    }

    List<Figure> of(String query) {
        return all.stream().filter(figure -> figure.query.equals(query)).toList();
    }

    private Figure find(String query, String serializer) {
        return of(query).stream()
                .filter(figure -> figure.serializer.equals(serializer))
                .findFirst()
                .orElse(null);
    }

    private static FlinkQueryFigures read(Path figures) throws IOException {
        return FigureFile.read(figures, FlinkQueryFigures.class);
    }

    private static Publication.Rendered render(Path figures, Path folder) throws IOException {
        FlinkQueryFigures read = read(figures);
        Path plot = folder.resolve(PLOT);
        Files.writeString(plot, FlinkQueryChart.of(read));
        return new Publication.Rendered(
                read.table() + "\n![Queries of TPC-H on Flink](plots/" + PLOT + ")\n", List.of(plot));
    }

    /** As Markdown. */
    public String table() {
        return table("query", "serializer");
    }

    private String table(String first, String second) {
        StringBuilder text = new StringBuilder(RunNote.markdown(runs));
        text.append("\nScale ")
                .append(scale)
                .append(" of TPC-H: ")
                .append(scale)
                .append(" GB of text.\n");
        text.append("\n| ")
                .append(first)
                .append(" | ")
                .append(second)
                .append(" | exchanged, MB | time, s | against ")
                .append(all.get(0).serializer)
                .append(" |\n|---|---|--:|--:|--:|\n");
        for (Figure figure : all) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %,.1f | %s | %s |%n",
                    figure.name(),
                    figure.serializer,
                    figure.exchangedMegabytes,
                    figure.time(),
                    against(of(figure.query).get(0), figure)));
        }
        return text.toString();
    }

    /** How much more or less time it takes than the first serializer. */
    private static String against(Figure first, Figure figure) {
        return figure == first
                ? ""
                : String.format(Locale.ROOT, "%+.0f %%", 100 * (figure.median() / first.median() - 1));
    }
}
