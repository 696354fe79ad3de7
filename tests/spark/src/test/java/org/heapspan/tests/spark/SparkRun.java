package org.heapspan.tests.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.heapspan.testing.TwoHosts;

/**
 * One application, submitted to a cluster of two executor JVMs by {@code spark-submit} as a user would do it, and what came of it. Nothing
 * is written into the Spark that the build uses: the application runs in one made of links to it.
 */
final class SparkRun {
    private static final int TIMEOUT_SECONDS = 1200;
    private static final int START_SECONDS = 120;

    /** The executors, and the cores of each, of a cluster that an application starts by itself. */
    private static final Pattern LOCAL_CLUSTER = Pattern.compile("local-cluster\\[(\\d+),(\\d+),\\d+]");

    private static final String SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer";
    private static final String JOBS = "org.heapspan.tests.spark.jobs.";

    /** JVMs that live for seconds only lose by compiling for long runs, and by collections for the room that Spark's classes take. */
    private static final String SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m";

    /** Thousands of classes of Spark are loaded, and to verify them takes a fifth of the time of a short application. */
    static final String UNVERIFIED = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

    static final Path JDK_17 = Path.of(System.getProperty("heapspan.jdk17.home"));

    /** The JDK of most runs: 25, or the one that runs this if there is only a run-time image of Java 25. */
    static final Path JDK_25 = canRunSpark(Path.of(System.getProperty("heapspan.jdk25.home")))
            ? Path.of(System.getProperty("heapspan.jdk25.home"))
            : Path.of(System.getProperty("java.home"));

    static final Path HEAPSPAN_JAR = Path.of(System.getProperty("heapspan.spark.jar"));

    private static final Path WORKLOADS_JAR = Path.of(System.getProperty("heapspan.workloads.jar"));
    static final Path SPARK = Path.of(System.getProperty("heapspan.spark.home"));
    private static final Path CLASSES = Path.of("target", "classes").toAbsolutePath();

    private final Path folder;
    private final Path jdk;
    private final Map<String, String> configuration = new HashMap<>();
    private boolean extraOnDriverOnly;
    private boolean supervised;
    private int largestFileKilobytes;
    private Path localFolder;
    private String python;
    private Path hadoopConfiguration;

    /** Options of {@code heapspan spark-submit}; null to submit by Spark's own program. */
    private List<String> options;

    /**
     * Begins to describe a run.
     *
     * @param folder an empty folder for all that it writes
     * @param jdk home of the JDK of driver and executors
     */
    SparkRun(Path folder, Path jdk) {
        assumeTrue(canRunSpark(jdk), jdk + " is a run-time image without a module that Spark asks for: needs a JDK");
        this.folder = folder;
        this.jdk = jdk;
        localFolder = folder.resolve("local");
        with("spark.master", "local-cluster[2,1,1024]");
        with("spark.driver.memory", "512m");
        // Executors have the collector that users have.
        with("spark.driver.defaultJavaOptions", SHORT_RUN + " -XX:+UseSerialGC");
        with("spark.executor.defaultJavaOptions", SHORT_RUN);
        with("spark.driver.host", "127.0.0.1");
        with("spark.driver.bindAddress", "127.0.0.1");
        with("spark.ui.enabled", "false");
    }

    /** Spark's JVMs ask for the module jdk.incubator.vector, which a run-time image may lack. A JDK has all. */
    private static boolean canRunSpark(Path home) {
        return Files.isExecutable(home.resolve("bin/javac"));
    }

    SparkRun with(String key, String value) {
        configuration.put(key, value);
        return this;
    }

    String valueOf(String key) {
        return configuration.get(key);
    }

    /**
     * Lets JVMs compile as they do where users run them: for tests of what tasks read and write.
     *
     * @param role of the JVMs that run the tasks: {@code executor}, or {@code driver} where Spark is local
     */
    SparkRun withBothCompilers(String role) {
        configuration.remove("spark." + role + ".defaultJavaOptions");
        return this;
    }

    /** The two lines of docs/spark.md. */
    SparkRun withHeapspan() {
        return with("spark.plugins", "org.heapspan.spark.HeapspanPlugin").withHeapspanOnClassPaths();
    }

    SparkRun withHeapspanOnClassPaths() {
        return with("spark.driver.extraClassPath", HEAPSPAN_JAR.toString())
                .with("spark.executor.extraClassPath", HEAPSPAN_JAR.toString());
    }

    /** Lets tasks wait for the executor that has their data, however long that takes: for tests of where data are. */
    SparkRun withPatientLocality() {
        return with("spark.locality.wait", Eventually.MOST_SECONDS + "s");
    }

    /** The cluster starts the driver, and starts it again when it has died. */
    SparkRun supervised() {
        supervised = true;
        return with("spark.submit.deployMode", "cluster").with("spark.standalone.submit.waitAppCompletion", "true");
    }

    /** Submits by {@code heapspan spark-submit}, with options of its own, instead of {@code spark-submit}. */
    SparkRun bySubmitting(List<String> ownOptions) {
        options = ownOptions;
        return this;
    }

    /** Keeps the classes of the extra jar from the executors. */
    SparkRun withExtraOnDriverOnly() {
        extraOnDriverOnly = true;
        return this;
    }

    /** Lets no file of driver and executors become larger, which is to them as if the disk were full. */
    SparkRun withLargestFile(int kilobytes) {
        largestFileKilobytes = kilobytes;
        return this;
    }

    /** Lets Spark have its files in a folder that other runs may have, too. */
    SparkRun withLocalFolder(Path shared) {
        localFolder = shared;
        return this;
    }

    /** Lets driver and executors run Python programs by another interpreter than Spark's. */
    SparkRun withPython(Path interpreter) {
        python = interpreter.toString();
        return this;
    }

    /** Lets Spark take the two executors for executors on two hosts. It never starts a copy of a slow task on the host of the first. */
    SparkRun onTwoHosts() throws IOException {
        Path wrapped = folder.resolve("java-of-two-hosts");
        TwoHosts.wrapJava(jdk, wrapped);
        return with("spark.executorEnv.JAVA_HOME", wrapped.toString());
    }

    /** Lets the cluster manager be YARN, whose addresses are in files of a folder. */
    SparkRun onYarn(Path configurationFolder) {
        hadoopConfiguration = configurationFolder;
        return with("spark.master", "yarn");
    }

    /** What executors have logged so far, one after the other. */
    String executorLogs() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("spark/work"))) {
            StringBuilder logs = new StringBuilder();
            for (Path file :
                    files.filter(file -> file.endsWith("stderr")).sorted().toList()) {
                logs.append(text(file));
            }
            return logs.toString();
        }
    }

    /**
     * How a run ended.
     *
     * @param exitCode of spark-submit
     * @param output what the driver logged and printed
     * @param results what the application found, by name; empty if it did not come so far
     */
    record Outcome(int exitCode, String output, Map<String, String> results) {
        Outcome succeeded() {
            if (exitCode != 0) {
                throw new AssertionError("spark-submit ended with " + exitCode + ", expected 0:\n" + end());
            }
            return this;
        }

        private String end() {
            return output.substring(Math.max(0, output.length() - 20_000));
        }

        /** The lines of the driver's log that hold a text. */
        List<String> lines(String text) {
            return output.lines().filter(line -> line.contains(text)).toList();
        }
    }

    /** Runs an application of this module; its first argument is where it leaves its results. */
    Outcome run(String application, String... arguments) throws IOException, InterruptedException {
        Path jobs = jar("jobs.jar", "org/heapspan/tests/spark/jobs");
        List<String> command = new ArrayList<>(List.of("--class", JOBS + application));
        Path extra = jar("extra.jar", "org/heapspan/tests/spark/extra");
        if (extraOnDriverOnly) {
            configuration.merge("spark.driver.extraClassPath", extra.toString(), (given, more) -> given + ":" + more);
        } else {
            configuration.merge("spark.jars", extra.toString(), (given, more) -> given + "," + more);
        }
        command.add(jobs.toString());
        return submit(command, arguments);
    }

    /** Runs an application of the module workloads; its first argument is where it leaves its results. */
    Outcome runWorkload(String application, String... arguments) throws IOException, InterruptedException {
        return submit(List.of("--class", "org.heapspan.workloads." + application, WORKLOADS_JAR.toString()), arguments);
    }

    /** Runs a Python program; its first argument is where it leaves its results. */
    Outcome runPython(Path program, String... arguments) throws IOException, InterruptedException {
        return submit(List.of(program.toString()), arguments);
    }

    /**
     * Starts a server of Spark Connect with the settings of this run, runs an application of the module workloads as its client, and ends the
     * server. What both wrote is the output.
     */
    Outcome runConnected(String application, String... arguments) throws IOException, InterruptedException {
        Path home = linkedHome(folder);
        String port = freePort();
        shareSparkClasses();
        awaitExecutors();
        with("spark.connect.grpc.binding.address", "127.0.0.1").with("spark.connect.grpc.binding.port", port);
        Path log = folder.resolve("server");
        List<String> server =
                new ArrayList<>(List.of(home.resolve("bin/spark-submit").toString(), "--class", SERVER));
        configuration.forEach((key, value) -> server.addAll(List.of("--conf", key + "=" + value)));
        server.add("spark-internal");
        Process process = process(home, log, server).start();
        Outcome outcome;
        try {
            awaitText(process, log, "Spark Connect server started");
            Path output = folder.resolve("output");
            Path results = folder.resolve("results");
            List<String> client = new ArrayList<>(List.of(
                    home.resolve("bin/spark-submit").toString(),
                    "--remote",
                    "sc://127.0.0.1:" + port,
                    "--class",
                    "org.heapspan.workloads." + application,
                    WORKLOADS_JAR.toString(),
                    results.toString()));
            client.addAll(List.of(arguments));
            int exitCode = await(process(home, output, client).start(), output);
            outcome = new Outcome(exitCode, text(log) + text(output), read(results));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        removeLinks(home);
        return outcome;
    }

    /** Only how soon driver and executors are there: they find classes of Spark and Heapspan in an archive, or do not verify them. */
    private void shareSparkClasses() throws IOException, InterruptedException {
        if (options != null && !options.isEmpty()) {
            return;
        }
        boolean shared = options == null
                && jdk.equals(JDK_25)
                && !SparkClasses.of(jdk).classPath().isEmpty();
        for (String role : List.of("driver", "executor")) {
            String key = "spark." + role + ".extraClassPath";
            String classPath = configuration.getOrDefault(key, "");
            String more = UNVERIFIED;
            // The archive is of JVMs whose class path begins with Heapspan's jar.
            if (shared && (classPath + ":").startsWith(HEAPSPAN_JAR + ":")) {
                String rest = classPath.substring(HEAPSPAN_JAR.toString().length());
                with(key, SparkClasses.of(jdk).classPath() + rest);
                more = SparkClasses.of(jdk).options();
            }
            configuration.merge(
                    "spark." + role + ".defaultJavaOptions", more, (given, further) -> given + " " + further);
        }
    }

    /** Jobs begin when all executors are there. On a slow machine one is there seconds before another, and would do a whole job. */
    private void awaitExecutors() {
        Matcher cluster = LOCAL_CLUSTER.matcher(valueOf("spark.master"));
        if (cluster.matches() && !configuration.containsKey("spark.dynamicAllocation.enabled")) {
            int cores = Integer.parseInt(cluster.group(1)) * Integer.parseInt(cluster.group(2));
            // Spark counts cores only where it knows how many are to come.
            with("spark.cores.max", String.valueOf(cores))
                    .with("spark.scheduler.minRegisteredResourcesRatio", "1")
                    .with("spark.scheduler.maxRegisteredResourcesWaitingTime", Eventually.MOST_SECONDS + "s");
        }
    }

    private Outcome submit(List<String> application, String... arguments) throws IOException, InterruptedException {
        shareSparkClasses();
        awaitExecutors();
        Path home = linkedHome(folder);
        Path results = folder.resolve("results");
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>();
        if (options == null) {
            command.add(home.resolve("bin/spark-submit").toString());
        } else {
            command.addAll(List.of(Distribution.in(folder).toString(), "spark-submit"));
            command.addAll(options);
        }
        configuration.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        if (supervised) {
            command.add("--supervise"); // Spark 4.3 does not ask for spark.driver.supervise here.
        }
        command.addAll(application);
        command.add(results.toString());
        command.addAll(List.of(arguments));
        int exitCode = await(process(home, output, command).start(), output);
        removeLinks(home);
        return outcome(folder, exitCode);
    }

    /** What a run has left in its folder. */
    static Outcome outcome(Path folder, int exitCode) throws IOException {
        return new Outcome(exitCode, text(folder.resolve("output")), read(folder.resolve("results")));
    }

    private ProcessBuilder process(Path home, Path output, List<String> program) throws IOException {
        List<String> command = new ArrayList<>();
        String limits = "ulimit -c 0" + (largestFileKilobytes > 0 ? "; ulimit -f " + largestFileKilobytes : "");
        command.addAll(List.of("bash", "-c", limits + "; exec \"$@\"", "bash"));
        command.addAll(program);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        clean(environment);
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("SPARK_HOME", home.toString());
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        environment.put("SPARK_LOCAL_DIRS", localFolder.toString());
        // What stock Spark found, in files, is the same everywhere.
        environment.put("TZ", "UTC");
        environment.put("LC_ALL", "C.UTF-8");
        // Of the JVM that only puts together the command of the next.
        environment.put("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        if (hadoopConfiguration != null) {
            environment.put("HADOOP_CONF_DIR", hadoopConfiguration.toString());
        }
        environment.put("PYSPARK_PYTHON", python == null ? python() : python);
        return builder;
    }

    /** Waits until a process has ended, and the executors that it has started. */
    private static int await(Process process, Path output) throws IOException, InterruptedException {
        Set<ProcessHandle> children = new HashSet<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (!process.waitFor(500, TimeUnit.MILLISECONDS)) {
            process.descendants().forEach(children::add);
            if (System.nanoTime() - end > 0) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
                throw new AssertionError("no end after " + TIMEOUT_SECONDS + " s:\n" + text(output));
            }
        }
        // Executors outlive their driver by a moment, in which they still write to the folder.
        for (ProcessHandle each : children) {
            each.onExit()
                    .completeOnTimeout(each, Eventually.MOST_SECONDS, TimeUnit.SECONDS)
                    .join();
        }
        return process.exitValue();
    }

    /** Waits until a process that goes on running says that it is ready. */
    static void awaitText(Process process, Path log, String ready) throws IOException, InterruptedException {
        for (int i = 0; i < 10 * START_SECONDS; i++) {
            if (text(log).contains(ready)) {
                return;
            }
            if (!process.isAlive()) {
                break;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no '" + ready + "' in:\n" + text(log));
    }

    private static Map<String, String> read(Path results) throws IOException {
        Map<String, String> found = new HashMap<>();
        if (Files.exists(results)) {
            for (String line : Files.readAllLines(results)) {
                found.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
            }
        }
        return found;
    }

    static String freePort() throws IOException {
        return String.valueOf(Ports.take());
    }

    /**
     * Starts a process that serves the shuffle files of executors, knows nothing of Heapspan, and is used by this run.
     *
     * @return the process, which serves, and which the caller ends
     */
    Process startShuffleService() throws Exception {
        String port = freePort();
        ProcessBuilder builder = new ProcessBuilder(
                        SPARK.resolve("bin/spark-class").toString(), "org.apache.spark.deploy.ExternalShuffleService")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("shuffle-service").toFile());
        Map<String, String> environment = builder.environment();
        clean(environment);
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("SPARK_HOME", SPARK.toString());
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        environment.put("SPARK_DAEMON_MEMORY", "256m");
        environment.put("SPARK_SHUFFLE_OPTS", "-Dspark.shuffle.service.port=" + port);
        with("spark.shuffle.service.enabled", "true");
        with("spark.shuffle.service.port", port);
        Process process = builder.start();
        boolean serves = false;
        try {
            Eventually.holds("the shuffle service serves", () -> isServed(port) || !process.isAlive());
            serves = true;
            return process;
        } finally {
            if (!serves) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static boolean isServed(String port) {
        try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(port))) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Takes out what changes how Spark or a JVM starts. */
    static void clean(Map<String, String> environment) {
        environment.keySet().removeIf(name -> name.startsWith("SPARK_") || name.startsWith("PYSPARK_"));
        environment.keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /** A home of Spark whose folder for work is ours. */
    static Path linkedHome(Path folder) throws IOException {
        Path home = Files.createDirectories(folder.resolve("spark"));
        try (Stream<Path> parts = Files.list(SPARK.toRealPath())) {
            for (Path part : parts.toList()) {
                if (!part.endsWith("work")) {
                    Files.createSymbolicLink(home.resolve(part.getFileName()), part);
                }
            }
        }
        return home;
    }

    /** Deletes a folder and all in it, but follows no link. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void removeLinks(Path home) throws IOException {
        try (Stream<Path> parts = Files.list(home)) {
            for (Path part : parts.filter(Files::isSymbolicLink).toList()) {
                Files.delete(part);
            }
        }
    }

    /** The Python in whose environment Spark is, else that of the path. */
    static String python() throws IOException {
        Path ofSpark = SPARK.toRealPath().resolve("../../../../bin/python").normalize();
        return Files.isExecutable(ofSpark) ? ofSpark.toString() : "python3";
    }

    /** Packs the classes of one package. */
    private Path jar(String name, String packageFolder) throws IOException {
        Path jar = folder.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> classes = Files.list(CLASSES.resolve(packageFolder))) {
            for (Path type : classes.sorted().toList()) {
                out.putNextEntry(new JarEntry(packageFolder + "/" + type.getFileName()));
                Files.copy(type, out);
            }
        }
        return jar;
    }
}
