package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.spark.SparkBroadcastFigures.Figures;

/**
 * The program behind {@code ./dev bench spark-broadcast}: a large broadcast, which all executors of a host read at the same time, with Spark's
 * serializers, with the plug-in, and with the plug-in where executors share the bytes.
 */
public final class SparkBroadcastReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-spark.md",
            "spark-broadcast",
            "spark-broadcast",
            (figures, folder) -> new Rendered(BroadcastTables.of(SparkBroadcastFigures.load(figures)), List.of()));

    private static final String HELP = """
            Broadcasts a value on Spark (local-cluster), and lets all executors read it at the same time.

              --kinds=KINDS
              --peers=PEERS
              --megabytes=67,1024   of the value in the heap; 200,000 entries of the hash map take 67 MB
              --executors=4
              --heap=4096           megabytes of each executor, and of the driver
              --warmUp=1            broadcasts of an application that are not counted
              --times=3             broadcasts of an application that are
              --runs=1              applications of each kind and peer, in turns
              --folder=/dev/shm     where executors share bytes
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --add                 keep the figures of former runs (build/bench/spark-broadcast.json, else
                                    docs/figures/spark-broadcast.json)
              --render              measure nothing, write the tables again
              --publish             also into docs/benchmarks-spark.md

            Figures go to build/bench/spark-broadcast.json, tables to build/bench/spark-broadcast.md.
            """;

    private static final int TIMEOUT_MINUTES = 20;

    /** What is broadcast. */
    enum Kind implements Choice {
        ARRAYS("Arrays of random numbers"),
        TABLE("A hash map of accounts");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** How it travels. */
    enum Peer implements Choice {
        JAVA("Spark alone, Java serialization (its default)"),
        KRYO("Spark alone, Kryo"),
        HEAPSPAN("with the plug-in"),
        HEAPSPAN_SHARED("with the plug-in, `spark.heapspan.broadcast.dir`");

        private final String title;

        Peer(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final Path root = Repository.root();
    private final Path folder = root.resolve("build/bench");
    private final Path spark = Path.of(System.getProperty("heapspan.spark.home"));
    private List<Kind> kinds = List.of(Kind.values());
    private List<Peer> peers = List.of(Peer.values());
    private List<Integer> megabytes = List.of(67, 1024);
    private int executors = 4;
    private int heapMegabytes = 4096;
    private int warmUp = 1;
    private int times = 3;
    private int runs = 1;
    private String shared = "/dev/shm";
    private String jdkName = "25";
    private boolean add;
    private final PublishOptions output = new PublishOptions();

    private SparkBroadcastReport() {}

    /** Measures and writes tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SparkBroadcastReport report = new SparkBroadcastReport();
        String help = HELP.replace("KINDS", Choice.optionNames(Kind.values()))
                .replace("PEERS", Choice.optionNames(Peer.values()));
        Arguments.read(arguments, help, report::takes);
        if (!report.output.isRender()) {
            report.measure(arguments);
        }
        report.output.show(PUBLICATION, report.root);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--kinds" -> kinds = Choice.named(values, Kind.values(), "kind");
            case "--peers" -> peers = Choice.named(values, Peer.values(), "peer");
            case "--megabytes" ->
                megabytes = values.stream().map(Integer::valueOf).toList();
            case "--executors" -> executors = Integer.parseInt(value);
            case "--heap" -> heapMegabytes = Integer.parseInt(value);
            case "--warmUp" -> warmUp = Integer.parseInt(value);
            case "--times" -> times = Integer.parseInt(value);
            case "--runs" -> runs = Integer.parseInt(value);
            case "--folder" -> shared = value;
            case "--jdk" -> jdkName = value;
            case "--add" -> add = true;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void measure(String[] arguments) throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        SparkBroadcastFigures figures =
                add ? SparkBroadcastFigures.load(PUBLICATION.formerFigures(root)) : new SparkBroadcastFigures();
        figures.begin(SparkNote.beginOn(
                "bench spark-broadcast",
                arguments,
                List.of(jdk),
                executors + " executors with a core and " + heapMegabytes + " MB each"));
        for (int run = 0; run < runs; run++) {
            List<Peer> order = new ArrayList<>(peers);
            if (run % 2 == 1) {
                Collections.reverse(order);
            }
            for (Kind kind : kinds) {
                for (int size : megabytes) {
                    for (Peer peer : order) {
                        Figures each = application(jdk, kind, size, peer);
                        figures.add(each);
                        figures.save(PUBLICATION.figures(root));
                        System.out.printf(
                                "%s of %d MB, %s: %s%n",
                                kind.optionName(), size, peer.optionName(), BroadcastTables.describe(each));
                    }
                }
            }
        }
    }

    private Figures application(Jdk jdk, Kind kind, int size, Peer peer) throws IOException, InterruptedException {
        Path own = Folders.fresh(folder.resolve("application"));
        Path file = own.resolve("figures.json");
        Path bytes = Files.createTempDirectory(Path.of(shared), "heapspan-bench-");
        Figures figures;
        try {
            String failure =
                    SparkProcess.run(spark, jdk, own, command(kind, size, peer, own, bytes, file), TIMEOUT_MINUTES);
            if (failure.isEmpty()) {
                figures = FigureFile.read(file, Figures.class);
            } else {
                Path kept = folder.resolve(
                        "spark-broadcast-" + kind.optionName() + "-" + size + "-" + peer.optionName() + ".log");
                Files.move(SparkProcess.output(own), kept, StandardCopyOption.REPLACE_EXISTING);
                figures = new Figures();
                figures.failure = failure;
            }
        } finally {
            Folders.fresh(bytes);
            Files.delete(bytes);
        }
        figures.kind = kind.optionName();
        figures.megabytes = size;
        figures.peer = peer.optionName();
        figures.executors = executors;
        figures.warmUp = warmUp;
        figures.times = times;
        return figures;
    }

    private List<String> command(Kind kind, int size, Peer peer, Path own, Path bytes, Path file) {
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("spark.master", "local-cluster[" + executors + ",1," + heapMegabytes + "]");
        configuration.put("spark.executor.memory", heapMegabytes + "m");
        configuration.put("spark.executor.instances", Integer.toString(executors));
        configuration.put("spark.driver.memory", heapMegabytes + "m");
        configuration.put("spark.driver.host", "127.0.0.1");
        configuration.put("spark.driver.bindAddress", "127.0.0.1");
        configuration.put("spark.ui.enabled", "false");
        configuration.put("spark.local.dir", own.resolve("local").toString());
        if (peer == Peer.KRYO) {
            configuration.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        } else if (peer != Peer.JAVA) {
            String jar = root.resolve("dist/heapspan-spark.jar").toString();
            configuration.put("spark.plugins", "org.heapspan.spark.HeapspanPlugin");
            configuration.put("spark.driver.extraClassPath", jar);
            configuration.put("spark.executor.extraClassPath", jar);
        }
        if (peer == Peer.HEAPSPAN_SHARED) {
            configuration.put("spark.heapspan.broadcast.dir", bytes.toString());
        }
        List<String> command =
                new ArrayList<>(List.of(spark.resolve("bin/spark-submit").toString()));
        configuration.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        command.addAll(List.of("--class", "org.heapspan.workloads.BroadcastRead"));
        command.add(root.resolve("workloads/target/heapspan-workloads.jar").toString());
        command.addAll(List.of(
                kind.optionName(),
                Integer.toString(size),
                Integer.toString(executors),
                Integer.toString(warmUp),
                Integer.toString(times),
                bytes.toString(),
                file.toString()));
        return command;
    }
}
