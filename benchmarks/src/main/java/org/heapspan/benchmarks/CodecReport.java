package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peers;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The program behind {@code ./dev bench codec}: times every peer on every data set in JVMs of its own and writes
 * {@code build/bench/codec.json}, {@code codec.md} and plots. See {@link #HELP}.
 */
public final class CodecReport {
    static final String HELP = """
            Compares serializers. Writes build/bench/codec.json, codec.md and plots.

              --sets=media,point    data sets (default: all)
              --peers=heapspan,fory serializers (default: all)
              --calls=chunk,single  all records in one call, one call per record (default: both)
              --jdk=25,17           JDKs; their homes are in JAVA25_HOME, JAVA17_HOME (default: 25)
              --gc=G1,Parallel      collectors (default: G1, as of the JVM)
              --quick               one fork, short iterations: good to 10 % or so
              --forks=3             JVMs per figure
              --closeForks=5        JVMs per figure where the headline's figures are within a factor of 1.5 of each other;
                                    these are measured again at the end
              --add                 keep the figures of former runs (build/bench/codec.json, else
                                    docs/figures/codec.json) that are not measured again
              --render              measure nothing, only write table and plots anew
              --publish             copy table, plots and figures to docs/
            """;

    /** Where its figures are published: all of them, the headline, and what is lost. */
    public static final List<Publication> PUBLICATIONS = List.of(
            new Publication("docs/benchmarks.md", "codec", "codec", Rendering::write),
            new Publication("README.md", "headline", "codec", "codec", Rendering::writeHeadline),
            new Publication("docs/when-not-to-use.md", "losses", "codec", "codec", Rendering::writeLosses));

    private final ReportOptions options;
    private final Measurements measurements;
    private final Path json;
    private int done;
    private int total;
    private long startNanos;

    private CodecReport(ReportOptions options, Measurements measurements, Path json) {
        this.options = options;
        this.measurements = measurements;
        this.json = json;
    }

    /** Runs the comparison; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException {
        if (List.of(arguments).contains("--help")) {
            System.out.print(HELP);
            return;
        }
        ReportOptions options;
        try {
            options = ReportOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(HELP);
            System.exit(2);
            return;
        }
        Path root = Repository.root();
        Path json = PUBLICATIONS.get(0).figures(root);
        Measurements measurements = options.add() || options.render()
                ? Measurements.load(PUBLICATIONS.get(0).formerFigures(root))
                : new Measurements();
        if (!options.render()) {
            measurements.begin(RunNote.begin("codec", arguments, options.jdks()));
            new CodecReport(options, measurements, json).measure();
        }
        PUBLICATIONS.get(0).render(root);
        System.out.println();
        System.out.println(Headline.all(measurements));
        System.out.println(Tables.summary(measurements));
        System.out.println("written: " + json + ", codec.md and plots");
        if (options.publish()) {
            for (Publication publication : PUBLICATIONS) {
                publication.publish(root);
            }
            System.out.println("published to docs/benchmarks.md, docs/when-not-to-use.md and README.md");
        }
    }

    private void measure() throws IOException {
        List<Cell> cells = new ArrayList<>();
        for (Jdk jdk : options.jdks()) {
            for (String collector : options.collectors()) {
                for (Call call : options.calls()) {
                    for (String set : options.sets()) {
                        // A set with one record has no difference between a chunk and a single.
                        if (call == Call.CHUNK || DataSets.named(set).records().length > 1) {
                            for (String peer : options.peers()) {
                                cells.add(new Cell(jdk, collector, call, set, peer));
                            }
                        }
                    }
                }
            }
        }
        measure(cells, options.forks());
        // Which setting is the best may be another one then, so that others may be close.
        for (List<Cell> close = close(); !close.isEmpty(); close = close()) {
            System.out.println(close.size() + " figures are within a factor of 1.5 of one that they are compared with");
            measure(close, options.closeForks());
        }
    }

    /** Figures of the headline that are too close to each other for as few JVMs as they are of; those of this run's JVMs only. */
    private List<Cell> close() {
        List<Cell> close = new ArrayList<>();
        for (Measurement measurement : Headline.close(measurements)) {
            if (measurement.encode.size() < options.closeForks()) {
                options.jdks().stream()
                        .filter(jdk -> jdk.name().equals(measurement.jdk))
                        .forEach(jdk -> close.add(new Cell(
                                jdk, measurement.collector, measurement.call, measurement.set, measurement.peer)));
            }
        }
        return close;
    }

    private void measure(List<Cell> cells, int forks) throws IOException {
        done = 0;
        total = cells.size();
        startNanos = System.nanoTime();
        for (Cell cell : cells) {
            measure(cell, forks);
            RunNote run = measurements.runs().get(measurements.runs().size() - 1);
            run.end();
            measurements.save(json);
        }
    }

    /** What one row of the report is about. */
    private record Cell(Jdk jdk, String collector, Call call, String set, String peer) {}

    private void measure(Cell cell, int forks) {
        DataSet set = DataSets.named(cell.set);
        Object[] records = set.records();
        Measurement measurement = new Measurement();
        measurement.jdk = cell.jdk.name();
        measurement.collector = cell.collector;
        measurement.call = cell.call;
        measurement.set = cell.set;
        measurement.peer = cell.peer;
        measurement.records = records.length;
        Verdict verdict = check(set, records, cell, measurement);
        measurement.remark = verdict.remark();
        if (verdict.correct()) {
            time(cell, measurement, forks);
        }
        measurements.put(measurement);
        done++;
        System.out.printf(
                Locale.ROOT,
                "[%d/%d, %s left] JDK %s %s %s %s %s: %s%n",
                done,
                total,
                remaining(),
                cell.jdk.name(),
                cell.collector,
                cell.call.name().toLowerCase(Locale.ROOT),
                cell.set,
                cell.peer,
                measurement.remark.isEmpty()
                        ? String.format(
                                Locale.ROOT,
                                "encode %.1f ns, decode %.1f ns, %.1f bytes",
                                measurement.encodeNanos(),
                                measurement.decodeNanos(),
                                measurement.bytesPerRecord)
                        : measurement.remark);
    }

    private String remaining() {
        Duration left = Duration.ofNanos((System.nanoTime() - startNanos) / done * (total - done));
        return left.toHours() > 0 ? left.toHours() + " h " + left.toMinutesPart() + " min" : left.toMinutes() + " min";
    }

    private static Verdict check(DataSet set, Object[] records, Cell cell, Measurement measurement) {
        try {
            Subject subject = Subject.of(Peers.create(cell.peer, set), records, cell.call);
            measurement.bytesPerRecord = subject.bytesPerRecord();
            return Verdict.of(set, records, subject);
        } catch (RuntimeException | StackOverflowError e) {
            return Verdict.failure(e);
        }
    }

    private void time(Cell cell, Measurement measurement, int jvms) {
        List<String> jvmArguments = new ArrayList<>(options.jvmArguments(cell.collector));
        jvmArguments.addAll(Peers.jvmOptions(cell.peer));
        Options jmh = new OptionsBuilder()
                .include(CodecBenchmark.class.getName() + "\\.(encode|decode)$")
                .param("set", cell.set)
                .param("peer", cell.peer)
                .param("call", cell.call.name())
                .jvm(cell.jdk.home().resolve("bin/java").toString())
                .jvmArgs(jvmArguments.toArray(new String[0]))
                .forks(jvms)
                .warmupIterations(options.warmUpIterations())
                .warmupTime(TimeValue.milliseconds(options.iterationMillis()))
                .measurementIterations(options.iterations())
                .measurementTime(TimeValue.milliseconds(options.iterationMillis()))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        Collection<RunResult> results;
        try {
            results = new Runner(jmh).run();
        } catch (RunnerException e) {
            measurement.remark = "fails in the benchmark: " + e.getMessage();
            return;
        }
        for (RunResult result : results) {
            BenchmarkParams parameters = result.getParams();
            List<List<Double>> forks = new ArrayList<>();
            for (BenchmarkResult fork : result.getBenchmarkResults()) {
                List<Double> iterations = new ArrayList<>();
                for (IterationResult iteration : fork.getIterationResults()) {
                    iterations.add(iteration.getPrimaryResult().getScore() / measurement.records);
                }
                forks.add(iterations);
            }
            if (parameters.getBenchmark().endsWith(".encode")) {
                measurement.encode = forks;
            } else {
                measurement.decode = forks;
            }
        }
    }
}
