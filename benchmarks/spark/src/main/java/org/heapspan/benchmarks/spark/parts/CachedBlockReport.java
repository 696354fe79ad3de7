package org.heapspan.benchmarks.spark.parts;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.JmhScores;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.spark.SparkNote;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The program behind {@code ./dev bench cache}: what a record of a serialized cache costs, by {@link CachedBlockBenchmark}. */
public final class CachedBlockReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-spark.md",
            "cached-blocks",
            "cache",
            (figures, folder) -> new Rendered(
                    FigureFile.read(figures, CachedBlockFigures.class).table(), List.of()));

    private static final String HELP = """
            Measures what it costs to write and to read a record of a block that Spark caches serialized.
            Writes build/bench/cached-blocks.json and cached-blocks.md. The JDK is that of ./dev.

              --forks=3             JVMs for each figure
              --render              measure nothing, only write the table anew
              --publish             copy table and figures to docs/
            """;

    private int forks = 3;
    private final PublishOptions output = new PublishOptions();

    private CachedBlockReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        CachedBlockReport report = new CachedBlockReport();
        Arguments.read(arguments, HELP, report::takes);
        report.output.run(PUBLICATION, () -> report.measure(arguments));
    }

    private boolean takes(String name, String value) {
        if (name.equals("--forks")) {
            forks = Integer.parseInt(value);
            return true;
        }
        return output.takes(name);
    }

    private CachedBlockFigures measure(String[] arguments)
            throws IOException, RunnerException, ReflectiveOperationException {
        CachedBlockFigures figures = new CachedBlockFigures();
        figures.run =
                SparkNote.beginIn("bench cache", arguments, List.of(Jdk.current()), "its streams without a cluster");
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(CachedBlockBenchmark.class.getName() + "\\.")
                        .forks(forks)
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .build())
                .run()) {
            CachedBlockFigures.Figure figure = new CachedBlockFigures.Figure();
            String name = result.getParams().getBenchmark();
            figure.operation = name.substring(name.lastIndexOf('.') + 1);
            figure.serializer = result.getParams().getParam("serializer");
            figure.compressed = Boolean.parseBoolean(result.getParams().getParam("compress"));
            figure.nanos = JmhScores.of(result);
            figure.recordBytes = CachedBlockBenchmark.recordBytes(figure.serializer, figure.compressed);
            figures.all.add(figure);
            System.out.printf(
                    Locale.ROOT,
                    "%s, %s%s: %.0f ns, %.1f bytes%n",
                    figure.operation,
                    figure.serializer,
                    figure.compressed ? ", LZ4" : "",
                    figure.medianNanos(),
                    figure.recordBytes);
        }
        figures.run.end();
        return figures;
    }
}
