package org.heapspan.tests.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * Class data of Spark in an archive of the JVM (AppCDS), made once for all runs of these tests with a JDK and a Spark. Making it takes half a minute of
 * processor time. The runs of {@code SettingsIT} and {@code PythonIT} then took a quarter less time. A JVM that the archive does not fit starts without
 * it.
 *
 * <p>It is not the archive of {@code heapspan spark-submit --share-classes}: that one holds Heapspan's jar, which runs of Spark alone do not have.
 *
 * @param classPath how the class path of driver and executors begins: a jar that puts all jars of Spark on it
 * @param options of driver and executors
 */
record SparkClasses(String classPath, String options) {
    private static final Path FOLDER = Path.of("target", "spark-classes").toAbsolutePath();
    private static final int TIMEOUT_SECONDS = 300;

    /** By JDK; empty where none could be made. */
    private static final Map<Path, Optional<SparkClasses>> MADE = new HashMap<>();

    /** Makes the archive if there is none yet. */
    static synchronized Optional<SparkClasses> of(Path jdk) {
        return MADE.computeIfAbsent(jdk, SparkClasses::make);
    }

    private static Optional<SparkClasses> make(Path jdk) {
        try {
            Path folder = FOLDER.resolve(jdk.getFileName());
            Files.createDirectories(FOLDER);
            Path archive = folder.resolve("classes.jsa");
            Path jar = folder.resolve("spark.jar");
            Path madeOf = folder.resolve("made-of");
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
                    writeJar(folder, jar);
                    train(jdk, folder, jar, archive);
                    Files.writeString(madeOf, parts);
                }
            }
            // A JVM that maps it at the address for which it was made need not change the addresses in it.
            return Files.exists(archive)
                    ? Optional.of(new SparkClasses(
                            jar.toString(),
                            "-XX:SharedArchiveFile=" + archive + " -Xshare:auto -Xlog:cds=off"
                                    + " -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"))
                    : Optional.empty();
        } catch (IOException e) {
            // What goes wrong here goes wrong in the runs too, and is seen there.
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** All that an archive depends on: the JVM, the jars of Spark, and the program that it is learned from. */
    private static String parts(Path jdk) throws IOException {
        StringBuilder parts = new StringBuilder(jdk + "\n" + Files.readString(jdk.resolve("release")));
        List<Path> files = new ArrayList<>(List.of(SparkRun.HEAPSPAN_JAR));
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

    /** The JVM's archives want the names of jars to be relative to this one. Large jars come first, with which the archive is made sooner. */
    private static void writeJar(Path folder, Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (Stream<Path> jars = Files.list(SparkRun.SPARK.toRealPath().resolve("jars"))) {
            manifest.getMainAttributes()
                    .put(
                            Attributes.Name.CLASS_PATH,
                            jars.filter(file -> file.toString().endsWith(".jar"))
                                    .sorted(Comparator.<Path>comparingLong(
                                                    file -> -file.toFile().length())
                                            .thenComparing(Comparator.naturalOrder()))
                                    .map(file -> folder.relativize(file).toString())
                                    .collect(Collectors.joining(" ")));
        }
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
    }

    /** Runs the application that {@code heapspan spark-submit --share-classes} learns from. */
    private static void train(Path jdk, Path folder, Path jar, Path archive) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                jdk.resolve("bin/java").toString(),
                "-Xmx768m",
                "-XX:TieredStopAtLevel=1",
                "-XX:ArchiveClassesAtExit=" + archive));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().strip().split("\\s+", -1)));
        command.addAll(List.of(
                "-cp",
                jar.toString(),
                "org.apache.spark.deploy.SparkSubmit",
                "--master",
                "local-cluster[1,1,512]",
                "--conf",
                "spark.executor.memory=512m",
                "--conf",
                "spark.executor.extraClassPath=" + jar,
                "--conf",
                "spark.executor.defaultJavaOptions=-XX:TieredStopAtLevel=1",
                "--conf",
                "spark.ui.enabled=false",
                "--conf",
                "spark.sql.warehouse.dir=" + folder,
                "--class",
                "org.heapspan.spark.ClassDataTraining",
                SparkRun.HEAPSPAN_JAR.toString(),
                folder.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("training.log").toFile());
        Map<String, String> environment = builder.environment();
        SparkRun.clean(environment);
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("SPARK_HOME", SparkRun.linkedHome(folder).toString());
        environment.put("SPARK_SCALA_VERSION", "2.13");
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        environment.put("SPARK_LOCAL_DIRS", folder.toString());
        environment.put("SPARK_CONF_DIR", folder.toString());
        Process process = builder.start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }
}
