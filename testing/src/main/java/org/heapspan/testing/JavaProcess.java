package org.heapspan.testing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a main class of the test class path in a JVM of its own and collects what it prints.
 *
 * <p>Environment variables that could add JVM options are removed. Not thread-safe; one use each.
 */
public final class JavaProcess {
    /** For programs that run long enough for the second compiler, and for tests of what it compiles. Without it only C1 compiles. */
    public static final String BOTH_COMPILERS = "-XX:TieredStopAtLevel=4";

    /**
     * Lets HotSpot verify the heap and what threads refer to before and after each collection. Its own tables of symbols, code and classes take as long
     * as both, and no copied object is in them.
     */
    public static final List<String> VERIFICATION = List.of(
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+VerifyBeforeGC",
            "-XX:+VerifyAfterGC",
            "-XX:VerifySubSet=threads,heap");

    /** A JDK the tests run on; found by system property, then environment, then in {@code /usr/lib/jvm}. */
    public enum Jdk {
        JDK_17(17),
        JDK_25(25);

        private final int version;

        Jdk(int version) {
            this.version = version;
        }

        /** The feature version, such as 25. */
        public int version() {
            return version;
        }

        /** The one that runs this code, or the one that is nearest to it. */
        public static Jdk ofThisJvm() {
            return Runtime.version().feature() < JDK_25.version ? JDK_17 : JDK_25;
        }

        /**
         * The home of this JDK.
         *
         * @throws IllegalStateException if it is not installed: the tests need both
         */
        public Path home() {
            List<@Nullable String> candidates = new ArrayList<>();
            candidates.add(System.getProperty("heapspan.jdk" + version + ".home"));
            candidates.add(System.getenv("JAVA" + version + "_HOME"));
            String[] installed = new File("/usr/lib/jvm").list();
            if (installed != null) {
                Arrays.sort(installed);
                for (String name : installed) {
                    candidates.add("/usr/lib/jvm/" + name);
                }
            }
            for (@Nullable String candidate : candidates) {
                if (candidate != null && isHomeOfThis(Path.of(candidate))) {
                    return Path.of(candidate);
                }
            }
            throw new IllegalStateException("no JDK " + version + " found in -Dheapspan.jdk" + version + ".home, JAVA"
                    + version + "_HOME and /usr/lib/jvm; install one or name it");
        }

        private boolean isHomeOfThis(Path home) {
            if (!Files.isExecutable(home.resolve("bin/java"))) {
                return false;
            }
            try {
                return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + version);
            } catch (IOException e) {
                return false;
            }
        }
    }

    /** What a process printed and how it ended. */
    public record Result(List<String> command, int exitCode, String output, String errors) {
        /** The rest of the line that starts with {@code key=}. */
        public String value(String key) {
            return values(key).stream()
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no line starts with " + key + "= in " + this));
        }

        /** The rest of every line that starts with {@code key=}. */
        public List<String> values(String key) {
            String start = key + "=";
            return output.lines()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .toList();
        }

        /** This, if the process ended with 0. */
        public Result succeeded() {
            if (exitCode != 0) {
                throw new AssertionError("exit code " + exitCode + ", expected 0: " + this);
            }
            return this;
        }

        /** What the process printed to either stream. */
        public String outputAndErrors() {
            return output + errors;
        }

        @Override
        public String toString() {
            return String.join(" ", command) + "\nexit code " + exitCode + "\n--- output\n" + output + "--- errors\n"
                    + errors;
        }
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(Eventually.TEST_SECONDS);

    private final Path home;
    private final String mainClass;
    private final List<String> options = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> wrapper = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private @Nullable Path java;
    private String classPath = testClassPath();
    private Path directory = Path.of("").toAbsolutePath();

    /** The class path of this JVM, for others: also where Surefire has put it into a jar, and without its empty last entry, which would be the present folder. */
    public static String testClassPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Stream.of(all.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private JavaProcess(Path home, String mainClass) {
        this.home = home;
        this.mainClass = mainClass;
    }

    /** A process that will run a class with a {@code main} method on a JDK. */
    public static JavaProcess of(Jdk jdk, Class<?> mainClass) {
        return new JavaProcess(jdk.home(), mainClass.getName());
    }

    /** A process that will run a class on the JDK that runs the test, where native access is allowed. */
    public static JavaProcess of(Class<?> mainClass) {
        JavaProcess process = new JavaProcess(Path.of(System.getProperty("java.home")), mainClass.getName());
        return Runtime.version().feature() >= 24 ? process.options("--enable-native-access=ALL-UNNAMED") : process;
    }

    /** Runs a class on the JDK that runs the test. It must end with 0. */
    public static Result run(Class<?> mainClass, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        return runToAnyEnd(mainClass, options, arguments).succeeded();
    }

    /** Runs a class, which may fail, on the JDK that runs the test. */
    public static Result runToAnyEnd(Class<?> mainClass, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        return of(mainClass).options(options).arguments(arguments).run();
    }

    /** Adds JVM options. */
    public JavaProcess options(String... more) {
        Collections.addAll(options, more);
        return this;
    }

    /** Adds JVM options. */
    public JavaProcess options(List<String> more) {
        options.addAll(more);
        return this;
    }

    /** Adds arguments of the program. */
    public JavaProcess arguments(String... more) {
        Collections.addAll(arguments, more);
        return this;
    }

    /** Adds variables of the environment. */
    public JavaProcess environment(Map<String, String> more) {
        environment.putAll(more);
        return this;
    }

    /** Runs another {@code java} than that of the JDK. */
    public JavaProcess java(Path program) {
        java = program;
        return this;
    }

    /** Replaces the class path of this JVM by another. */
    public JavaProcess classPath(String other) {
        classPath = other;
        return this;
    }

    /** Lets another program run the JVM, whose command it gets as its further arguments. */
    public JavaProcess within(List<String> program) {
        wrapper.addAll(program);
        return this;
    }

    /** Sets the working directory. */
    public JavaProcess directory(Path other) {
        directory = other;
        return this;
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(wrapper);
        command.add((java != null ? java : home.resolve("bin/java")).toString());
        // Most run for less than a second, of which the second compiler would take a third.
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment()
                .keySet()
                .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Starts the process. The caller reads its output and ends it. Its errors are printed with those of the test. */
    public Process start() throws IOException {
        return builder(command()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Starts the process. The caller reads its output, which its errors are a part of, and ends it. */
    public Process startWithErrorsInOutput() throws IOException {
        return builder(command()).redirectErrorStream(true).start();
    }

    /** Runs the process to its end, for ten minutes at most. */
    public Result run() throws IOException, InterruptedException {
        List<String> command = command();
        Path output = Files.createTempFile("heapspan-test", ".out");
        Path errors = Files.createTempFile("heapspan-test", ".err");
        try {
            Process process = builder(command)
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start();
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("no end after " + TIMEOUT + ": " + String.join(" ", command) + "\n"
                        + Files.readString(output, StandardCharsets.UTF_8)
                        + Files.readString(errors, StandardCharsets.UTF_8));
            }
            return new Result(
                    command,
                    process.exitValue(),
                    Files.readString(output, StandardCharsets.UTF_8),
                    Files.readString(errors, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
            Files.deleteIfExists(errors);
        }
    }
}
