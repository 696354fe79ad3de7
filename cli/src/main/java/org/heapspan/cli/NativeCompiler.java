package org.heapspan.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The C++ compiler for native programs: g++ 12 or newer. clang++ 14 does not compile the headers, and newer ones were not tried.
 *
 * @param path the program
 * @param version the first line that it prints for {@code --version}
 */
record NativeCompiler(Path path, String version) {
    /** Programs must not need a libstdc++ that the executors may lack. The build id tells programs from each other. */
    static final List<String> LINKER_OPTIONS = List.of(
            "-static-libstdc++",
            "-Wl,--build-id=sha1",
            "-Wl,--gc-sections",
            "-Wl,-z,defs",
            "-Wl,-z,now",
            "-Wl,-z,relro");

    /** {@code -O2} without passes that take the compiler a sixth of its time, and without which the examples are as fast. */
    private static final List<String> OPTIMIZATION = List.of(
            "-O2",
            "-fno-code-hoisting",
            "-fno-gcse",
            "-fno-ipa-bit-cp",
            "-fno-ipa-cp",
            "-fno-ipa-icf",
            "-fno-ipa-modref",
            "-fno-ipa-reference",
            "-fno-ipa-sra",
            "-fno-ipa-vrp",
            "-fno-thread-jumps",
            "-fno-tree-pre",
            "-fno-tree-tail-merge",
            "-fno-tree-vrp");

    private static final int OLDEST_GCC = 12;
    private static final int VERSION_SECONDS = 30;

    /** The first line that all compilers of GCC print, whatever their name: {@code NAME (PACKAGE) VERSION}. Others put their version elsewhere. */
    private static final Pattern GCC = Pattern.compile("\\S+ \\(.*\\) (\\d+)\\..*");

    /** The compiler that {@code CXX} names, or the first g++ on the path. */
    static NativeCompiler find(Surroundings around) throws Failure {
        String named = around.variable("CXX");
        String program = named.isEmpty() ? "g++" : named;
        Path path = program.contains("/") ? Path.of(program) : onPath(program, around);
        String version = path == null ? null : versionOf(path);
        if (path == null || version == null) {
            throw Failure.of("there is no C++ compiler '" + program + "'"
                    + (named.isEmpty() ? " on the PATH" : ", which CXX names")
                    + "; native programs need g++ " + OLDEST_GCC
                    + " or newer (Debian and Ubuntu: apt-get install g++). Only `native build` needs it, no executor");
        }
        Matcher gcc = GCC.matcher(version);
        if (!gcc.matches()) {
            throw Failure.of(path + " says that it is '" + version + "', which is not g++; native programs need g++ "
                    + OLDEST_GCC + " or newer, and clang++ cannot compile them; name a g++ in the variable CXX");
        }
        if (Integer.parseInt(gcc.group(1)) < OLDEST_GCC) {
            throw Failure.of(path + " is " + version + "; native programs need g++ " + OLDEST_GCC
                    + " or newer; name another one in the variable CXX");
        }
        return new NativeCompiler(path, version);
    }

    /**
     * Options that decide about the code. {@code -fno-gnu-unique}: otherwise the inline variables of two programs would be one.
     * {@code x86-64-v3} is what executors are asked for.
     *
     * @param further those of the user; one that begins with {@code -O} replaces our optimization
     */
    static List<String> options(Path headers, boolean debug, List<String> further) {
        List<String> options = new ArrayList<>(List.of(
                "-std=c++20",
                "-shared",
                "-fPIC",
                "-march=x86-64-v3",
                "-fvisibility=hidden",
                "-fno-gnu-unique",
                "-Wall",
                "-Wextra",
                "-fmax-errors=3",
                "-isystem",
                headers.toString()));
        if (debug) {
            options.addAll(List.of("-O0", "-g"));
        } else if (further.stream().noneMatch(word -> word.startsWith("-O"))) {
            options.addAll(OPTIMIZATION);
        }
        options.addAll(further);
        return options;
    }

    /** Runs the compiler; its messages go where ours go. */
    int run(List<String> words, Surroundings around) throws Failure {
        List<String> command = new ArrayList<>();
        command.add(path.toString());
        command.addAll(words);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            process.getInputStream().transferTo(around.notes());
            return process.waitFor();
        } catch (IOException e) {
            throw Failure.of("cannot run " + path + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted while the compiler ran");
        }
    }

    private static @Nullable Path onPath(String program, Surroundings around) {
        return SparkHome.onPath(program, around);
    }

    private static @Nullable String versionOf(Path compiler) {
        try {
            Process process = new ProcessBuilder(compiler.toString(), "--version")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0
                    ? text.lines().findFirst().orElse("")
                    : null;
        } catch (IOException e) {
            return null; // no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
