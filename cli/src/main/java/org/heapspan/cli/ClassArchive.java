package org.heapspan.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An archive of the class data of Spark, Heapspan and an application, for one JDK and one set of jars. It lies in a folder of its own, named by a
 * fingerprint of all that it depends on, and is made once, by a run of an application of Heapspan's on that Spark
 * ({@code -XX:ArchiveClassesAtExit}). The folder may be deleted at any time.
 */
final class ClassArchive {
    private static final String TRAINING = "org.heapspan.spark.ClassDataTraining";
    private static final int TRAINING_MINUTES = 15;

    /** These JVMs end before C2 has paid for itself. */
    private static final String ONLY_C1 = "-XX:TieredStopAtLevel=1";

    private static final int FINGERPRINT_CHARS = 16;

    private final SparkHome spark;
    private final List<Path> ownJars;
    private final List<Path> applicationJars;
    private final String options;
    private final Surroundings around;
    private Path folder = Path.of("");

    /**
     * Describes an archive.
     *
     * @param ownJars the first jars of the class path, Heapspan's before all
     * @param applicationJars whose classes are loaded by loaders of Spark's own, with the same data
     * @param options of the JVM that decide about the layout of its heap
     */
    ClassArchive(SparkHome spark, List<Path> ownJars, List<Path> applicationJars, String options, Surroundings around) {
        this.spark = spark;
        this.ownJars = ownJars;
        this.applicationJars = applicationJars;
        this.options = options;
        this.around = around;
    }

    /** The file of the archive, which is made if it is not there. */
    Path in(Path cache) throws IOException {
        String madeOf = madeOf();
        // The real path: relative names lead up from it, which is not where a link came from.
        Path classes = cache.resolve("classes");
        folder = Files.createDirectories(classes.resolve(fingerprint(madeOf))).toRealPath();
        // JVMs map what is in it as code.
        for (Path each : List.of(cache, classes.toRealPath(), folder)) {
            OwnFolder.checkPlace(each);
        }
        Path archive = folder.resolve("classes.jsa");
        // Of two who want it at the same time one makes it.
        try (FileChannel channel =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (!Files.exists(archive) && lock.isValid()) {
                Files.writeString(folder.resolve("made-of.txt"), madeOf);
                writeSparkJar();
                make(archive);
            }
        }
        return archive;
    }

    /** How the class path of JVMs that use the archive begins. */
    List<Path> classPath() {
        return Stream.concat(ownJars.stream(), Stream.of(sparkJar())).toList();
    }

    private Path sparkJar() {
        return folder.resolve("spark.jar");
    }

    /**
     * An empty jar that puts all jars of Spark on the class path. The JVM's archives want such names to be relative. Large jars come first, which
     * saves time. A JVM that makes an archive asks the file system about the class path for each class: about all entries up to the one with the class
     * ({@code record_result} in HotSpot's {@code classLoader.cpp}, JDK 17 to 25). Spark itself has its jars in the order of the file system.
     */
    private void writeSparkJar() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        spark.jars().stream()
                                .sorted(Comparator.comparing(
                                        jar -> -jar.toFile().length()))
                                .map(jar -> folder.relativize(jar).toString().replace(" ", "%20"))
                                .collect(Collectors.joining(" ")));
        try (OutputStream file = Files.newOutputStream(sparkJar())) {
            new JarOutputStream(file, manifest).close();
        }
    }

    private void make(Path archive) throws IOException {
        around.note(
                "creating an archive of class data for this Spark and JDK; this happens once, and takes about a minute ...");
        Path training = folder.resolve("training");
        Path log = folder.resolve("training.log");
        Path fresh = training.resolve(archive.getFileName());
        OwnFolder.delete(training);
        Path home = linkedHome(training);
        long start = System.nanoTime();
        Process process = in(home, training, command(home, training, fresh))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(TRAINING_MINUTES, TimeUnit.MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroy);
                process.destroy();
                throw new IOException("no end after " + TRAINING_MINUTES + " minutes; see " + log);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        // A JVM that was killed may have written a part, with which others crash.
        if (process.exitValue() != 0 || !Files.exists(fresh)) {
            throw new IOException("the JVM wrote none, it ended with " + process.exitValue() + "; see " + log);
        }
        try (FileChannel written = FileChannel.open(fresh)) {
            written.force(true);
        }
        Files.move(fresh, archive, StandardCopyOption.ATOMIC_MOVE);
        OwnFolder.delete(training);
        around.note("made " + archive + " (" + Text.bytes(Files.size(archive)) + ") in "
                + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + " s");
    }

    /**
     * An application of one executor, with none of the user's settings. It is started as Spark would start it, but for the class path: the JVM
     * refuses folders on it, and looks for all of it again later.
     */
    private List<String> command(Path home, Path training, Path archive) throws IOException {
        String classPath = classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Path settings = training.resolve("settings");
        Files.writeString(
                settings,
                String.join(
                        "\n",
                        "spark.master local-cluster[1,1,512]",
                        "spark.driver.memory 768m",
                        "spark.executor.memory 512m",
                        "spark.executor.defaultJavaOptions " + ONLY_C1,
                        "spark.ui.port 0",
                        "spark.sql.warehouse.dir " + training,
                        "spark.executor.extraClassPath " + classPath,
                        "spark.plugins " + SparkCommand.PLUGIN,
                        applicationJars.stream()
                                .map(Path::toString)
                                .collect(Collectors.joining(",", "spark.jars ", "")),
                        ""));
        List<String> launcher = new ArrayList<>(List.of(
                javaHome().resolve("bin/java").toString(),
                "-cp",
                home.resolve("jars") + "/*",
                "org.apache.spark.launcher.Main",
                "org.apache.spark.deploy.SparkSubmit",
                "--properties-file",
                settings.toString(),
                "--driver-java-options",
                ("-XX:ArchiveClassesAtExit=" + archive.getFileName() + " " + ONLY_C1 + " " + options).strip(),
                "--class",
                TRAINING,
                "spark-internal",
                training.toString()));
        applicationJars.forEach(jar -> launcher.add(jar.toString()));
        List<String> command = launched(in(home, training, launcher));
        int classPathAt = command.indexOf("-cp") + 1;
        if (classPathAt == 0) {
            throw new IOException("Spark's launcher made a command without a class path: " + command);
        }
        command.set(classPathAt, classPath);
        return command;
    }

    /**
     * What Spark's launcher prints: an empty word, then those of the command, each with a 0 behind it. Before and after them may be what its JVM prints, such
     * as warnings.
     */
    private static List<String> launched(ProcessBuilder launcher) throws IOException {
        Process process =
                launcher.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("Spark's launcher ended with " + process.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        int start = printed.indexOf('\0');
        if (start < 0) {
            throw new IOException("Spark's launcher printed no command: " + printed.strip());
        }
        List<String> words = new ArrayList<>(
                List.of(printed.substring(start, printed.lastIndexOf('\0')).split("\0", -1)));
        words.replaceAll(String::strip);
        words.removeIf(String::isEmpty);
        return words;
    }

    private static ProcessBuilder in(Path home, Path training, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(training.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("SPARK_HOME", home.toString());
        environment.put("SPARK_SCALA_VERSION", SparkHome.SCALA);
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        environment.put("SPARK_LOCAL_DIRS", training.toString());
        // The settings of the user's installation are not ours.
        environment.put("SPARK_CONF_DIR", training.toString());
        return builder;
    }

    /** A home of Spark that consists of links, whose folder for work is ours. */
    private Path linkedHome(Path training) throws IOException {
        Path home = Files.createDirectories(training.resolve("spark"));
        try (Stream<Path> parts = Files.list(spark.folder())) {
            for (Path part : parts.toList()) {
                if (!part.endsWith("work")) {
                    Files.createSymbolicLink(home.resolve(part.getFileName()), part);
                }
            }
        }
        return home;
    }

    /** All that the archive depends on, a line each. */
    private String madeOf() throws IOException {
        Path java = javaHome();
        List<String> lines = new ArrayList<>();
        lines.add("jdk " + fact(java.resolve("lib/server/libjvm.so")));
        lines.add("options " + options);
        for (Path jar : ownJars) {
            lines.add("jar " + fact(jar));
        }
        for (Path jar : applicationJars) {
            lines.add("application " + fact(jar));
        }
        lines.add("spark " + spark.version());
        for (Path jar : spark.jars()) {
            lines.add("jar " + fact(jar));
        }
        return String.join("\n", lines) + "\n";
    }

    /** By these the JVM too knows a file again. */
    private static String fact(Path file) throws IOException {
        Path real = file.toRealPath();
        return file + " " + Files.size(real) + " "
                + Files.getLastModifiedTime(real).toMillis();
    }

    private static String fingerprint(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, FINGERPRINT_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The JDK with which Spark will run: {@code conf/spark-env.sh} may choose it. */
    private Path javaHome() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "bash",
                        "-c",
                        ". \"$SPARK_HOME/bin/load-spark-env.sh\" >/dev/null && printf %s \"${JAVA_HOME:-}\"")
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("SPARK_HOME", spark.folder().toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String home = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!home.isEmpty()) {
            return Path.of(home);
        }
        Path java = SparkHome.onPath("java", around);
        if (java == null) {
            throw new IOException("no Java found; set JAVA_HOME");
        }
        return java.resolve("../..").normalize();
    }
}
