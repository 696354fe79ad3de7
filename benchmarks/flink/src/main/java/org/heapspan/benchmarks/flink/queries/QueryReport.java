package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.FlinkVersion;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FlinkQueryFigures;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.flink.Peer;

/**
 * The program behind {@code ./dev bench flink-queries}: whole queries of TPC-H with each serializer. And behind its {@code --groups}: jobs with one
 * exchange, whose records are sent one by one and in groups.
 */
public final class QueryReport {
    private static final String HELP = """
            Runs queries of TPC-H on Flink in batch mode with each serializer. Compares their answers with DuckDB's. Writes
            build/bench/flink-queries.json and flink-queries.md.

              --tuples              rows are tuples of Flink and not objects, with Heapspan in place of Kryo and without. Writes flink-tuples.json
              --dates               Flink's serializer for POJOs, with its own type for dates and without, and Heapspan. Writes flink-dates.json.
                                    Has --forks=2 --warm-up=1 --rounds=1, unless options behind it say otherwise
              --large               the data does not fit in the heap, and each query runs once. Writes flink-large.json. Has --scale=10
                                    --peers=POJO_WITH_DATES,KRYO,HEAPSPAN --forks=1 --warm-up=0 --rounds=1, unless options behind it say otherwise
              --groups              no queries: jobs with one exchange, whose records are sent one by one and in groups. Writes flink-groups.json.
                                    Has --scale=0.5 --forks=2 --warm-up=1 --rounds=2, unless options behind it say otherwise
              --scale=1             size of the data, in gigabytes
              --queries=QA,Q1       some of the queries only
              --peers=POJO,HEAPSPAN some of the serializers only: POJO, POJO_WITH_DATES, KRYO, IN_PLACE_OF_KRYO, HEAPSPAN
              --jdk=25              its home is in JAVA25_HOME (JAVA17_HOME)
              --heap=3g             size of the Java heap
              --sort=256            megabytes that each task manager has to sort
              --copies              Flink's default: operators in a task copy records. Without it they hand them on (pipeline.object-reuse)
              --forks=3             JVMs for each figure
              --warm-up=2           runs of a query in a JVM that do not count
              --rounds=3            runs that do
              --add                 keep the figures of former runs, and leave out the queries and serializers that they have
              --demo                Q1 and Q10 at a tenth of the scale, once; writes no file
              --render              measure nothing, only write the table anew
              --publish             copy table and figures to docs/
            """;

    private static final int[] GROUP_SIZES = {1, 16, 64, 256};

    private Publication publication = FlinkQueryFigures.PUBLICATION;
    private String scale = "1";
    private List<Query> queries = List.of(Query.values());
    private List<Peer> peers =
            List.of(Peer.POJO, Peer.POJO_WITH_DATES, Peer.KRYO, Peer.IN_PLACE_OF_KRYO, Peer.HEAPSPAN);
    private String jdkName = "25";
    private String heap = "3g";
    private String sortMegabytes = "256";
    private boolean copies;
    private int forks = 3;
    private int warmUp = 2;
    private int rounds = 3;
    private boolean ofGroups;
    private boolean add;
    private boolean demo;
    private final PublishOptions output = new PublishOptions();

    /**
     * A job to measure.
     *
     * @param name of a query, or what is exchanged
     * @param title of the query
     * @param peer what is compared
     * @param main runs it in a JVM of its own
     * @param arguments that name it
     */
    private record Job(String name, String title, String peer, Answer expected, Class<?> main, List<String> arguments) {
        void check(String[] values) throws IOException {
            Answer found = new Answer(Long.parseLong(values[2]), Long.parseLong(values[3]));
            if (!found.equals(expected)) {
                throw new IOException(
                        name + " with " + peer + " has the answer " + found + ", expected is " + expected);
            }
        }
    }

    private QueryReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        QueryReport report = new QueryReport();
        Arguments.read(arguments, HELP, report::takes);
        Path root = Repository.root();
        if (report.demo) {
            FlinkQueryFigures figures = new FlinkQueryFigures();
            report.measure(figures, arguments);
            System.out.println(figures.table());
            System.out.println("All answers are those of DuckDB. All queries at scale 1: ./dev bench flink-queries");
            return;
        }
        report.output.run(report.publication, () -> {
            FlinkQueryFigures figures = report.add
                    ? FlinkQueryFigures.load(report.publication.formerFigures(root))
                    : new FlinkQueryFigures();
            report.measure(figures, arguments);
            return figures;
        });
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--scale" -> scale = value;
            case "--queries" ->
                queries = Stream.of(value.split(",", -1)).map(Query::valueOf).toList();
            case "--peers" ->
                peers = Stream.of(value.split(",", -1)).map(Peer::valueOf).toList();
            case "--jdk" -> jdkName = value;
            case "--heap" -> heap = value;
            case "--sort" -> sortMegabytes = value;
            case "--copies" -> copies = true;
            case "--forks" -> forks = Integer.parseInt(value);
            case "--warm-up" -> warmUp = Integer.parseInt(value);
            case "--rounds" -> rounds = Integer.parseInt(value);
            case "--tuples" -> takeTuples();
            case "--dates" -> takeDates();
            case "--large" -> takeLarge();
            case "--groups" -> takeGroups();
            case "--add" -> add = true;
            case "--demo" -> shorten();
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void takeTuples() {
        publication = FlinkQueryFigures.TUPLES;
        peers = List.of(Peer.TUPLES, Peer.TUPLES_BESIDE_HEAPSPAN);
    }

    private void takeDates() {
        publication = FlinkQueryFigures.DATES;
        peers = List.of(Peer.POJO, Peer.POJO_WITH_DATES, Peer.HEAPSPAN);
        takeRuns(2, 1, 1);
    }

    private void takeLarge() {
        publication = FlinkQueryFigures.LARGE;
        scale = "10";
        peers = List.of(Peer.POJO_WITH_DATES, Peer.KRYO, Peer.HEAPSPAN);
        takeRuns(1, 0, 1);
    }

    private void takeGroups() {
        publication = FlinkQueryFigures.GROUPS;
        ofGroups = true;
        scale = "0.5";
        takeRuns(2, 1, 2);
    }

    private void takeRuns(int ofForks, int ofWarmUp, int ofRounds) {
        forks = ofForks;
        warmUp = ofWarmUp;
        rounds = ofRounds;
    }

    private void shorten() {
        demo = true;
        scale = "0.1";
        queries = List.of(Query.Q1, Query.Q10);
        heap = "1g";
        forks = 1;
    }

    /** Those of which there are no figures yet. */
    private List<Job> queries(FlinkQueryFigures known, Path data) throws IOException, InterruptedException {
        List<Job> jobs = new ArrayList<>();
        for (Query query : queries) {
            List<Peer> missing = peers.stream()
                    .filter(peer -> !known.has(query.name(), peer.title()))
                    .toList();
            if (missing.isEmpty()) {
                continue;
            }
            Answer answer = TpcH.answer(query, data);
            for (Peer peer : missing) {
                jobs.add(new Job(
                        query.name(),
                        query.title(),
                        peer.title(),
                        answer,
                        QueryRun.class,
                        List.of(query.name(), peer.name())));
            }
        }
        return jobs;
    }

    /** Those of which there are no figures yet. */
    private static List<Job> shuffles(FlinkQueryFigures known, Path data) throws Exception {
        List<Job> jobs = new ArrayList<>();
        for (Shuffle<?> shuffle : Shuffle.ALL) {
            Answer answer = shuffle.expected(data);
            for (int size : GROUP_SIZES) {
                String form = size == 1 ? "one by one" : "up to " + size + " in an array";
                if (!known.has(shuffle.title(), form)) {
                    jobs.add(new Job(
                            shuffle.title(),
                            "",
                            form,
                            answer,
                            ShuffleRun.class,
                            List.of(shuffle.name(), Integer.toString(size))));
                }
            }
        }
        return jobs;
    }

    private void measure(FlinkQueryFigures figures, String[] arguments) throws Exception {
        Jdk jdk = Jdk.named(jdkName);
        List<String> options = List.of(
                "-Xms" + heap,
                "-XX:+AlwaysPreTouch",
                "-Xmx" + heap,
                "-XX:+UseG1GC",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.time=ALL-UNNAMED");
        RunNote run = RunNote.begin("flink-queries", arguments, List.of(jdk));
        run.software.add("Flink " + FlinkVersion.current() + ", 2 task managers in a JVM, "
                + (copies ? "records are copied between operators" : "pipeline.object-reuse"));
        run.software.add("JVM options: " + String.join(" ", options));
        figures.begin(run, scale);
        Path data = TpcH.data(scale);
        List<Job> jobs = ofGroups ? shuffles(figures, data) : queries(figures, data);
        for (int fork = 1; fork <= forks; fork++) {
            for (Job job : jobs) {
                List<String> all = new ArrayList<>(job.arguments);
                all.addAll(List.of(
                        data.toString(), Integer.toString(warmUp + rounds), sortMegabytes, Boolean.toString(!copies)));
                String printed = jdk.run(options, job.main, all.toArray(String[]::new));
                List<Double> seconds = new ArrayList<>();
                double megabytes = 0;
                for (String line : printed.lines().toList()) {
                    String[] values = line.split("\t", -1);
                    seconds.add(Double.valueOf(values[0]));
                    megabytes = Double.parseDouble(values[1]);
                    job.check(values);
                }
                FlinkQueryFigures.Figure figure = figures.figure(job.name, job.title, job.peer);
                figure.exchangedMegabytes = megabytes;
                figure.seconds.addAll(seconds.subList(warmUp, seconds.size()));
                System.out.printf("[%d/%d] %s, %s: %s s%n", fork, forks, job.name, job.peer, seconds);
            }
        }
        figures.end(Stream.of(Query.values()).map(Query::name).toList());
    }
}
