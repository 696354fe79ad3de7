package org.heapspan.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The program behind {@code ./dev bench streams}: what it costs to open a stream or a group, by {@link StreamOpenBenchmark}. */
public final class StreamReport {
    private static final String HELP = """
            Measures what streams and groups cost to open. Writes build/bench/streams.json and streams.md.

              --jdk=25,17           JDKs; their homes are in JAVA25_HOME, JAVA17_HOME
              --gc=G1               collector
              --forks=2             JVMs for each figure
              --registry=false      true: types are numbers of a registry instead of descriptions
              --render              measure nothing, only write the table anew
              --publish             copy table and figures to docs/
            """;

    /** Where its figures are published. */
    static final Publication PUBLICATION = new Publication(
            "docs/benchmarks.md",
            "streams",
            "streams",
            (figures, folder) -> new Publication.Rendered(table(FigureFile.read(figures, Figures.class)), List.of()));

    /** What was measured, with a note on the run; the content of {@code streams.json}. */
    static final class Figures {
        public RunNote run = new RunNote();
        public List<Figure> all = new ArrayList<>();
    }

    /** One operation on one JDK; a bean. */
    static final class Figure {
        public String operation = "";
        public String jdk = "";

        /** An iteration each, those of all JVMs. */
        public double[] nanos = {};

        public double allocatedBytes;
    }

    private String jdks = "25,17";
    private String collector = "G1";
    private int forks = 2;
    private String registry = "false";
    private final PublishOptions output = new PublishOptions();

    private StreamReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        StreamReport report = new StreamReport();
        Arguments.read(arguments, HELP, report::takes);
        report.output.run(PUBLICATION, () -> report.measure(arguments));
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--jdk" -> jdks = value;
            case "--gc" -> collector = value;
            case "--forks" -> forks = Integer.parseInt(value);
            case "--registry" -> registry = value;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private Figures measure(String[] arguments) throws IOException, RunnerException {
        List<Jdk> homes = Arrays.stream(jdks.split(",", -1)).map(Jdk::named).toList();
        Figures figures = new Figures();
        figures.run = RunNote.begin("streams", arguments, homes);
        for (Jdk jdk : homes) {
            for (RunResult result : new Runner(new OptionsBuilder()
                            .include(StreamOpenBenchmark.class.getName() + "\\.")
                            .param("registry", registry)
                            .jvm(jdk.home().resolve("bin/java").toString())
                            .jvmArgs("-Xms1g", "-Xmx1g", "-XX:+Use" + collector + "GC")
                            .addProfiler("gc")
                            .forks(forks)
                            .warmupIterations(6)
                            .warmupTime(TimeValue.milliseconds(400))
                            .measurementIterations(5)
                            .measurementTime(TimeValue.milliseconds(400))
                            .verbosity(VerboseMode.SILENT)
                            .shouldFailOnError(true)
                            .build())
                    .run()) {
                Figure figure = figure(jdk, result);
                figures.all.add(figure);
                System.out.printf(
                        Locale.ROOT,
                        "JDK %s, %s: %.0f ns%n",
                        figure.jdk,
                        figure.operation,
                        Statistics.median(figure.nanos));
            }
        }
        figures.run.end();
        return figures;
    }

    private static Figure figure(Jdk jdk, RunResult result) {
        Figure figure = new Figure();
        figure.jdk = jdk.name();
        String name = result.getParams().getBenchmark();
        figure.operation = name.substring(name.lastIndexOf('.') + 1);
        figure.nanos = JmhScores.of(result);
        Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
        figure.allocatedBytes = allocated == null ? 0 : allocated.getScore();
        return figure;
    }

    private static String table(Figures figures) {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run)));
        Set<String> jdks = new LinkedHashSet<>();
        Set<String> operations = new LinkedHashSet<>();
        figures.all.forEach(figure -> {
            jdks.add(figure.jdk);
            operations.add(figure.operation);
        });
        text.append("\n| |");
        jdks.forEach(jdk -> text.append(" JDK ").append(jdk).append(" |"));
        text.append("\n|---|").append("--:|".repeat(jdks.size())).append('\n');
        for (String operation : operations) {
            text.append("| ").append(title(operation)).append(" |");
            for (String jdk : jdks) {
                Optional<Figure> found = figures.all.stream()
                        .filter(figure -> figure.jdk.equals(jdk) && figure.operation.equals(operation))
                        .findFirst();
                text.append(found.map(figure -> String.format(
                                Locale.ROOT,
                                " %,.0f ns ±%.0f %%, %,.0f B |",
                                Statistics.median(figure.nanos),
                                100 * Statistics.spread(figure.nanos),
                                figure.allocatedBytes))
                        .orElse(" - |"));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String title(String operation) {
        return switch (operation) {
            case "openOutput" -> "open `HeapspanObjectOutputStream` with a given `Heapspan`";
            case "openOutputWithDefaults" -> "open `HeapspanObjectOutputStream` with default options";
            case "writeStream" -> "open `HeapspanObjectOutputStream`, write a record of two ints, close";
            case "writeJavaStream" -> "open Java's `ObjectOutputStream`, write the same record, close";
            case "openInput" -> "open `HeapspanObjectInputStream` with a given `Heapspan`";
            case "openInputWithDefaults" -> "open `HeapspanObjectInputStream` with default options";
            case "readStream" -> "open `HeapspanObjectInputStream`, read this record, close";
            case "readJavaStream" -> "open Java's `ObjectInputStream`, read this record, close";
            case "writeGroup" -> "write a group of this one record with a `GroupWriter` that is reused";
            case "openGroup" -> "open `GroupReader` and read nothing, so its parts cannot be reused";
            case "readGroup" -> "open `GroupReader`, read this record";
            default -> operation;
        };
    }
}
