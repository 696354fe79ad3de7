package org.heapspan.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mutated inputs against the decoders, in processes with small heaps: a fixed number, however long it takes. */
@Tag("once")
final class MutationFuzzTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_102L);

    /**
     * What decoders written in Java refuse does not depend on the JVM, so that an older one has the run of the direct engine only, which is made for each
     * JVM.
     */
    private static final boolean ALL_RUNS = Runtime.version().feature() >= 25;

    /** For all runs together; {@code ./dev soak fuzz} goes on for as long as wanted. */
    private static final int INPUTS = Integer.getInteger("heapspan.tests.fuzzInputs", ALL_RUNS ? 18_000 : 2_000);

    /** Takes a process for hung that is not done by then. */
    private static final int HANG_MINUTES = 15;

    static List<MutationRun> runs() {
        return MutationRun.all().stream()
                .filter(run -> ALL_RUNS || run.direct())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void mutatedInputsAreRefusedByCategoryOnly(MutationRun run) throws Exception {
        int inputs = INPUTS / runs().size();
        String output = output(run, inputs);
        assertThat(number(output, "inputs")).as("inputs decoded; %s", output).isGreaterThanOrEqualTo(inputs);
        if (run.direct()) {
            assertThat(number(output, "chunksCarved"))
                    .as("chunks carved; %s", output)
                    .isPositive();
        }
    }

    private static long number(String output, String key) {
        return output.lines()
                .filter(line -> line.startsWith(key + "="))
                .mapToLong(line -> Long.parseLong(line.substring(key.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line begins with " + key + "= in " + output));
    }

    private static String output(MutationRun run, int inputs) throws IOException, InterruptedException {
        Path output = Files.createTempFile("mutation-fuzz", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                JavaProcess.testClassPath()));
        // With C2 a run this short takes twice the processor time; the soak run has it.
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(run.options());
        command.add(MutationFuzz.class.getName());
        command.addAll(run.arguments(SEED, inputs));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(HANG_MINUTES, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(output);
        Files.delete(output);
        System.out.println(text.length() > 20_000 ? text.substring(0, 20_000) : text);
        assertThat(ended).as("the process ended in time; output: %s", text).isTrue();
        assertThat(process.exitValue()).as("exit code; output: %s", text).isZero();
        return text;
    }
}
