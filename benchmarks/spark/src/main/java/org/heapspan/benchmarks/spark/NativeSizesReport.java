package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;

/** The program behind {@code ./dev bench native-sizes}: jobs of {@link NativeReport} with more and more data, since each task has a cost of its own. */
public final class NativeSizesReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-native.md",
            "native-sizes",
            "native-sizes",
            (figures, folder) -> new Rendered(NativeTables.ofSizes(SparkFigures.load(figures)), List.of()));

    private static final String HELP = """
            Runs jobs on Spark (local-cluster, a driver and two executors) as native programs and as RDDs of Scala, with more and more data.

              --jobs=JOBS           by default words,clusters,plane,sort, the only ones whose data can be multiplied
              --peers=PEERS         by default rdd-kryo,native
              --factors=1,4,8       how many times as much data as './dev bench native' has
              --times=3             how often an application runs the job
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --render              measure nothing, write the tables again
              --publish             also into docs/benchmarks-native.md

            Figures are saved after each application in build/bench/native-sizes.json, tables go to build/bench/native-sizes.md.
            """;

    private List<NativeJob> jobs = List.of(NativeJob.WORDS, NativeJob.CLUSTERS, NativeJob.PLANE, NativeJob.SORT);
    private List<NativePeer> peers = List.of(NativePeer.RDD_KRYO, NativePeer.NATIVE);
    private List<Integer> factors = List.of(1, 4, 8);
    private int times = 3;
    private String jdk = "25";
    private final PublishOptions output = new PublishOptions();

    private NativeSizesReport() {}

    /** Measures and writes a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        NativeSizesReport report = new NativeSizesReport();
        Arguments.read(
                arguments,
                HELP.replace("JOBS", Choice.optionNames(NativeJob.values()))
                        .replace("PEERS", Choice.optionNames(NativePeer.ordinary())),
                report::takes);
        report.run(arguments);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--jobs" -> jobs = Choice.named(values, NativeJob.values(), "job");
            case "--peers" -> peers = Choice.named(values, NativePeer.ordinary(), "peer");
            case "--factors" -> factors = values.stream().map(Integer::parseInt).toList();
            case "--times" -> times = Integer.parseInt(value);
            case "--jdk" -> jdk = value;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        boolean allWell = output.isRender() || measure(arguments, root);
        output.show(PUBLICATION, root, allWell);
    }

    private boolean measure(String[] arguments, Path root) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        for (NativeJob job : jobs) {
            if (!job.hasAnyAmountOfData()) {
                throw new IllegalArgumentException("the data of " + job.optionName() + " cannot be multiplied");
            }
            NativeReport.build(root, job.program(), NativePeer.programs());
        }
        Jdk home = Jdk.named(jdk);
        SparkFigures figures = new SparkFigures();
        figures.begin(SparkNote.begin("bench native-sizes", arguments, List.of(home), SparkReport.EXECUTORS));
        boolean allWell = true;
        for (int factor : factors) {
            Path data = folder.resolve("data-times-" + factor);
            write(data, factor);
            SparkApplication application =
                    new SparkApplication(Path.of(System.getProperty("heapspan.spark.home")), root, data, folder);
            for (NativeJob job : jobs) {
                String workload = job.workload() + "-times-" + factor;
                for (NativePeer peer : peers) {
                    Application result = application.run(new SparkApplication.Job(
                            home,
                            job.workload(),
                            peer,
                            1,
                            times,
                            false,
                            NativeReport.HEAP_MEGABYTES,
                            0,
                            NativeReport.TIMEOUT_MINUTES));
                    result.workload = workload;
                    result.title += " (data × " + factor + ")";
                    figures.add(result);
                    figures.save(PUBLICATION.figures(root));
                    System.out.printf("%s, %s: %s%n", workload, peer.title(), SparkReport.describe(result));
                    allWell &= result.failure.isEmpty();
                }
                allWell &= figures.results(jdk, workload).size() <= 1;
            }
        }
        return allWell;
    }

    private void write(Path data, int factor) throws IOException {
        if (jobs.contains(NativeJob.WORDS)) {
            UnpackedData.unpackTimes(
                    Path.of(System.getProperty("heapspan.data")), data, NativeJob.WORDS.data(), factor);
        }
        MadeUpPoints.write(data, factor);
        MadeUpRecords.write(data, factor);
    }
}
