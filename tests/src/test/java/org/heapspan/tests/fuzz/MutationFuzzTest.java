package org.heapspan.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mutated inputs against the decoders, in processes with small heaps. */
final class MutationFuzzTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_102L);
    private static final int INPUTS = Integer.getInteger("heapspan.tests.fuzzInputs", 300_000);
    private static final int MAX_SECONDS = 150;

    static List<MutationRun> runs() {
        return MutationRun.all();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void mutatedInputsAreRefusedByCategoryOnly(MutationRun run) throws Exception {
        Assumptions.assumeFalse(run.routes().isEmpty(), "no route of Heapspan is on the class path");
        String output = run(run);
        assertThat(output).contains(" inputs decoded");
    }

    private static String run(MutationRun run) throws IOException, InterruptedException {
        Path output = Files.createTempFile("mutation-fuzz", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(run.options());
        command.add(MutationFuzz.class.getName());
        command.addAll(run.arguments(SEED, INPUTS / MutationRun.all().size(), MAX_SECONDS));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(MAX_SECONDS + 60L, TimeUnit.SECONDS);
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
