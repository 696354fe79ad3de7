package org.heapspan.vm.testing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main class of the test class path in a fresh JVM of a chosen JDK and collects what it prints.
 *
 * <p>Nothing of the environment that could add JVM options is handed on. Not thread-safe; one use each.
 */
public final class JavaProcess {
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
            List<String> candidates = new ArrayList<>();
            candidates.add(System.getProperty("heapspan.jdk" + version + ".home"));
            candidates.add(System.getenv("JAVA" + version + "_HOME"));
            String[] installed = new File("/usr/lib/jvm").list();
            if (installed != null) {
                Arrays.sort(installed);
                for (String name : installed) {
                    candidates.add("/usr/lib/jvm/" + name);
                }
            }
            for (String candidate : candidates) {
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

        @Override
        public String toString() {
            return String.join(" ", command) + "\nexit code " + exitCode + "\n--- output\n" + output + "--- errors\n"
                    + errors;
        }
    }

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Jdk jdk;
    private final String mainClass;
    private final List<String> options = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> wrapper = new ArrayList<>();
    private Path java;
    private boolean bothCompilers;
    private String classPath = System.getProperty("java.class.path");
    private Path directory = Path.of("").toAbsolutePath();

    private JavaProcess(Jdk jdk, String mainClass) {
        this.jdk = jdk;
        this.mainClass = mainClass;
    }

    /** A process that will run a class with a {@code main} method. */
    public static JavaProcess of(Jdk jdk, Class<?> mainClass) {
        return new JavaProcess(jdk, mainClass.getName());
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

    /** Runs another {@code java} than that of the JDK. */
    public JavaProcess java(Path program) {
        java = program;
        return this;
    }

    /** Lets the JVM compile as it does without options: for programs that run long enough for the second compiler, and for what it makes. */
    public JavaProcess bothCompilers() {
        bothCompilers = true;
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

    /** Runs the process to its end. */
    public Result run() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(wrapper);
        command.add((java != null ? java : jdk.home().resolve("bin/java")).toString());
        if (!bothCompilers) {
            // Most run for less than a second, of which the second compiler would take a third.
            command.add("-XX:TieredStopAtLevel=1");
        }
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(mainClass);
        command.addAll(arguments);
        Path output = Files.createTempFile("heapspan-test", ".out");
        Path errors = Files.createTempFile("heapspan-test", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile());
            builder.environment()
                    .keySet()
                    .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"));
            Process process = builder.start();
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("no end after " + TIMEOUT + ": " + String.join(" ", command));
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
