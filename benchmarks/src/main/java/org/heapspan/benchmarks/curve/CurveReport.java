package org.heapspan.benchmarks.curve;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.data.SizedSet;

/**
 * The program behind {@code ./dev bench curves}: encode, decode and bytes of one object with 1 to 1,000,000 elements, and of one with a thousand in
 * several threads. Each peer has a JVM of its own for each shape of data.
 */
public final class CurveReport {
    private static final String HELP = """
            Measures peers over the number of elements of an object, and over threads. Writes build/bench/curves.json, curves.md and plots.

              --sets=points,map,media  of SETS
              --peers=PEERS
              --most=1000000           elements; for media a tenth of it
              --threads=1,2,4          with 1000 elements in each
              --jdk=25                 its home is in JAVA25_HOME (JAVA17_HOME)
              --gc=G1                  collector
              --forks=1                JVMs for each peer and shape
              --window=100             milliseconds; each figure is the median of seven in each JVM, after six for warm-up;
                                       before all sizes there are two seconds of warm-up
              --render                 measure nothing, only write tables and plots anew
              --publish                copy tables, plots and figures to docs/
            """;

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-curves.md",
            "curves",
            "curves",
            (figures, folder) -> new CurvePage(CurveFigures.load(figures)).write(folder));

    private static final int ELEMENTS_OF_THREADS = 1000;

    /** A media content is fifteen objects, a document some hundred. */
    private static final Map<String, Integer> SHARE_OF_MOST = Map.of("media", 10, "json", 100);

    private final CurveOptions options = new CurveOptions(
            List.of("points", "map", "media", "edges", "json"),
            List.of(
                    "heapspan",
                    "heapspan-registry",
                    "fory-refs",
                    "fory-refs-fixed",
                    "fory-refs-strings",
                    "fory-refs-unregistered",
                    "fory",
                    "fory-fixed",
                    "kryo-refs",
                    "kryo"),
            1_000_000,
            1);
    private String threads = "1,2,4";
    private String jdkName = "25";
    private String collector = "G1";

    private CurveReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        CurveReport report = new CurveReport();
        String help = HELP.replace("SETS", String.join(", ", SizedSet.NAMES))
                .replace("PEERS", String.join(",", report.options.peers()));
        Arguments.read(arguments, help, report::takes);
        Path root = Repository.root();
        if (!report.options.output().isRender()) {
            report.measure(arguments).save(PUBLICATION.figures(root));
        }
        System.out.println("written: " + PUBLICATION.figures(root) + ", curves.md and plots");
        report.options.output().show(PUBLICATION, root);
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--threads" -> threads = value;
            case "--jdk" -> jdkName = value;
            case "--gc" -> collector = value;
            default -> {
                return options.takes(name, value);
            }
        }
        return true;
    }

    private CurveFigures measure(String[] arguments) throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        RunNote run = RunNote.begin("curves", arguments, List.of(jdk));
        List<String> jvmOptions = options(collector);
        run.software.add("JVM options: " + String.join(" ", jvmOptions));
        CurveFigures figures = new CurveFigures(run);
        int done = 0;
        for (int fork = 1; fork <= options.forks(); fork++) {
            for (String set : options.sets()) {
                for (String peer : options.peers()) {
                    measure(jdk, jvmOptions, set, peer, figures);
                    done++;
                    System.out.printf(
                            "[%d/%d] %s, %s%n",
                            done,
                            options.forks()
                                    * options.sets().size()
                                    * options.peers().size(),
                            set,
                            peer);
                }
            }
        }
        run.end();
        return figures;
    }

    private void measure(Jdk jdk, List<String> jvmOptions, String set, String peer, CurveFigures figures)
            throws IOException, InterruptedException {
        // One thread is among the numbers of elements.
        String several = Arrays.stream(threads.split(",", -1))
                .filter(each -> !each.equals("1"))
                .collect(Collectors.joining(","));
        measure(jdk, jvmOptions, new Work(set, options.most(), options.windowMillis(), several), peer, figures);
    }

    /**
     * What a JVM has to do.
     *
     * @param most elements of an object; fewer where elements are large
     * @param threads numbers of threads, separated by commas; empty for none but one
     */
    record Work(String set, int most, long windowMillis, String threads) {}

    /** Measures a peer in a JVM of its own, and adds what it prints. */
    static void measure(Jdk jdk, List<String> jvmOptions, Work work, String peer, CurveFigures figures)
            throws IOException, InterruptedException {
        List<Integer> elements = new ArrayList<>();
        for (int each = 1; each <= work.most / SHARE_OF_MOST.getOrDefault(work.set, 1); each *= 10) {
            elements.add(each);
        }
        String output = jdk.run(
                jvmOptions,
                CurveRun.class,
                work.set,
                peer,
                Long.toString(work.windowMillis),
                elements.stream().map(String::valueOf).collect(Collectors.joining(",")),
                Integer.toString(ELEMENTS_OF_THREADS),
                work.threads);
        output.lines().filter(line -> line.contains("\t")).forEach(line -> figures.add(work.set, peer, line));
    }

    /** Options of a JVM with this collector. */
    static List<String> options(String collector) {
        return List.of("-Xms6g", "-Xmx6g", "-XX:+AlwaysPreTouch", "-XX:+Use" + collector + "GC");
    }
}
