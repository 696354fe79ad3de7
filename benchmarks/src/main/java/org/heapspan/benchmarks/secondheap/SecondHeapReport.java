package org.heapspan.benchmarks.secondheap;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;

/**
 * The program behind {@code ./dev bench h2}: what a second heap costs the Java heap and its collector, and how fast rows get into it and out of it,
 * against a copy of as many bytes, other serializers, the Java heap, and the device.
 */
public final class SecondHeapReport {
    private static final String HELP = """
            Measures the second heap in one JVM (HEAPSPAN_JAVA_OPTS, such as -Xmx3g). Writes build/bench/h2.json, h2.md and a plot.

              --megabytes=512       images in the second heap
              --rounds=5            repetitions of each figure
              --dir=PATH            where the files are (default: the folder for temporary files)
              --encryption=BITS     length of the key that the files are encrypted with (default: 0, they are not); to h2-encrypted.json
              --render              measure nothing, only write tables and plot anew
              --publish             copy tables, plot and figures to docs/
            """;

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-h2.md",
            "h2",
            "h2 --render",
            (figures, folder) -> new SecondHeapPage(SecondHeapFigures.load(figures)).write(folder));

    /** Where those of an encrypted second heap are published. */
    public static final Publication ENCRYPTED = new Publication(
            "docs/h2.md",
            "h2-encrypted",
            "h2 --encryption=128 --render",
            (figures, folder) -> new SecondHeapPage(SecondHeapFigures.load(figures)).encrypted());

    private long megabytes = 512;
    private int rounds = 5;
    private int keyBits;
    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    private final PublishOptions output = new PublishOptions();

    private SecondHeapReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SecondHeapReport report = new SecondHeapReport();
        Arguments.read(arguments, HELP, report::takes);
        Path root = Repository.root();
        Publication publication = report.keyBits > 0 ? ENCRYPTED : PUBLICATION;
        Path json = publication.figures(root);
        if (!report.output.isRender()) {
            report.measure(RunNote.begin("h2", arguments, List.of())).save(json);
        }
        System.out.println("written: " + json + " and tables");
        report.output.show(publication, root);
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--megabytes" -> megabytes = Long.parseLong(value);
            case "--rounds" -> rounds = Integer.parseInt(value);
            case "--encryption" -> keyBits = Integer.parseInt(value);
            case "--dir" -> {
                if (value.isEmpty()) {
                    throw new IllegalArgumentException("expected a folder");
                }
                directory = Path.of(value);
            }
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private SecondHeapFigures measure(RunNote run) throws IOException, InterruptedException {
        List<String> machine = run.software;
        machine.add(String.format(
                Locale.ROOT,
                "JVM: %s, Java heap of %d MB, %s",
                System.getProperty("java.vm.version"),
                Runtime.getRuntime().maxMemory() >> 20,
                ManagementFactory.getGarbageCollectorMXBeans().get(0).getName()));
        machine.add("Rows of ten doubles, a string and two numbers, " + Row.BLOCK + " of them in a block; " + megabytes
                + " MB in the second heap; each figure the median of " + rounds + " rounds");
        if (keyBits > 0) {
            machine.add("Second heap encrypted with a key of " + keyBits + " bits");
        }
        SecondHeapFigures figures = new SecondHeapFigures(run);
        SecondHeapMeasurement measurement =
                new SecondHeapMeasurement(figures, directory, megabytes << 20, rounds, keyBits);
        measurement.run();
        run.end();
        return figures;
    }
}
