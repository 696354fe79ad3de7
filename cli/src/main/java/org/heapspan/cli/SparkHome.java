package org.heapspan.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An Apache Spark of the version that Heapspan's adapter is for.
 *
 * @param folder where it lies; holds {@code bin} and {@code jars}
 * @param version such as 4.3.0
 */
record SparkHome(Path folder, String version) {
    /** Spark's insides, which the adapter reaches into, change from one minor version to the next. */
    private static final String SUPPORTED = "4.3.";

    static final String SCALA = "2.13";
    private static final Pattern CORE = Pattern.compile("spark-core_([0-9.]+)-(.+)\\.jar");

    /** Says where pip put Spark. Importing pyspark itself would take a second. */
    private static final String ASK_PYTHON =
            "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('pyspark').origin))";

    private static final int PYTHON_SECONDS = 20;

    /**
     * Finds Spark: what the user chose, else {@code SPARK_HOME}, else the one whose {@code spark-submit} is on the path, else that of Python.
     *
     * @param chosen by {@code --spark-home}
     */
    static SparkHome find(@Nullable String chosen, Surroundings around) throws Failure {
        if (chosen != null) {
            return at(Path.of(chosen), "--spark-home");
        }
        if (!around.variable("SPARK_HOME").isEmpty()) {
            return at(Path.of(around.variable("SPARK_HOME")), "SPARK_HOME");
        }
        Path submit = onPath("spark-submit", around);
        if (submit != null) {
            Path home = submit.resolve("../..").normalize();
            if (Files.isDirectory(home.resolve("jars"))) {
                return at(home, "the spark-submit of the PATH");
            }
        }
        for (String python : pythons(submit, around)) {
            Path home = ofPython(python);
            if (home != null) {
                return at(home, "the pyspark of " + python);
            }
        }
        throw Failure.of(
                "no Apache Spark found: --spark-home is not given, SPARK_HOME not set, there is no spark-submit on the PATH"
                        + " and no pyspark in Python; name one with --spark-home, or `pip install pyspark==" + SUPPORTED
                        + "0`");
    }

    private static SparkHome at(Path named, String by) throws Failure {
        Path folder = named.toAbsolutePath().normalize();
        String found = null;
        for (Path jar : files(folder.resolve("jars"))) {
            Matcher name = CORE.matcher(jar.getFileName().toString());
            if (name.matches()) {
                String scala = name.group(1);
                String version = name.group(2);
                if (version.startsWith(SUPPORTED) && scala.equals(SCALA)) {
                    return new SparkHome(folder, version);
                }
                found = version + " for Scala " + scala;
            }
        }
        throw Failure.of(
                found == null
                        ? folder + ", which " + by + " names, is not an Apache Spark: it has no jars/spark-core_*.jar"
                        : "Spark in " + folder + ", which " + by + " names, is " + found
                                + "; this Heapspan is for Spark " + SUPPORTED + "x for Scala " + SCALA);
    }

    /** The jars on the class path of every JVM of Spark, in an order that is always the same. */
    List<Path> jars() {
        return files(folder.resolve("jars")).stream()
                .filter(file -> file.toString().endsWith(".jar"))
                .sorted()
                .toList();
    }

    Path program(String name) throws Failure {
        Path program = folder.resolve("bin").resolve(name);
        if (!Files.isExecutable(program)) {
            throw Failure.of(
                    "Spark in " + folder + " has no bin/" + name + " that can be run; give --spark-home another one");
        }
        return program;
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The real file of a program on the path, or null. */
    static @Nullable Path onPath(String program, Surroundings around) {
        for (String folder : around.variable("PATH").split(File.pathSeparator, -1)) {
            Path file = Path.of(folder.isEmpty() ? "." : folder, program);
            if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                try {
                    return file.toRealPath();
                } catch (IOException e) {
                    // Gone in between: the next one.
                }
            }
        }
        return null;
    }

    private static Set<String> pythons(@Nullable Path submit, Surroundings around) {
        List<String> candidates = new ArrayList<>();
        if (submit != null) {
            // In an environment of Python, to which this spark-submit belongs.
            candidates.add(submit.resolveSibling("python3").toString());
        }
        candidates.add(around.variable("PYSPARK_DRIVER_PYTHON"));
        candidates.add(around.variable("PYSPARK_PYTHON"));
        Path python = onPath("python3", around);
        candidates.add(python == null ? "" : "python3");
        candidates.removeIf(String::isEmpty);
        return new LinkedHashSet<>(candidates);
    }

    private static @Nullable Path ofPython(String python) {
        try {
            Process process = new ProcessBuilder(python, "-c", ASK_PYTHON)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String home = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PYTHON_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return null;
            }
            return process.exitValue() == 0 && Files.isDirectory(Path.of(home, "jars")) ? Path.of(home) : null;
        } catch (IOException e) {
            return null; // no such Python
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
