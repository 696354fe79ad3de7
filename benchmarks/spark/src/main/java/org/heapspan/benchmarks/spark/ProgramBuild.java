package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Commands that compile the C++ programs of jobs. */
final class ProgramBuild {
    /** As much as native programs are compiled for, and with more optimization. */
    private static final List<String> PLAIN_OPTIONS =
            List.of("-std=c++20", "-O3", "-march=x86-64-v3", "-Wall", "-Wextra");

    private ProgramBuild() {}

    /**
     * Compiles a native program as a user does it.
     *
     * @param program one of {@code examples/native}, without {@code .cpp}
     * @param folder where its {@code .so} goes
     * @param options further ones
     */
    static ProcessBuilder ofNative(Path root, String program, Path folder, String... options) {
        List<String> command = new ArrayList<>(List.of(
                root.resolve("dist/bin/heapspan").toString(),
                "native",
                "build",
                root.resolve("examples/native/" + program + ".cpp").toString(),
                "-o",
                folder.resolve(program + ".so").toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command);
    }

    /**
     * Compiles a program that needs no framework.
     *
     * @param program one of {@code build-support/plain}, without {@code .cpp}
     * @param folder where it goes
     */
    static ProcessBuilder ofPlain(Path root, String program, Path folder) {
        List<String> command = new ArrayList<>(List.of(compiler()));
        command.addAll(PLAIN_OPTIONS);
        command.add(root.resolve("build-support/plain/" + program + ".cpp").toString());
        command.addAll(List.of("-o", folder.resolve(program).toString()));
        return new ProcessBuilder(command);
    }

    /** The first line of what the compiler says of itself. */
    static String compilerVersion() throws IOException, InterruptedException {
        return run(new ProcessBuilder(compiler(), "--version"))
                .lines()
                .findFirst()
                .orElse("unknown");
    }

    private static String compiler() {
        return System.getenv().getOrDefault("CXX", "g++");
    }

    /**
     * Runs a command to its end.
     *
     * @return what it has printed
     * @throws IOException if it cannot be started, or fails
     */
    static String run(ProcessBuilder command) throws IOException, InterruptedException {
        Process process = command.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command.command()) + " failed: " + output);
        }
        return output;
    }
}
