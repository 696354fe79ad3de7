package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.heapspan.tests.spark.SparkRun.Outcome;

/**
 * Class data of Spark and Heapspan in an archive of the JVM (AppCDS), made once for all runs of these tests with a JDK and a Spark, by
 * {@code heapspan spark-submit --share-classes}. Making it takes half a minute of processor time. A JVM of Spark
 * then takes one second of it less, a quarter of what a short one takes. A JVM that the archive does not fit starts without it.
 *
 * @param submitted what came of the application that was submitted when the archive was made
 * @param classPath how the class path of driver and executors begins, in place of Heapspan's jar; empty if there is no archive
 * @param options of driver and executors
 */
record SparkClasses(Outcome submitted, String classPath, String options) {
    private static final Path FOLDER = Path.of("target", "spark-classes").toAbsolutePath();

    private static final Map<Path, SparkClasses> MADE = new HashMap<>();

    /** Makes the archive if there is none yet. */
    static synchronized SparkClasses of(Path jdk) throws IOException, InterruptedException {
        SparkClasses made = MADE.get(jdk);
        if (made == null) {
            made = make(jdk);
            MADE.put(jdk, made);
        }
        return made;
    }

    private static SparkClasses make(Path jdk) throws IOException, InterruptedException {
        Path folder = FOLDER.resolve(jdk.getFileName());
        Files.createDirectories(FOLDER);
        Path cache = folder.resolve("cache");
        Path madeOf = folder.resolve("made-of");
        Path exitCode = folder.resolve("exit-code");
        String parts = parts(jdk);
        // Tests run in several JVMs at a time. One makes it, the others wait.
        try (FileChannel channel = FileChannel.open(
                        FOLDER.resolve(jdk.getFileName() + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (lock.isValid()
                    && !(Files.exists(madeOf) && Files.readString(madeOf).equals(parts))) {
                SparkRun.delete(folder);
                Files.createDirectories(folder);
                Outcome outcome = new SparkRun(folder, jdk)
                        .bySubmitting(List.of("--share-classes=" + cache))
                        .run("ClassWordsApplication");
                // The archive names Spark's jars as links in the home of that run, which are gone with its end.
                SparkRun.linkedHome(folder);
                Files.writeString(exitCode, String.valueOf(outcome.exitCode()));
                Files.writeString(madeOf, parts);
            }
        }
        Outcome submitted = SparkRun.outcome(folder, Integer.parseInt(Files.readString(exitCode)));
        Path archive = archive(cache);
        if (archive == null) {
            return new SparkClasses(submitted, "", "");
        }
        String classPath =
                folder.resolve("dist/heapspan-spark.jar") + File.pathSeparator + archive.resolveSibling("spark.jar");
        // A JVM that maps it at the address for which it was made need not change the addresses in it.
        String options = "-XX:SharedArchiveFile=" + archive
                + " -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -Xshare:";
        assertFits(jdk, classPath, options + "on");
        return new SparkClasses(submitted, classPath, options + "auto -Xlog:cds=off");
    }

    /** A JVM that the archive does not fit would start without it, so that nobody would notice. With this option it does not start. */
    private static void assertFits(Path jdk, String classPath, String options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString(), "-cp", classPath));
        command.addAll(List.of(options.split(" ", -1)));
        command.add("-version");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static Path archive(Path cache) throws IOException {
        if (!Files.exists(cache)) {
            return null;
        }
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.endsWith("classes.jsa"))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** All that an archive depends on: the JVM, the jars of Spark, the program that it is learned from, and the one that makes it. */
    private static String parts(Path jdk) throws IOException {
        StringBuilder parts = new StringBuilder(jdk + "\n" + Files.readString(jdk.resolve("release")));
        List<Path> files = new ArrayList<>(List.of(SparkRun.HEAPSPAN_JAR, Distribution.JAR));
        try (Stream<Path> jars = Files.list(SparkRun.SPARK.toRealPath().resolve("jars"))) {
            jars.sorted().forEach(files::add);
        }
        for (Path file : files) {
            parts.append(file)
                    .append(' ')
                    .append(Files.getLastModifiedTime(file))
                    .append('\n');
        }
        return parts.toString();
    }
}
