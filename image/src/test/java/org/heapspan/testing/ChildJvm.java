package org.heapspan.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class of the test class path in a JVM of its own, of the JDK that runs the test. */
public final class ChildJvm {
    /** For programs that run long enough for the second compiler, and for what it makes. Without it only C1 compiles. */
    public static final String BOTH_COMPILERS = "-XX:TieredStopAtLevel=4";

    private static final int TIMEOUT_SECONDS = 60;

    private ChildJvm() {}

    /**
     * What a JVM printed and how it ended.
     *
     * @param exitCode its exit code
     * @param output what it printed to either stream
     */
    public record Result(int exitCode, String output) {
        /** The rest of the line that begins with {@code key=}. */
        public String value(String key) {
            return output.lines()
                    .filter(line -> line.startsWith(key + "="))
                    .map(line -> line.substring(key.length() + 1))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no line begins with " + key + "= in " + this));
        }
    }

    /** Runs a main class that must end with 0. */
    public static Result run(Class<?> mainClass, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        Result result = runToAnyEnd(mainClass, options, arguments);
        if (result.exitCode() != 0) {
            throw new AssertionError(mainClass.getName() + " with " + options + " ended with " + result.exitCode()
                    + ", expected 0:\n" + result.output());
        }
        return result;
    }

    /** Runs a main class that may fail. */
    public static Result runToAnyEnd(Class<?> mainClass, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Most run for less than a second, of which the second compiler would take a third.
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(mainClass.getName());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("heapspan-test", ".out");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment()
                    .keySet()
                    .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"));
            Process process = builder.start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("no end after " + TIMEOUT_SECONDS + " s: " + command + "\n"
                        + Files.readString(output, StandardCharsets.UTF_8));
            }
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
