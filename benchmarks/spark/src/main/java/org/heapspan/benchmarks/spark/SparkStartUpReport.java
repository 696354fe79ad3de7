package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.spark.SparkStartUpFigures.Figures;

/**
 * The program behind {@code ./dev bench spark-startup}: what the plug-in costs where it has nothing to do. Applications with and without it, in turns: how long
 * they take to start, and what a query over rows takes, which Spark carries itself.
 */
public final class SparkStartUpReport {
    /** Where its figures go. No file of it is published, and what its page has is older: it is not among the sections that a test compares. */
    public static final Publication PUBLICATION = new Publication(
            "docs/spark.md",
            "spark-startup",
            "spark-startup",
            (figures, folder) -> new Rendered(StartUpTables.of(SparkStartUpFigures.load(figures)), List.of()));

    private static final String HELP = """
            Runs applications on Spark (local-cluster, a driver and two executors) with and without the plug-in, in turns.

              --starts=5            applications of each kind that only start
              --queries=4           applications of each kind that run queries; 0 for none
              --warmUp=3            queries in each of them that are not counted
              --times=5             queries in each of them that are
              --scale=0.5           rows of a query, in 20 millions
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --render              measure nothing, write the tables again
              --publish             also into docs/spark.md

            Figures go to build/bench/spark-startup.json, tables to build/bench/spark-startup.md.
            """;

    private static final int TIMEOUT_MINUTES = 20;

    /** What an application runs with. */
    enum Kind {
        STOCK("Spark alone"),
        PLUGIN("with the plug-in"),
        SHARED("with the plug-in and `--share-classes`");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final Path root = Repository.root();
    private final Path folder = root.resolve("build/bench");
    private final Path spark = Path.of(System.getProperty("heapspan.spark.home"));
    private int starts = 5;
    private int queries = 4;
    private int warmUp = 3;
    private int times = 5;
    private double scale = 0.5;
    private String jdkName = "25";
    private final PublishOptions output = new PublishOptions();
    private int done;

    private SparkStartUpReport() {}

    /** Measures and writes tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SparkStartUpReport report = new SparkStartUpReport();
        Arguments.read(arguments, HELP, report::takes);
        if (!report.output.isRender()) {
            report.measure(arguments);
        }
        report.output.show(PUBLICATION, report.root);
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--starts" -> starts = Integer.parseInt(value);
            case "--queries" -> queries = Integer.parseInt(value);
            case "--warmUp" -> warmUp = Integer.parseInt(value);
            case "--times" -> times = Integer.parseInt(value);
            case "--scale" -> scale = Double.parseDouble(value);
            case "--jdk" -> jdkName = value;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void measure(String[] arguments) throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        SparkStartUpFigures figures = new SparkStartUpFigures();
        figures.run = SparkNote.begin("bench spark-startup", arguments, List.of(jdk), "a core and 1 GB each");
        figures.warmUp = warmUp;
        figures.times = times;
        long begin = System.nanoTime();
        System.out.println(
                "one application that is not counted, which makes the archive of class data if there is none ...");
        application(jdk, Kind.SHARED, 0, 0);
        inTurns("start", List.of(Kind.values()), starts, kind -> {
            Figures each = application(jdk, kind, 0, 0);
            SparkStartUpFigures.add(figures.started, kind, each);
            return each;
        });
        inTurns("queries", List.of(Kind.STOCK, Kind.PLUGIN), queries, kind -> {
            Figures each = application(jdk, kind, warmUp, times);
            SparkStartUpFigures.add(figures.queried, kind, each);
            return each;
        });
        figures.save(PUBLICATION.figures(root));
        System.out.printf("took %d s%n", (System.nanoTime() - begin) / 1_000_000_000);
    }

    /** An application that is run and noted. */
    private interface Step {
        Figures run(Kind kind) throws IOException, InterruptedException;
    }

    /** All kinds one after the other, again and again, and their order turned around each time. */
    private void inTurns(String what, List<Kind> kinds, int runs, Step step) throws IOException, InterruptedException {
        for (int run = 0; run < runs; run++) {
            List<Kind> order = new ArrayList<>(kinds);
            if (run % 2 == 1) {
                Collections.reverse(order);
            }
            for (Kind kind : order) {
                Figures figures = step.run(kind);
                System.out.printf(
                        "[%d/%d] %s, %s: %s%n",
                        ++done,
                        starts * Kind.values().length + queries * 2,
                        what,
                        kind.title(),
                        StartUpTables.describe(figures));
            }
        }
    }

    private Figures application(Jdk jdk, Kind kind, int warmUpTimes, int countedTimes)
            throws IOException, InterruptedException {
        Path own = Folders.fresh(folder.resolve("application"));
        Path file = own.resolve("figures.json");
        List<String> command = command(kind, own);
        command.addAll(List.of(
                Double.toString(scale),
                Integer.toString(warmUpTimes),
                Integer.toString(countedTimes),
                file.toString()));
        String failure = SparkProcess.run(spark, jdk, own, command, TIMEOUT_MINUTES);
        if (!failure.isEmpty()) {
            Path kept = folder.resolve("spark-startup.log");
            Files.move(SparkProcess.output(own), kept, StandardCopyOption.REPLACE_EXISTING);
            throw new IOException("an application " + failure + "; see " + kept);
        }
        return FigureFile.read(file, Figures.class);
    }

    private List<String> command(Kind kind, Path own) {
        List<String> command = new ArrayList<>();
        if (kind == Kind.SHARED) {
            command.addAll(List.of(
                    root.resolve("dist/bin/heapspan").toString(),
                    "spark-submit",
                    "--share-classes=" + folder.resolve("classes")));
        } else {
            command.add(spark.resolve("bin/spark-submit").toString());
        }
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("spark.master", "local-cluster[2,1,1024]");
        configuration.put("spark.executor.memory", "1g");
        configuration.put("spark.executor.instances", "2");
        configuration.put("spark.driver.memory", "1g");
        configuration.put("spark.driver.host", "127.0.0.1");
        configuration.put("spark.driver.bindAddress", "127.0.0.1");
        configuration.put("spark.ui.port", "0");
        configuration.put("spark.local.dir", own.resolve("local").toString());
        if (kind == Kind.PLUGIN) {
            String jar = root.resolve("dist/heapspan-spark.jar").toString();
            configuration.put("spark.plugins", "org.heapspan.spark.HeapspanPlugin");
            configuration.put("spark.driver.extraClassPath", jar);
            configuration.put("spark.executor.extraClassPath", jar);
        }
        configuration.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        command.addAll(List.of("--class", "org.heapspan.workloads.StartUp"));
        command.add(root.resolve("workloads/target/heapspan-workloads.jar").toString());
        return command;
    }
}
