package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JDK to measure on.
 *
 * @param name its feature version, {@code 25}
 */
public record Jdk(String name, Path home) {
    /** It warns of native code and of Unsafe unless it is told not to. */
    private static final int FIRST_TO_WARN = 24;

    /** The one that runs this program. */
    public static Jdk current() {
        return new Jdk(Integer.toString(Runtime.version().feature()), Path.of(System.getProperty("java.home")));
    }

    /**
     * The JDK whose home is in the system property {@code heapspan.jdk<name>.home}, which {@code ./dev} sets, or in the
     * environment variable {@code JAVA<name>_HOME}, or the one that runs this program.
     *
     * @throws IllegalArgumentException if there is none of them
     */
    public static Jdk named(String name) {
        String home = System.getProperty("heapspan.jdk" + name + ".home", System.getenv("JAVA" + name + "_HOME"));
        if (home == null && current().name().equals(name)) {
            return current();
        }
        if (home == null) {
            throw new IllegalArgumentException("no JDK " + name + ": set JAVA" + name + "_HOME to its home");
        }
        return new Jdk(name, Path.of(home));
    }

    /**
     * What runs a program of this class path in a JVM of this JDK.
     *
     * @param options of the JVM
     * @param main the class of the program
     * @param arguments of the program
     */
    public List<String> command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve("java").toString());
        if (Integer.parseInt(name) >= FIRST_TO_WARN) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        String data = System.getProperty("heapspan.data");
        if (data != null) {
            command.add("-Dheapspan.data=" + data);
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs a program of this class path in a JVM of this JDK, to its end. What it writes to its standard error appears on that of this program.
     *
     * @param options of the JVM
     * @param main the class of the program
     * @param arguments of the program
     * @return what it has printed
     * @throws IOException if it cannot be started, or does not end with 0
     */
    public String run(List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(options, main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new IOException(main.getSimpleName() + " " + String.join(" ", arguments) + " failed, exit code "
                    + exitCode + "; what it said is above. " + output);
        }
        return output;
    }
}
