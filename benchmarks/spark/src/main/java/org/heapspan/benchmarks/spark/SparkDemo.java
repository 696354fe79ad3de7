package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Repository;

/** The program behind {@code ./dev demo}: two jobs on Spark as it is and with Heapspan, in a few minutes. */
public final class SparkDemo {
    private static final Jdk JDK = Jdk.current();
    private static final double SCALE = 0.4;
    private static final int TIMES = 2;
    private static final int BAR_WIDTH = 40;
    private static final List<SparkPeer> PEERS = List.of(SparkPeer.JAVA, SparkPeer.KRYO, SparkPeer.HEAPSPAN);

    private record Job(String workload, String explanation) {}

    private static final List<Job> JOBS = List.of(
            new Job(
                    "group-join",
                    "Job 1 groups GitHub events (Scala case classes) by person and joins them. Each event is shuffled twice."),
            new Job(
                    "inverted-index",
                    "Job 2 builds an inverted index of a hundred English novels. It groups millions of small objects by word."));

    private SparkDemo() {}

    /** Runs the jobs and prints what they took; takes no arguments. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        Path folder = Files.createDirectories(root.resolve("build/demo"));
        SparkApplication application = application(root, folder);
        SparkFigures figures = new SparkFigures();
        figures.begin(SparkNote.begin("demo", arguments, List.of(JDK), SparkReport.EXECUTORS));
        System.out.println(
                "Two jobs on Apache Spark (a driver and two executors). Each job runs with three serializers:");
        System.out.println(
                "Java serialization (Spark's default), Kryo (recommended by Spark's tuning guide), and Heapspan.");
        int step = 0;
        for (Job job : JOBS) {
            System.out.printf("%n%s%n", job.explanation);
            for (SparkPeer peer : PEERS) {
                System.out.printf("[%d/%d] %-9s ", ++step, JOBS.size() * PEERS.size(), peer.title());
                System.out.flush();
                Application result = application.run(SparkReport.job(JDK, job.workload, peer, SCALE, TIMES, false));
                figures.add(result);
                System.out.println(SparkReport.describe(result));
            }
        }
        conclude(figures, root, folder);
    }

    private static SparkApplication application(Path root, Path folder) throws IOException {
        List<String> files = List.of(UnpackedData.EVENTS, UnpackedData.NOVELS);
        Path packed = Path.of(System.getProperty("heapspan.data"));
        if (UnpackedData.canUnpack(packed, files)) {
            return SparkReport.application(root, folder, files);
        }
        System.out.println(
                packed + " lacks the events and novels of docs/data.md: these are made up by random numbers.");
        Path data = root.resolve("build/demo/made-up");
        MadeUpData.write(data);
        return new SparkApplication(Path.of(System.getProperty("heapspan.spark.home")), root, data, folder);
    }

    private static void conclude(SparkFigures figures, Path root, Path folder) throws IOException {
        boolean right = true;
        for (Job job : JOBS) {
            System.out.printf("%n%s: processor time of the executors%n", figures.title(job.workload));
            double longest = PEERS.stream()
                    .mapToDouble(peer -> SparkTables.cpu(figures, JDK.name(), job.workload, peer))
                    .filter(seconds -> !Double.isNaN(seconds))
                    .max()
                    .orElse(Double.NaN);
            double ours = SparkTables.cpu(figures, JDK.name(), job.workload, SparkPeer.HEAPSPAN);
            for (SparkPeer peer : PEERS) {
                double seconds = SparkTables.cpu(figures, JDK.name(), job.workload, peer);
                if (Double.isNaN(seconds)) {
                    System.out.printf("  %-9s failed%n", peer.title());
                    right = false;
                } else {
                    System.out.printf(
                            Locale.ROOT,
                            "  %-9s %-" + BAR_WIDTH + "s %6.1f s  %s%n",
                            peer.title(),
                            "#".repeat((int) Math.round(seconds / longest * BAR_WIDTH)),
                            seconds,
                            peer == SparkPeer.HEAPSPAN
                                    ? ""
                                    : String.format(Locale.ROOT, "%.2f times Heapspan", seconds / ours));
                }
            }
            right &= figures.results(JDK.name(), job.workload).size() == 1;
        }
        Path plot = folder.resolve("spark.svg");
        Files.writeString(plot, SparkChart.PROCESSOR_TIME.of(figures, JDK.name(), SparkPeer.values()));
        System.out.printf("%nPlot: %s%n", root.relativize(plot));
        if (!right) {
            System.out.println("A job failed, or its results differ between serializers.");
            System.exit(1);
        }
        System.out.println("The results were the same with all three. For more jobs and more runs: ./dev bench spark");
    }
}
