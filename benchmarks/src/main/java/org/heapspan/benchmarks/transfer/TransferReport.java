package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.data.SizedSet;

/**
 * The program behind {@code ./dev bench transfer}: one JVM sends objects to another, over loopback TCP and over a pipe, and each
 * serializer is measured on its latency, its throughput and the processor time that it takes on both sides together.
 *
 * <p>Each serializer has two JVMs of its own for each data set. All are measured once before any is measured again, so that hours in which the
 * machine is slow meet all alike.
 */
public final class TransferReport {
    private static final String HELP = """
            Sends objects from one JVM to another, each serializer in JVMs of its own. Writes build/bench/transfer.json, transfer.md and plots.

              --sets=SETS
              --carriers=CARRIERS
                                    (default: DEFAULTS)
              --channels=tcp,pipe
              --elements=ELEMENTS
              --jdk=25              its home is in JAVA25_HOME (JAVA17_HOME)
              --gc=G1               collector of both
              --forks=2             pairs of JVMs per figure
              --rounds=2            windows of each figure in one pair
              --render              measure nothing, only write tables and plots anew
              --publish             copy tables, plots and figures to docs/
            """;

    /** The same for sender and receiver; pages are touched before the start, so that no serializer pays for new ones. */
    private static final List<String> JVM_OPTIONS = List.of("-Xms1600m", "-Xmx1600m", "-XX:+AlwaysPreTouch");

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-transfer.md",
            "transfer",
            "transfer --render",
            (figures, folder) -> new TransferPage(TransferFigures.load(figures)).write(folder));

    private List<String> sets = SizedSet.NAMES;
    private List<String> carriers = Carrier.DEFAULT_NAMES;
    private List<String> channels = List.of("tcp", "pipe");
    private List<String> elements = List.of("4", "256", "1024", "4096", "16384", "65536");
    private String jdkName = "25";
    private String collector = "G1";
    private int forks = 2;
    private int rounds = 2;
    private final PublishOptions output = new PublishOptions();

    private TransferReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        TransferReport report = new TransferReport();
        String help = HELP.replace("SETS", String.join(",", SizedSet.NAMES))
                .replace("CARRIERS", String.join(",", Carrier.NAMES))
                .replace("DEFAULTS", String.join(",", Carrier.DEFAULT_NAMES))
                .replace("ELEMENTS", String.join(",", report.elements));
        Arguments.read(arguments, help, report::takes);
        Path root = Repository.root();
        Path json = PUBLICATION.figures(root);
        if (!report.output.isRender()) {
            report.measure(RunNote.begin("transfer", arguments, List.of(Jdk.named(report.jdkName))))
                    .save(json);
        }
        System.out.println("written: " + json + ", transfer.md and plots");
        report.output.show(PUBLICATION, root);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--sets" -> sets = values;
            case "--carriers" -> carriers = values;
            case "--channels" -> channels = values;
            case "--elements" -> elements = values;
            case "--jdk" -> jdkName = value;
            case "--gc" -> collector = value;
            case "--forks" -> forks = Integer.parseInt(value);
            case "--rounds" -> rounds = Integer.parseInt(value);
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private TransferFigures measure(RunNote run) throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        run.software.add("JVM options of both sides: " + String.join(" ", JVM_OPTIONS) + " " + collectorOption());
        TransferFigures figures = new TransferFigures(run);
        for (int fork = 1; fork <= forks; fork++) {
            for (String set : sets) {
                for (String carrier : carriers) {
                    if (Carrier.carries(carrier, set)) {
                        long begin = System.nanoTime();
                        measure(jdk, set, carrier, figures);
                        System.err.printf(
                                "%d/%d %s %s: %.1f s%n", fork, forks, set, carrier, (System.nanoTime() - begin) / 1e9);
                    }
                }
            }
        }
        run.end();
        return figures;
    }

    private void measure(Jdk jdk, String set, String carrier, TransferFigures figures)
            throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(JVM_OPTIONS);
        options.add(collectorOption());
        String output = jdk.run(
                options,
                TransferSender.class,
                carrier,
                set,
                String.join(",", channels),
                String.join(",", elements),
                Integer.toString(rounds));
        output.lines().forEach(line -> figures.add(set, carrier, line));
    }

    private String collectorOption() {
        return "-XX:+Use" + collector + "GC";
    }
}
