package org.heapspan.benchmarks.curve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.data.SizedSet;

/** The program behind {@code ./dev bench curves-jvms}: what {@link CurveReport} measures, on several JDKs and collectors, in several JVMs each. */
public final class JvmReport {
    private static final String HELP = """
            Measures peers over the number of elements of an object, on several JDKs and collectors, in several JVMs each.
            Writes build/bench/curves-jvms.json, curves-jvms.md and a plot.

              --sets=media,edges,json  of SETS
              --peers=heapspan,fory-refs-unregistered,fory-refs-strings   of those of ./dev bench curves; heapspan must be among them
              --most=1000000           elements; for media a tenth of it, for json a hundredth
              --jdk=25,17              their homes are in JAVA25_HOME and JAVA17_HOME
              --gc=G1,Parallel         collectors
              --forks=5                JVMs for each peer, shape, JDK and collector
              --window=100             milliseconds; each figure is the median of seven in each JVM, after six for warm-up;
                                       before all sizes there are two seconds of warm-up
              --render                 measure nothing, only write tables and plot anew
              --publish                copy tables, plot and figures to docs/
            """;

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-curves.md",
            "curves-jvms",
            "curves-jvms",
            (figures, folder) -> JvmPage.write(load(figures), folder));

    private final CurveOptions options = new CurveOptions(
            List.of("media", "edges", "json"),
            List.of(CurvePage.HEAPSPAN, "fory-refs-unregistered", "fory-refs-strings"),
            1_000_000,
            5);
    private List<String> jdks = List.of("25", "17");
    private List<String> collectors = List.of("G1", "Parallel");

    private JvmReport() {}

    /** The content of {@code curves-jvms.json}: what was measured, by names of JDKs and collectors. A bean. */
    static final class OfJvms {
        public Map<String, CurveFigures> jvms = new LinkedHashMap<>();
    }

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        JvmReport report = new JvmReport();
        Arguments.read(arguments, HELP.replace("SETS", String.join(", ", SizedSet.NAMES)), report::takes);
        Path root = Repository.root();
        if (!report.options.output().isRender()) {
            report.measure(arguments, PUBLICATION.figures(root));
        }
        report.options.output().show(PUBLICATION, root);
    }

    private static OfJvms load(Path json) throws IOException {
        return Files.exists(json) ? FigureFile.read(json, OfJvms.class) : new OfJvms();
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--jdk" -> jdks = Arrays.asList(value.split(",", -1));
            case "--gc" -> collectors = Arrays.asList(value.split(",", -1));
            default -> {
                return options.takes(name, value);
            }
        }
        return true;
    }

    private void measure(String[] arguments, Path json) throws IOException, InterruptedException {
        OfJvms figures = new OfJvms();
        for (int fork = 1; fork <= options.forks(); fork++) {
            for (String jdkName : jdks) {
                for (String collector : collectors) {
                    Jdk jdk = Jdk.named(jdkName);
                    List<String> jvmOptions = CurveReport.options(collector);
                    String jvm = "JDK " + jdkName + ", " + collector;
                    if (!figures.jvms.containsKey(jvm)) {
                        RunNote run = RunNote.begin("curves-jvms", arguments, List.of(jdk));
                        run.software.add("JVM options: " + String.join(" ", jvmOptions));
                        figures.jvms.put(jvm, new CurveFigures(run));
                    }
                    CurveFigures ofJvm = figures.jvms.get(jvm);
                    for (String set : options.sets()) {
                        for (String peer : options.peers()) {
                            CurveReport.Work work =
                                    new CurveReport.Work(set, options.most(), options.windowMillis(), "");
                            CurveReport.measure(jdk, jvmOptions, work, peer, ofJvm);
                        }
                    }
                    ofJvm.run().end();
                    FigureFile.write(json, figures);
                    System.out.printf("[%d/%d] %s%n", fork, options.forks(), jvm);
                }
            }
        }
    }
}
