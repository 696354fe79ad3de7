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

/** The program behind {@code ./dev bench native-sizes}: jobs of {@link NativeReport} with more data, since each task has a cost of its own. */
public final class NativeSizesReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-native.md",
            "native-sizes",
            "native-sizes",
            (figures, folder) -> new Rendered(NativeTables.ofSizes(SparkFigures.load(figures)), List.of()));

    private static final String HELP = """
            Runs jobs on Spark (local-cluster, a driver and two executors) as native programs and as RDDs of Scala, with more data.
            A graph becomes several copies of itself, which no edge connects. A text is repeated.

              --jobs=JOBS
              --peers=PEERS
                                    by default rdd-kryo,native,plain
              --factors=4           how many times as much data as './dev bench native' has, for example 2,4,8
              --times=3             how often an application runs the job
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --add                 keep the figures of former runs (build/bench/native-sizes.json, else
                                    docs/figures/native-sizes.json), and leave out what they have
              --render              measure nothing, write the tables again
              --publish             also into docs/benchmarks-native.md

            Figures are saved after each application in build/bench/native-sizes.json, tables go to build/bench/native-sizes.md.
            """;

    private List<NativeJob> jobs = List.of(NativeJob.values());
    private List<NativePeer> peers = List.of(NativePeer.RDD_KRYO, NativePeer.NATIVE, NativePeer.PLAIN);
    private List<Integer> factors = List.of(4);
    private int times = 3;
    private String jdk = "25";
    private boolean add;
    private final PublishOptions output = new PublishOptions();

    private NativeSizesReport() {}

    /** Measures and writes a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        NativeSizesReport report = new NativeSizesReport();
        Arguments.read(
                arguments,
                HELP.replace("JOBS", Choice.optionNames(NativeJob.values()))
                        .replace("PEERS", Choice.optionNames(NativePeer.values())),
                report::takes);
        report.run(arguments);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--jobs" -> jobs = Choice.named(values, NativeJob.values(), "job");
            case "--peers" -> peers = Choice.named(values, NativePeer.values(), "peer");
            case "--factors" -> factors = values.stream().map(Integer::parseInt).toList();
            case "--times" -> times = Integer.parseInt(value);
            case "--jdk" -> jdk = value;
            case "--add" -> add = true;
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
        NativeReport.prepare(root, jobs, peers);
        Jdk home = Jdk.named(jdk);
        SparkFigures figures = add ? SparkFigures.load(PUBLICATION.formerFigures(root)) : new SparkFigures();
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
                    SparkApplication.Job one = new SparkApplication.Job(
                            home,
                            job.workload(),
                            peer,
                            1,
                            times,
                            false,
                            NativeReport.HEAP_MEGABYTES,
                            0,
                            NativeReport.TIMEOUT_MINUTES);
                    if (!peer.does(job) || figures.count(one.of(workload)) > 0) {
                        continue;
                    }
                    Application result = application.run(one);
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

    /** Writes what the jobs need and is not there yet. */
    private void write(Path data, int factor) throws IOException {
        Path packed = Path.of(System.getProperty("heapspan.data"));
        for (NativeJob job : jobs) {
            if (job.isOfGraph()) {
                UnpackedData.unpackCopies(packed, data, job.data(), factor);
            } else if (!job.isOfMadeUpData()) {
                UnpackedData.unpackTimes(packed, data, job.data(), factor);
            }
        }
        if (jobs.stream().anyMatch(NativeJob::isOfMadeUpData)) {
            MadeUpPoints.write(data, factor);
            MadeUpRecords.write(data, factor);
        }
    }
}
