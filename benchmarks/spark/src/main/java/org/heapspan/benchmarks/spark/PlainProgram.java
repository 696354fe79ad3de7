package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A job as a C++ program of {@code build-support/plain}, which needs no framework. */
final class PlainProgram {
    /** As much as native programs are compiled for, and with more optimization. */
    private static final List<String> OPTIONS = List.of("-std=c++20", "-O3", "-march=x86-64-v3", "-Wall", "-Wextra");

    private PlainProgram() {}

    /**
     * Compiles it.
     *
     * @param program its name without {@code .cpp}
     * @param folder where it goes
     * @throws IOException if the compiler reports an error, or there is none
     */
    static void build(Path root, String program, Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        List<String> command = new ArrayList<>();
        command.add(System.getenv().getOrDefault("CXX", "g++"));
        command.addAll(OPTIONS);
        command.add(root.resolve("build-support/plain/" + program + ".cpp").toString());
        command.addAll(List.of("-o", folder.resolve(program).toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        System.out.print(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed");
        }
    }
}
