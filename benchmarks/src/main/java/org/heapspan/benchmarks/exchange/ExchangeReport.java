package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;

/** The program behind {@code ./dev bench exchange}: the global heap between JVMs on one host. */
public final class ExchangeReport {
    private static final String HELP = """
        Measures the global heap: a server, this JVM, and another one. Writes build/bench/exchange.json and exchange.md.

          --rounds=15           repetitions of each figure
          --only=PARTS          measure only these of: calls, first, jvms, network, keepers, values, papers, redis, metadata, replicas
          --add                 keep the figures of earlier runs that this run does not measure
          --render              measure nothing, only write tables anew
          --publish             copy tables and figures to docs/
        """;

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-exchange.md",
            "exchange",
            "exchange --render",
            (figures, folder) -> new ExchangePage(ExchangeFigures.load(figures)).rendered());

    private int rounds = 15;
    private Set<Part> parts = EnumSet.allOf(Part.class);
    private boolean add;
    private final PublishOptions output = new PublishOptions();

    private ExchangeReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        ExchangeReport report = new ExchangeReport();
        Arguments.read(arguments, HELP, report::takes);
        Path root = Repository.root();
        Path json = PUBLICATION.figures(root);
        if (!report.output.isRender()) {
            RunNote run = RunNote.begin("exchange", arguments, List.of(Jdk.current()));
            ExchangeFigures former =
                    report.add ? ExchangeFigures.load(PUBLICATION.formerFigures(root)) : new ExchangeFigures();
            if (report.add) {
                run.mustBeComparableWith(former.runs());
            }
            ExchangeFigures figures = report.measure(run);
            if (report.add) {
                figures.addFormer(former);
            }
            figures.save(json);
        }
        System.out.println("written: " + json + " and exchange.md");
        report.output.show(PUBLICATION, root);
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--rounds" -> rounds = Integer.parseInt(value);
            case "--only" -> parts = Part.of(value);
            case "--add" -> add = true;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private ExchangeFigures measure(RunNote run) throws IOException, InterruptedException {
        run.software.add(String.format(
                Locale.ROOT,
                "Server, sender and receiver are JVMs with a Java heap of 2 GB each at most; each figure the median of"
                        + " %d rounds",
                rounds));
        ExchangeFigures figures = new ExchangeFigures(run);
        new ExchangeMeasurement(figures, rounds).run(parts);
        run.end();
        return figures;
    }
}
