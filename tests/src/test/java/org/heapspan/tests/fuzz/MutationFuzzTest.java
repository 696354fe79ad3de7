package org.heapspan.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.tests.conformance.Samples;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Mutated inputs against the decoder, in a process with a small heap and stack. */
final class MutationFuzzTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_102L);
    private static final int INPUTS = Integer.getInteger("heapspan.tests.fuzzInputs", 300_000);
    private static final int MAX_SECONDS = 150;

    @Test
    void mutatedInputsAreRefusedByCategoryOnly() throws Exception {
        List<String> routes = new ArrayList<>();
        for (String each : List.of(
                "heapspan:unchecked",
                "heapspan:bytes",
                "heapspan:objects",
                "heapspan:group",
                "heapspan:raw-unchecked",
                "heapspan:raw-group")) {
            if (Samples.isPresent(each)) {
                routes.add(each);
            }
        }
        Assumptions.assumeFalse(routes.isEmpty(), "no route of Heapspan is on the class path");
        String output = run(routes);
        assertThat(output).contains(" inputs decoded");
    }

    private static String run(List<String> routes) throws IOException, InterruptedException {
        Path output = Files.createTempFile("mutation-fuzz", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                MutationFuzz.class.getName(),
                Long.toString(SEED),
                Integer.toString(INPUTS),
                Integer.toString(MAX_SECONDS)));
        command.addAll(routes);
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
