package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;

/**
 * The program behind {@code ./dev bench spark}: the jobs of {@code workloads/} with each serializer, in turns, so that what the machine does
 * meanwhile meets all alike. And behind {@code ./dev bench spark-groups}: jobs that group and join, with and without what Heapspan does about
 * the sizes of groups.
 */
public final class SparkReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-spark.md",
            "spark",
            "spark",
            (figures, folder) -> write(SparkFigures.load(figures), folder));

    /** Where the figures of groups are published. */
    public static final Publication GROUPS = new Publication(
            "docs/benchmarks-spark.md",
            "spark-groups",
            "spark-groups",
            (figures, folder) -> new Rendered(SparkTables.ofGroups(SparkFigures.load(figures)), List.of()));

    /** Where the figures of keys that come again are published. */
    static final Publication KEYS = new Publication(
            "docs/benchmarks-spark.md",
            "spark-keys",
            "spark-keys",
            (figures, folder) -> new Rendered(SparkTables.ofKeys(SparkFigures.load(figures)), List.of()));

    private static final String GROUPS_OPTION = "--groups";
    private static final String KEYS_OPTION = "--keys";

    /** What each executor has. */
    static final String EXECUTORS = "a core and 3 GB each";

    private static final int HEAP_MEGABYTES = 3072;
    private static final int TIMEOUT_MINUTES = 30;

    private static final String HELP = """
            Runs jobs on Spark (local-cluster, a driver and two executors) with each serializer, in turns.

              --workloads=WORKLOADS
              --peers=PEERS
              --runs=2              applications of each job and peer, interleaved
              --times=0             how often an application runs the job; 0 for what takes a minute and more
              --scale=0             how much data; 0 for what belongs to the job
              --sample=1            further applications of which running code is sampled; 0 for none
              --jdk=25              17,25; their homes are in JAVA17_HOME, JAVA25_HOME
              --add                 keep the figures of former runs (build/bench/spark.json, else docs/figures/spark.json), and leave out
                                    what they have; those of other times or another scale are replaced
              --render              measure nothing, write tables and plots again
              --publish             also into docs/benchmarks-spark.md

            Tables and plots go to build/bench/spark.md. 'bench spark-groups' and 'bench spark-keys' have the same options with
            other defaults, and their files have these names in place of spark.
            """;

    /** Enough for jobs of which the differences are large. */
    private static final int TIMES_OF_GROUPS = 6;

    private final Publication publication;
    private List<SparkJob> workloads;
    private List<SparkPeer> peers;
    private int runs = 2;
    private int times;
    private double scale;
    private int sample;
    private List<String> jdks = List.of("25");
    private boolean add;
    private final PublishOptions output = new PublishOptions();

    private SparkReport(
            Publication publication, List<SparkJob> workloads, List<SparkPeer> peers, int times, int sample) {
        this.publication = publication;
        this.workloads = workloads;
        this.peers = peers;
        this.times = times;
        this.sample = sample;
    }

    /** Measures and writes tables and plots; the arguments are those of {@code --help}, behind {@code --groups} or {@code --keys} for one of the other pages. */
    public static void main(String[] all) throws IOException, InterruptedException {
        boolean ofGroups = all.length > 0 && all[0].equals(GROUPS_OPTION);
        boolean ofKeys = all.length > 0 && all[0].equals(KEYS_OPTION);
        String[] arguments = ofGroups || ofKeys ? Arrays.copyOfRange(all, 1, all.length) : all;
        SparkReport report = ofGroups
                ? new SparkReport(
                        GROUPS,
                        List.of(SparkJob.GROUP_JOIN, SparkJob.GROUP_EDGES),
                        SparkPeer.forGroups(),
                        TIMES_OF_GROUPS,
                        0)
                : ofKeys
                        ? new SparkReport(KEYS, List.of(SparkJob.RANKS_URLS), SparkPeer.forKeys(), 0, 0)
                        : new SparkReport(PUBLICATION, SparkJob.byDefault(), SparkPeer.byDefault(), 0, 1);
        Arguments.read(
                arguments,
                HELP.replace("WORKLOADS", Choice.optionNames(SparkJob.values()))
                        .replace("PEERS", Choice.optionNames(SparkPeer.values())),
                report::takes);
        report.run(arguments);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--workloads" -> workloads = Choice.named(values, SparkJob.values(), "workload");
            case "--peers" -> peers = Choice.named(values, SparkPeer.values(), "peer");
            case "--runs" -> runs = Integer.parseInt(value);
            case "--times" -> times = Integer.parseInt(value);
            case "--scale" -> scale = Double.parseDouble(value);
            case "--sample" -> sample = Integer.parseInt(value);
            case "--jdk" -> jdks = values;
            case "--add" -> add = true;
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        Path json = publication.figures(root);
        SparkFigures figures =
                add || output.isRender() ? SparkFigures.load(publication.formerFigures(root)) : new SparkFigures();
        if (!output.isRender()) {
            measure(figures, arguments, root, folder, json);
        }
        output.show(publication, root);
    }

    private void measure(SparkFigures figures, String[] arguments, Path root, Path folder, Path json)
            throws IOException, InterruptedException {
        List<Jdk> homes = jdks.stream().map(Jdk::named).toList();
        figures.begin(SparkNote.begin("bench " + publication.command(), arguments, homes, EXECUTORS));
        SparkApplication application = workloads.equals(List.of(SparkJob.RANKS_URLS))
                ? application(root, folder, List.of("cnr-2000.txt"))
                : application(root, folder);
        List<SparkApplication.Job> jobs = jobs(homes, figures);
        long start = System.nanoTime();
        for (int i = 0; i < jobs.size(); i++) {
            SparkApplication.Job job = jobs.get(i);
            Application result = application.run(job);
            figures.add(result);
            figures.save(json);
            long left = (System.nanoTime() - start) / (i + 1) * (jobs.size() - i - 1) / 60_000_000_000L;
            System.out.printf(
                    Locale.ROOT,
                    "[%d/%d, %d min left] JDK %s %s, %s%s: %s%n",
                    i + 1,
                    jobs.size(),
                    left,
                    job.jdk().name(),
                    job.workload(),
                    job.contender().title(),
                    job.sampled() ? ", sampled" : "",
                    describe(result));
        }
    }

    static SparkApplication.Job job(
            Jdk jdk, String workload, SparkPeer peer, double scale, int times, boolean sampled) {
        return new SparkApplication.Job(jdk, workload, peer, scale, times, sampled, HEAP_MEGABYTES, 0, TIMEOUT_MINUTES);
    }

    static SparkApplication application(Path root, Path folder) throws IOException {
        return application(root, folder, UnpackedData.names());
    }

    /** For jobs that read some of the data only. */
    static SparkApplication application(Path root, Path folder, Collection<String> files) throws IOException {
        Path data = root.resolve("build/bench/data");
        System.out.println("unpacking the data ...");
        UnpackedData.unpack(Path.of(System.getProperty("heapspan.data")), data, files);
        return new SparkApplication(Path.of(System.getProperty("heapspan.spark.home")), root, data, folder);
    }

    static String describe(Application result) {
        if (!result.failure.isEmpty()) {
            return result.failure;
        }
        String share = result.isSampled()
                ? String.format(Locale.ROOT, ", %.0f %% serialization", 100 * result.serializationShare)
                : "";
        return String.format(
                Locale.ROOT,
                "%.1f s CPU, %.1f s wall, %.0f MB shuffled%s; %s",
                result.executorCpuSeconds,
                result.wall(),
                result.shuffleBytes / 1e6,
                share,
                result.results.get(0));
    }

    /** What there are no figures of yet: peers in turns within a workload, and their order turned around each time. */
    private List<SparkApplication.Job> jobs(List<Jdk> homes, SparkFigures figures) {
        List<SparkApplication.Job> jobs = new ArrayList<>();
        List<SparkPeer> reversed = new ArrayList<>(peers);
        Collections.reverse(reversed);
        for (Jdk jdk : homes) {
            for (SparkJob workload : workloads) {
                for (int run = 0; run < runs + sample; run++) {
                    boolean sampled = run >= runs;
                    for (SparkPeer peer : run % 2 == 0 ? peers : reversed) {
                        SparkApplication.Job job = job(
                                jdk,
                                workload.optionName(),
                                peer,
                                scale > 0 ? scale : workload.scale(),
                                times > 0 ? times : workload.times(),
                                sampled);
                        if (figures.count(job) <= (sampled ? run - runs : run)) {
                            jobs.add(job);
                        }
                    }
                }
            }
        }
        return jobs;
    }

    private static Rendered write(SparkFigures figures, Path folder) throws IOException {
        List<Path> plots = new ArrayList<>();
        StringBuilder text = new StringBuilder(SparkTables.of(figures));
        for (String jdk : figures.jdks()) {
            Path plot = folder.resolve("spark-jdk" + jdk + ".svg");
            Files.writeString(plot, SparkChart.PROCESSOR_TIME.of(figures, jdk, SparkPeer.values()));
            plots.add(plot);
            text.append("\n![Spark on JDK ").append(jdk).append(": processor time of the executors](plots/");
            text.append(plot.getFileName()).append(")\n");
        }
        return new Rendered(text.toString(), plots);
    }
}
