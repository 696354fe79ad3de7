package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;

/**
 * The program behind {@code ./dev bench native} and {@code ./dev demo native}: jobs as native programs, as RDDs of Scala, and with libraries of
 * Spark, which write the same results.
 */
public final class NativeReport {
    /** What stands between the two comments of {@code docs/benchmarks-native.md}. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-native.md",
            "native",
            "native --render",
            (figures, folder) -> new Rendered(NativeTables.of(SparkFigures.load(figures)), List.of()));

    static final int HEAP_MEGABYTES = 3072;
    static final int TIMEOUT_MINUTES = 30;
    private static final int BAR_WIDTH = 40;

    private static final String HELP = """
            Runs jobs on Spark (local-cluster, a driver and two executors) as native programs, as RDDs of Scala, and with the library of
            Spark that suits best, in turns.

              --jobs=JOBS
              --peers=PEERS
                                    by default rdd-kryo,rdd-heapspan,library,native. Of those that end with -killed, an executor is
                                    killed in the middle of the last run; with -slowed, one has the processor for a quarter of the time
                                    in the last run, and Spark starts copies of slow tasks. For thrill, build its programs first:
                                    sh build-support/thrill/build.sh
                                    Programs for plain are built with g++ (CXX names another one).
              --runs=2              applications of each job and peer
              --times=3             how often an application runs the job
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --add                 keep the figures of former runs (build/bench/native.json, else docs/figures/native.json), and leave out
                                    what they have
              --render              measure nothing, write the tables again
              --publish             also into docs/benchmarks-native.md
              --demo                one application of each, which runs the job once; without a file of figures

            Figures are saved after each application in build/bench/native.json, tables go to build/bench/native.md.
            """;

    private List<NativeJob> jobs = List.of(NativeJob.values());
    private List<NativePeer> peers = List.of(NativePeer.ordinary());
    private int runs = 2;
    private int times = 3;
    private String jdk = "25";
    private boolean add;
    private final PublishOptions output = new PublishOptions();
    private boolean demo;

    private NativeReport() {}

    /** Measures and writes a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        NativeReport report = new NativeReport();
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
            case "--runs" -> runs = Integer.parseInt(value);
            case "--times" -> times = Integer.parseInt(value);
            case "--jdk" -> jdk = value;
            case "--add" -> add = true;
            case "--demo" -> {
                demo = true;
                jobs = List.of(NativeJob.WORDS, NativeJob.RANKS);
                peers = List.of(NativePeer.RDD_KRYO, NativePeer.RDD_HEAPSPAN, NativePeer.NATIVE);
                runs = 1;
                times = 1;
            }
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        boolean allWell = true;
        if (!output.isRender()) {
            SparkFigures figures = add ? SparkFigures.load(PUBLICATION.formerFigures(root)) : new SparkFigures();
            allWell = measure(figures, arguments, root).stream().allMatch(each -> each.failure.isEmpty())
                    && jobs.stream()
                            .allMatch(
                                    job -> figures.results(jdk, job.workload()).size() <= 1);
        }
        if (!demo) {
            output.show(PUBLICATION, root, allWell);
        } else if (!allWell) {
            System.out.println("A job failed, or its results differ.");
            System.exit(1);
        }
    }

    private List<Application> measure(SparkFigures figures, String[] arguments, Path root)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        prepare(root, jobs, peers);
        Jdk home = Jdk.named(jdk);
        figures.begin(SparkNote.begin(
                demo ? "demo native" : "bench native", arguments, List.of(home), SparkReport.EXECUTORS));
        SparkApplication application = SparkReport.application(
                root,
                folder,
                jobs.stream()
                        .filter(job -> !job.isOfMadeUpData())
                        .map(NativeJob::data)
                        .collect(Collectors.toSet()));
        if (jobs.stream().anyMatch(NativeJob::isOfMadeUpData)) {
            MadeUpPoints.write(folder.resolve("data"), 1);
            MadeUpRecords.write(folder.resolve("data"), 1);
        }
        List<Application> applications = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            for (NativeJob job : jobs) {
                for (NativePeer peer : peers) {
                    if (!peer.does(job)) {
                        continue;
                    }
                    SparkApplication.Job one = new SparkApplication.Job(
                            home, job.workload(), peer, 1, times, false, HEAP_MEGABYTES, 0, TIMEOUT_MINUTES);
                    if (figures.count(one) > run) {
                        continue;
                    }
                    Application result = application.run(one);
                    figures.add(result);
                    applications.add(result);
                    if (!demo) {
                        figures.save(PUBLICATION.figures(root));
                    }
                    System.out.printf("%s, %s: %s%n", job.workload(), peer.title(), SparkReport.describe(result));
                }
            }
        }
        System.out.println();
        if (demo) {
            jobs.forEach(job -> compare(job, applications));
        }
        return applications;
    }

    /** Builds the programs that these peers run for these jobs. Those of Thrill have a script of their own. */
    static void prepare(Path root, List<NativeJob> jobs, List<NativePeer> peers)
            throws IOException, InterruptedException {
        for (NativeJob job : jobs) {
            Path ofThrill = NativePeer.thrillPrograms().resolve(job.program());
            if (peers.contains(NativePeer.THRILL) && job.isForThrill() && !Files.isExecutable(ofThrill)) {
                throw new IOException("no " + ofThrill + "; build it with 'sh build-support/thrill/build.sh'");
            }
        }
        for (NativeJob job : jobs) {
            if (peers.contains(NativePeer.NATIVE_BY_ELEMENT)) {
                build(root, job.program(), NativePeer.programsByElement(), "--", "-DHEAPSPAN_BY_ELEMENT");
            }
            if (peers.contains(NativePeer.PLAIN) && job.isForPlain()) {
                Path plain = Files.createDirectories(NativePeer.plainPrograms());
                System.out.print(ProgramBuild.run(ProgramBuild.ofPlain(root, job.program(), plain)));
            }
            build(root, job.program(), NativePeer.programs());
        }
    }

    /** Builds a native program, and prints what its user would see. */
    private static void build(Path root, String program, Path folder, String... options)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        System.out.print(ProgramBuild.run(ProgramBuild.ofNative(root, program, folder, options)));
    }

    private List<Application> of(List<Application> applications, NativeJob job, NativePeer peer) {
        return applications.stream()
                .filter(each -> each.workload.equals(job.workload())
                        && each.peer.equals(peer.optionName())
                        && each.failure.isEmpty())
                .toList();
    }

    private void compare(NativeJob job, List<Application> applications) {
        System.out.printf("%s: processor time of the executors%n", job.workload());
        double longest = applications.stream()
                .filter(each -> each.workload.equals(job.workload()))
                .mapToDouble(each -> each.executorCpuSeconds)
                .max()
                .orElse(1);
        for (NativePeer peer : peers) {
            for (Application each : of(applications, job, peer)) {
                System.out.printf(
                        Locale.ROOT,
                        "  %-15s %-" + BAR_WIDTH + "s %6.1f s, %.1f s elapsed%n",
                        peer.title(),
                        "#".repeat((int) Math.ceil(each.executorCpuSeconds / longest * BAR_WIDTH)),
                        each.executorCpuSeconds,
                        each.wall());
            }
        }
        System.out.println();
    }
}
