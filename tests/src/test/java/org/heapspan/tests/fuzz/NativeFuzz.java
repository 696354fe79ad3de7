package org.heapspan.tests.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The native carver under its coverage-guided fuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer: libFuzzer where
 * {@code ./dev soak} has found clang, else a driver of our own that understands the same options. {@code native/README.md} says what
 * is checked.
 */
public final class NativeFuzz {
    private static final String TARGET = "carving_fuzz";

    /** The carver with one of its checks taken out. */
    private static final String FAULTY = "carving_fuzz_without_size_check";

    private static final int CONTROL_RUNS = 1_000_000;

    private NativeFuzz() {}

    /**
     * Searches for a fault that is known to be there, then for others.
     *
     * @param seed the same inputs come of the same seed
     * @param seconds how long to search for others
     * @param report takes lines
     * @return whether the known one was found, and no other
     * @throws IOException when a program cannot be started
     * @throws InterruptedException when waiting is interrupted
     */
    public static boolean run(long seed, long seconds, Consumer<String> report)
            throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("heapspan.root", ".")).toAbsolutePath();
        Path withClang = root.resolve("native/build/libfuzzer");
        boolean libFuzzer = Files.isExecutable(withClang.resolve(TARGET));
        Path programs = libFuzzer ? withClang : root.resolve("native/build/sanitize");
        if (!Files.isExecutable(programs.resolve(TARGET)) || !Files.isExecutable(programs.resolve(FAULTY))) {
            report.accept("native: there are no " + TARGET + " and " + FAULTY + " in " + programs
                    + ", which ./dev soak builds");
            return false;
        }
        report.accept("native: " + (libFuzzer ? "libFuzzer" : "no libFuzzer (it needs clang), a driver of our own"));
        Path directory = Files.createDirectories(root.resolve("build/fuzz"));
        // libFuzzer takes 32 bits, and chooses by itself for 0.
        long shortSeed = Math.max(1, seed & Integer.MAX_VALUE);
        Path known = directory.resolve("known.finding");
        Files.deleteIfExists(known);
        List<String> control = command(programs.resolve(FAULTY), libFuzzer, shortSeed, known);
        control.add("-runs=" + CONTROL_RUNS);
        int exitCode = new ProcessBuilder(control)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("known.log").toFile())
                .start()
                .waitFor();
        if (exitCode == 0 || !Files.exists(known)) {
            report.accept("native: a fault that was built in was not found in " + CONTROL_RUNS + " inputs, exit code "
                    + exitCode + "; see known.log in " + directory);
            return false;
        }
        report.accept("native: a fault that was built in was found");
        Path finding = directory.resolve("carving-" + shortSeed + ".finding");
        List<String> search = command(programs.resolve(TARGET), libFuzzer, shortSeed, finding);
        search.add("-max_total_time=" + seconds);
        return new ProcessBuilder(search).inheritIO().start().waitFor() == 0;
    }

    private static List<String> command(Path program, boolean libFuzzer, long seed, Path finding) {
        List<String> command = new ArrayList<>(
                List.of(program.toString(), "-seed=" + seed, "-max_len=24576", "-exact_artifact_path=" + finding));
        if (libFuzzer) {
            // Inputs are requests: short ones are not simpler.
            command.addAll(List.of("-len_control=0", "-print_final_stats=1"));
        }
        return command;
    }
}
