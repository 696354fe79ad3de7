package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Native programs on real Spark do what their twins of Java's RDDs do. */
final class NativeProgramIT {
    private static final Path ROOT =
            SparkRun.HEAPSPAN_JAR.resolve("../../../..").normalize();
    private static final Path CHECKS = Path.of("src/test/native/checks.cpp").toAbsolutePath();

    private static final Path FLIGHTS =
            Path.of(System.getProperty("heapspan.data"), "flights-3m.parquet").toAbsolutePath();

    /** For the programs, and the distribution that builds them. */
    @TempDir
    static Path built;

    private static Path checks;
    private static Path boundary;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        // The program in C++, as a user builds it, but for the optimization, which takes as long as all else.
        checks = built.resolve("checks.so");
        assertThat(buildProgram(Distribution.in(built), CHECKS, checks))
                .contains("compiles the headers once", "built " + checks);
        // The program in C, which knows the boundary only.
        boundary = built.resolve("boundary.so");
        output(
                "gcc",
                "-std=c11",
                "-O1",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-Wl,--build-id",
                "-I" + ROOT.resolve("native/include"),
                ROOT.resolve("nativerdd/src/test/native/boundary_program.c").toString(),
                "-o",
                boundary.toString());
    }

    private static String buildProgram(Path heapspan, Path source, Path target)
            throws IOException, InterruptedException {
        return output(heapspan.toString(), "native", "build", source.toString(), "-o", target.toString(), "--", "-O0");
    }

    private static String output(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", SparkRun.JDK_25.toString());
        builder.environment().put("XDG_CACHE_HOME", built.resolve("cache").toString());
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text;
    }

    private void makeData() throws IOException {
        Random random = new Random(17);
        StringBuilder text = new StringBuilder();
        StringBuilder links = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            for (int word = random.nextInt(8); word >= 0; word--) {
                text.append(random.nextInt(10) == 0 ? "é" : "w")
                        .append(random.nextInt(1 + random.nextInt(3000)))
                        .append(word == 0 ? "" : "\t");
            }
            text.append(i % 100 == 0 ? "\n\n" : "\n");
            links.append(random.nextInt(500))
                    .append(' ')
                    .append(random.nextInt(1 + random.nextInt(500)))
                    .append('\n');
        }
        Files.writeString(folder.resolve("text.txt"), text);
        Files.writeString(folder.resolve("links.txt"), links);
    }

    /** A table of flights for the application, if it is on this machine. */
    private boolean linkFlights() throws IOException {
        boolean there = Files.isReadable(FLIGHTS);
        if (there) {
            Files.createSymbolicLink(folder.resolve("flights.parquet"), FLIGHTS);
        }
        return there;
    }

    private SparkRun run(Path jdk) throws IOException {
        return new SparkRun(Files.createDirectory(folder.resolve("run")), jdk)
                .with("spark.memory.fraction", "0.02")
                .with("spark.checkpoint.dir", folder.resolve("checkpoints").toString());
    }

    private void check(SparkRun run) throws IOException, InterruptedException {
        makeData();
        boolean withFlights = linkFlights();
        Map<String, String> results = run.run(
                        "NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString())
                .succeeded()
                .results();
        assertThat(results)
                .containsEntry("lines", "same")
                .containsEntry("checked", "same")
                .containsEntry("packed", "same")
                .containsEntry("words", "same")
                .containsEntry("words of an RDD", "same")
                .containsEntry("rows", "same")
                .containsEntry("numbers", "true")
                .containsEntry("sums", "[String[key0]Long[249500], String[key1]Long[250000]]")
                .containsEntry("called", "[String[key0]Long[748500], String[key1]Long[750000]]")
                .containsEntry("table", "same")
                .containsEntry("ranks", "same")
                .containsEntry("kept tables", "3")
                .containsEntry("groups", "same")
                .containsEntry("broadcasts that are not used", "0")
                .containsEntry("spilled", "true")
                .containsEntry("stages", "true")
                .containsEntry("memory after a cancelled job", "true")
                .containsEntry("little memory left", "true");
        assertThat(results.get("shared").split("; "))
                .containsExactly(
                        results.get("expected sum"),
                        results.get("expected sum"),
                        results.get("expected sum"),
                        results.get("expected lines"),
                        "cartesian 10000",
                        "zip 328350",
                        "checkpoint 328350 328350",
                        "take 0,1,2,3,4,5,6,7,8,9,10,11,");
        assertThat(results.get("wrong values"))
                .contains(
                        "the program reads numbers as values of the type int64: found java.lang.String, expected int64");
        assertThat(results.getOrDefault("flights", "same")).isEqualTo("same");
        assertThat(results.containsKey("flights")).isEqualTo(withFlights);
        assertThat(results.get("no table")).contains("PATH_NOT_FOUND");
        assertThat(results.get("table there already")).contains("PATH_ALREADY_EXISTS");
        assertThat(results.get("other table")).contains("have no column name, only [id]");
        assertThat(results).containsEntry("deep", "[90, 91]");
        assertThat(results.get("too deep")).contains("more than 100 stages feed each other without a shuffle");
        assertThat(results.get("failure"))
                .contains(
                        "native program checks.so, partition ",
                        " of text_file, filter, map, count, operator map: no number in ");
        assertThat(results.get("other records")).contains("the setting textinputformat.record.delimiter says where");
        assertThat(results.get("missing")).contains("Input path does not exist");
        assertThat(results.get("no program"))
                .startsWith("NativeProgramException: there is no native program ")
                .contains("nothing.so");
        assertThat(results.get("there already")).contains("already exists");
        assertThat(results.get("cancelled")).contains("cancelled job group endless");
    }

    /** Everything in one application, with the settings that protect data switched on, and memory that is too little. */
    @Test
    void programsDoWhatTheirTwinsDo() throws Exception {
        check(run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .with("spark.io.encryption.enabled", "true")
                .with("spark.authenticate", "true")
                .with("spark.authenticate.secret", "secret")
                .with("spark.network.crypto.enabled", "true")
                .with("spark.eventLog.enabled", "true")
                .with("spark.eventLog.compress", "false")
                .with(
                        "spark.eventLog.dir",
                        Files.createDirectory(folder.resolve("events")).toString()));
        assertThat(namesInLog("\"SparkListenerStageCompleted\".*?\"Stage Name\":\"([^\"]*)\""))
                .contains("text_file, flat_map, map_to_pair, reduce_by_key at checks.so")
                .anyMatch(name -> name.startsWith("join, values, flat_map, reduce_by_key"));
        // A file, a shuffle, and what is cached.
        assertThat(namesInLog("\"RDD ID\":[0-9]+,\"Name\":\"([^\"]*)\""))
                .contains(
                        folder.resolve("text.txt").toString(),
                        "shuffle of text_file, flat_map, map_to_pair, reduce_by_key",
                        "group_by_key",
                        "join table");
    }

    /** What a pattern finds in the event log, of which Spark's web UI is made. */
    private Set<String> namesInLog(String pattern) throws IOException {
        Pattern wanted = Pattern.compile(pattern);
        try (Stream<Path> files = Files.walk(folder.resolve("events"))) {
            Set<String> names = new TreeSet<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                for (String line : Files.readAllLines(file)) {
                    wanted.matcher(line).results().forEach(found -> names.add(found.group(1)));
                }
            }
            return names;
        }
    }

    /** With the plug-in, its second heap, and a service that serves shuffle files; on the other JDK. */
    @Test
    @Tag("soak")
    void theyDoSoWithAllElseSwitchedOn() throws Exception {
        SparkRun run = run(SparkRun.JDK_17)
                .withHeapspan()
                .with(
                        "spark.heapspan.h2.dir",
                        Files.createDirectory(folder.resolve("heap")).toString());
        Process service = run.startShuffleService();
        try {
            check(run);
        } finally {
            service.destroyForcibly().waitFor();
        }
    }

    /** Every operator is drawn many times. The seed of a chain that differs is in the message. */
    @Test
    @Tag("soak")
    void randomChainsDoWhatTheirTwinsDo() throws Exception {
        Path chains = CHECKS.resolveSibling("chains.cpp");
        buildProgram(built.resolve("dist/bin/heapspan"), chains, folder.resolve("chains.so"));
        Map<String, String> results = run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .with("spark.master", "local[2]")
                .run("NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString(), "chains=25")
                .succeeded()
                .results();
        assertThat(results).containsEntry("chains that differ", "[]");
        String[] operators = results.get("operators of chains").split(", ");
        assertThat(operators).hasSize(29).allSatisfy(each -> assertThat(each).matches(".*=[1-9][0-9].*"));
    }

    /** What it had computed and written is computed again by others. */
    @Test
    @Tag("soak")
    void anExecutorMayDie() throws Exception {
        makeData();
        Map<String, String> results = run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .run("NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString(), "kill")
                .succeeded()
                .results();
        assertThat(results)
                .containsEntry("killed in the sixth iteration", "true")
                .containsEntry("ranks", "same")
                .containsEntry("killed at reduce", "true")
                .containsEntry("words", "same");
    }

    /** Spark starts copies of its tasks elsewhere, and takes the results of these. */
    @Test
    @Tag("soak")
    void anExecutorMayStall() throws Exception {
        makeData();
        Map<String, String> results = run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .onTwoHosts()
                .with("spark.speculation", "true")
                .with("spark.speculation.quantile", "0.25")
                .with("spark.speculation.multiplier", "1.1")
                .run("NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString(), "stall")
                .succeeded()
                .results();
        assertThat(results).containsEntry("copies of tasks", "true").containsEntry("words", "same");
    }

    /** What leaving executors had cached is computed again. */
    @Test
    @Tag("soak")
    void executorsMayLeaveAndCome() throws Exception {
        makeData();
        Map<String, String> results = run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .with("spark.dynamicAllocation.enabled", "true")
                .with("spark.dynamicAllocation.minExecutors", "0")
                .with("spark.dynamicAllocation.maxExecutors", "2")
                .with("spark.dynamicAllocation.executorIdleTimeout", "1s")
                .with("spark.dynamicAllocation.cachedExecutorIdleTimeout", "1s")
                .with("spark.dynamicAllocation.shuffleTracking.timeout", "1s")
                .run("NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString(), "leave")
                .succeeded()
                .results();
        assertThat(results)
                .containsEntry("came", "true")
                .containsEntry("came again", "true")
                .containsEntry("words", "same")
                .containsEntry("ranks", "same");
    }

    /** First attempts end their executors, of which there are two. All others end a process of their own. */
    @Test
    @Tag("soak")
    void aCrashIsAnErrorWithItsPlace() throws Exception {
        makeData();
        Map<String, String> results = run(SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .run("NativeProgramApplication", checks.toString(), boundary.toString(), folder.toString(), "crash")
                .succeeded()
                .results();
        assertThat(results.get("map"))
                .contains("native program checks.so, partition ")
                .contains(
                        " of text_file, flat_map, map_to_pair, filter, reduce_by_key: the program crashed: SIGSEGV at C [")
                .contains("checks.so+0x");
        assertThat(results.get("reduce"))
                .contains(" of reduce_by_key, filter, count: the program crashed: SIGSEGV at C [");
        assertThat(results.get("lost in map")).isIn("1", "2");
        assertThat(results.get("lost in reduce")).isIn("1", "2");
        assertThat(results).containsEntry("words", "same");
    }

    @Test
    @Tag("soak")
    void aLargeTableIsReadAsSparkReadsIt() throws Exception {
        assumeThat(linkFlights()).isTrue();
        assertThat(run(SparkRun.JDK_25)
                        .withHeapspanOnClassPaths()
                        .run(
                                "NativeProgramApplication",
                                checks.toString(),
                                boundary.toString(),
                                folder.toString(),
                                "flights")
                        .succeeded()
                        .results())
                .containsEntry("flights", "same");
    }

    @Test
    @Tag("soak")
    void dataOfPythonAreExchanged() throws Exception {
        assertThat(run(SparkRun.JDK_25)
                        .withHeapspanOnClassPaths()
                        .runPython(
                                Path.of("src/test/resources/native_program.py").toAbsolutePath(),
                                checks.toString(),
                                ROOT.resolve("python").toString())
                        .succeeded()
                        .results())
                .containsEntry("sums", "[('a', 4), ('b', 2)]")
                .containsEntry("numbers", "[6, 8]")
                .containsEntry("called", "[('a', 20), ('b', 10)]")
                .containsEntry("called with something else", "TypeError")
                .containsEntry("unnamed columns", "['_1', '_2']")
                .containsEntry("called with an RDD", "[('a', 20), ('b', 10)]")
                .containsEntry("tuples", "same")
                .containsEntry("type of a tuple", "tuple")
                .containsEntry("numbers of an RDD", "[1, 3, 5, 7, 9]")
                .containsEntry("a wrong value", "True")
                .containsEntry("rows", "same");
    }

    @Test
    @Tag("soak")
    void aUserStartsItWithOneCommand() throws Exception {
        makeData();
        String text = folder.resolve("text.txt").toString();
        submitted(0, List.of("--master", "local[2]"), "words", text, folder + "/words");
        assertThat(folder.resolve("words/_SUCCESS")).exists();
        assertThat(submitted(1, List.of("--master", "local[2]"), "fail", text)).contains("operator map: no number in ");
        assertThat(submitted(1, List.of("--master", "local[2]"), "nonsense")).contains("unknown check nonsense");
    }

    /** The driver runs in a process of Spark's standalone cluster manager. */
    @Test
    @Tag("soak")
    void theDriverMayRunInTheCluster() throws Exception {
        makeData();
        int port = Ports.take();
        String url = "spark://127.0.0.1:" + port;
        Path masterLog = folder.resolve("master.log");
        Path workerLog = folder.resolve("worker.log");
        Process master = daemon(
                masterLog,
                "org.apache.spark.deploy.master.Master",
                "--port",
                String.valueOf(port),
                "--webui-port",
                "0");
        Process worker = null;
        try {
            awaitText(masterLog, "New state: ALIVE");
            worker = daemon(
                    workerLog,
                    "org.apache.spark.deploy.worker.Worker",
                    "--webui-port",
                    "0",
                    "--cores",
                    "3",
                    "--memory",
                    "4g",
                    "--work-dir",
                    folder.resolve("work").toString(),
                    url);
            awaitText(workerLog, "Successfully registered with master");
            List<String> options = List.of(
                    "--master",
                    url,
                    "--deploy-mode",
                    "cluster",
                    "--driver-memory",
                    "1g",
                    "--executor-memory",
                    "1g",
                    "--conf",
                    "spark.standalone.submit.waitAppCompletion=true");
            String text =
                    submitted(0, options, "words", folder.resolve("text.txt").toString(), folder + "/words");
            assertThat(folder.resolve("words/_SUCCESS")).as(text).exists();
        } finally {
            if (worker != null) {
                worker.destroy();
                worker.waitFor();
            }
            master.destroy();
            master.waitFor();
        }
    }

    private static Process daemon(Path log, String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(SparkRun.SPARK.resolve("bin/spark-class").toString(), mainClass, "--host", "127.0.0.1"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        SparkRun.clean(builder.environment());
        builder.environment().put("JAVA_HOME", SparkRun.JDK_25.toString());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        return builder.start();
    }

    private static void awaitText(Path log, String text) throws Exception {
        Eventually.holds(
                log + " contains '" + text + "'",
                () -> Files.exists(log) && Files.readString(log).contains(text));
    }

    /** Runs it and expects an exit code; returns what it printed. */
    private String submitted(int exitCode, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                built.resolve("dist/bin/heapspan").toString(),
                "native",
                "run",
                checks.toString(),
                "--conf",
                "spark.ui.enabled=false",
                "--spark-home",
                SparkRun.SPARK.toString()));
        command.addAll(options);
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        SparkRun.clean(builder.environment());
        builder.environment().put("JAVA_HOME", SparkRun.JDK_25.toString());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        int found = builder.start().waitFor();
        String text = Files.readString(output);
        assertThat(found).as(text).isEqualTo(exitCode);
        return text;
    }
}
