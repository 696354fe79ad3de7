package org.heapspan.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The program behind {@code ./dev bench startup}: what Heapspan costs a JVM before and at its first use, each figure from JVMs of
 * its own, in turns with JVMs that do nothing.
 */
public final class StartUpReport {
    static final String HELP = """
            Measures how long the first use takes, in fresh JVMs with dist/heapspan.jar. Writes build/bench/startup.json and startup.md.

              --runs=15             JVMs for each figure
              --jdk=25,17           JDKs; their homes are in JAVA25_HOME, JAVA17_HOME (default: both)
              --render              measure nothing, only write the table anew
              --publish             copy table and figures to docs/
            """;

    /** Where its figures are published. */
    static final Publication PUBLICATION = new Publication(
            "docs/benchmarks.md",
            "startup",
            "startup",
            (figures, folder) -> new Publication.Rendered(table(FigureFile.read(figures, Figures.class)), List.of()));

    private static final String[] TIMES = {"Heapspan.create()", "first encode", "first decode"};

    /** What was measured, with a note on the run; the content of {@code startup.json}. */
    static final class Figures {
        public RunNote run = new RunNote();
        public List<Figure> all = new ArrayList<>();
    }

    /** One line of the table; a bean. */
    static final class Figure {
        public String jdk = "";
        public String what = "";

        /** A JVM each. */
        public long[] micros = {};

        /** Of the calling thread, a JVM each; none for JVMs as a whole. */
        public long[] processorMicros = {};

        /** What was allocated, in bytes; 0 where it is not known. */
        public long allocatedBytes;
    }

    private final String classPath = System.getProperty("heapspan.jar", "dist/heapspan.jar")
            + File.pathSeparator
            + System.getProperty("java.class.path");

    private final PublishOptions output = new PublishOptions();
    private final Figures figures = new Figures();
    private int runs = 15;
    private List<String> jdks = List.of("25", "17");

    private StartUpReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        StartUpReport report = new StartUpReport();
        Arguments.read(arguments, HELP, report::takes);
        if (!report.output.isRender()) {
            report.measure(arguments);
        }
        report.output.show(PUBLICATION, Repository.root());
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--runs" -> runs = Integer.parseInt(value);
            case "--jdk" -> jdks = List.of(value.split(",", -1));
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void measure(String[] arguments) throws IOException, InterruptedException {
        List<Jdk> homes = jdks.stream().map(Jdk::named).toList();
        figures.run = RunNote.begin("startup", arguments, homes);
        for (Jdk jdk : homes) {
            measure(jdk);
        }
        figures.run.end();
        FigureFile.write(PUBLICATION.figures(Repository.root()), figures);
    }

    private void measure(Jdk jdk) throws IOException, InterruptedException {
        List<long[]> times = new ArrayList<>();
        long[] nothing = new long[runs];
        long[] whole = new long[runs];
        for (int i = 0; i < runs; i++) {
            long start = System.nanoTime();
            run(jdk, "nothing");
            long between = System.nanoTime();
            times.add(numbers(run(jdk, "times")));
            whole[i] = (System.nanoTime() - between) / 1000;
            nothing[i] = (between - start) / 1000;
        }
        // Of the first instance, and of the first encode and decode together.
        long[] bytes = numbers(run(jdk, "bytes"));
        add(jdk, "a JVM that does nothing", nothing, new long[0], 0);
        add(jdk, "a JVM that encodes and decodes one record", whole, new long[0], 0);
        for (int phase = 0; phase < TIMES.length; phase++) {
            int at = 2 * phase;
            add(jdk, TIMES[phase], column(times, at), column(times, at + 1), phase < bytes.length ? bytes[phase] : 0);
        }
    }

    private void add(Jdk jdk, String what, long[] micros, long[] processorMicros, long allocatedBytes) {
        Figure figure = new Figure();
        figure.jdk = jdk.name();
        figure.what = what;
        figure.micros = micros;
        figure.processorMicros = processorMicros;
        figure.allocatedBytes = allocatedBytes;
        figures.all.add(figure);
    }

    private static long[] column(List<long[]> rows, int index) {
        return rows.stream().mapToLong(row -> row[index]).toArray();
    }

    private static String table(Figures figures) {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run)));
        text.append("\n| JDK | what | median, ms | spread, ms | processor time of the thread, ms | allocated, KB |\n");
        text.append("|---|---|--:|--:|--:|--:|\n");
        for (Figure figure : figures.all) {
            long[] sorted = figure.micros.clone();
            Arrays.sort(sorted);
            double spread = (sorted[sorted.length * 3 / 4] - sorted[sorted.length / 4]) / 2000.0;
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f | ±%.1f | %s | %s |%n",
                    figure.jdk,
                    figure.what,
                    median(figure.micros) / 1000.0,
                    spread,
                    figure.processorMicros.length == 0
                            ? ""
                            : String.format(Locale.ROOT, "%.1f", median(figure.processorMicros) / 1000.0),
                    figure.allocatedBytes == 0
                            ? ""
                            : String.format(Locale.ROOT, "%,d", figure.allocatedBytes >> 10)
                                    + (figure.what.equals(TIMES[1]) ? " with decode" : "")));
        }
        return text.toString();
    }

    private static double median(long[] values) {
        return Statistics.median(Arrays.stream(values).asDoubleStream().toArray());
    }

    private static long[] numbers(String line) {
        return Arrays.stream(line.trim().split(" ", -1))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    private String run(Jdk jdk, String what) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(jdk.home().resolve("bin").resolve("java").toString()));
        if (Integer.parseInt(jdk.name()) >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath, StartUpRun.class.getName(), what));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + " ended with " + process.exitValue());
        }
        return output;
    }
}
