package org.heapspan.tests.direct;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.tests.conformance.JvmSide;

/**
 * A program of this package in a JVM with some options, and what must come of it.
 *
 * @param jvm which Java, with which options
 * @param main the program
 * @param arguments its arguments, without seconds and seed
 * @param expected what must come of it
 * @param foreign whether images come from another JVM too, whose class words are others
 */
record DirectEngineRun(JvmSide jvm, Class<?> main, List<String> arguments, Expected expected, boolean foreign) {
    /** Takes a JVM for hung that is not done by then; on a busy machine one that is not may need minutes for a second's work. */
    private static final long HANG_SECONDS_MORE = 900;

    /** What must come of a run. */
    enum Expected {
        /** All is right, and the direct engine has made objects. */
        CARVES,
        /** All is right, and the JVM has no direct engine. */
        DECLINES,
        /** The JVM ends with an error, because its heap is broken. */
        CRASHES
    }

    static DirectEngineRun stress(JvmSide jvm, String... arguments) {
        return new DirectEngineRun(jvm, DirectEngineStress.class, List.of(arguments), Expected.CARVES, false);
    }

    DirectEngineRun expecting(Expected other) {
        return new DirectEngineRun(jvm, main, arguments, other, foreign);
    }

    DirectEngineRun withForeignImages() {
        return new DirectEngineRun(jvm, main, arguments, expected, true);
    }

    /** Why it cannot be run here, or nothing. */
    String reasonToSkip() {
        return jvm.launcher() == null ? "no Java " + jvm.javaFeature() : "";
    }

    @Override
    public String toString() {
        return main.getSimpleName() + " " + jvm + " " + String.join(" ", arguments);
    }

    /** What a run printed and what was wrong with it, if anything. */
    record Outcome(String output, String fault) {
        /** The values of some keys, as far as they were printed. */
        String summary() {
            StringBuilder text = new StringBuilder();
            for (String key : List.of(
                    "graphs",
                    "carved",
                    "collections",
                    "unloaded",
                    "reusedWords",
                    "dumps",
                    "oldObjects",
                    "oldObjectsWithPath",
                    "recordedWindows",
                    "deduplicated",
                    "declines",
                    "longestMicros",
                    "overMillisecond")) {
                String value = value(key);
                if (!value.isEmpty()) {
                    text.append(' ').append(key).append(' ').append(value);
                }
            }
            return text.toString();
        }

        String value(String key) {
            return output.lines()
                    .filter(line -> line.startsWith(key + "="))
                    .map(line -> line.substring(key.length() + 1))
                    .findFirst()
                    .orElse("");
        }

        long number(String key) {
            String value = value(key);
            return value.isEmpty() ? 0 : Long.parseLong(value);
        }
    }

    /** Runs it. */
    Outcome run(long seed, long seconds) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("heapspan-direct");
        try {
            List<String> all = new ArrayList<>(arguments);
            all.add("seed=" + seed);
            all.add("seconds=" + seconds);
            if (foreign) {
                Result written = start(
                        jvm.with("", "-Xshare:off", "-Xmx128m"),
                        directory,
                        List.of("seed=" + seed, "write=" + directory),
                        0);
                if (written.exitCode != 0) {
                    return new Outcome(written.output, "the writer of images ended with " + written.exitCode);
                }
                all.add("read=" + directory);
            }
            Result result = start(jvm, directory, all, seconds);
            String output = result.output + Traces.of(directory);
            Outcome outcome = new Outcome(output, "");
            String fault = fault(result, outcome);
            return fault.isEmpty() ? outcome : new Outcome(output, fault);
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    private String fault(Result result, Outcome outcome) {
        if (result.hung) {
            return "not done after many minutes: taken for hung, see the stacks of its threads";
        }
        if (expected == Expected.CRASHES) {
            boolean survived =
                    result.exitCode == 0 || !outcome.value("survived").isEmpty();
            return survived ? "the JVM survived what must crash it" : "";
        }
        if (result.exitCode != 0) {
            return "exit code " + result.exitCode;
        }
        String ok = outcome.value("ok");
        if (!ok.equals("true")) {
            return "ok=" + ok;
        }
        boolean carves = expected == Expected.CARVES;
        if (!outcome.value("carver").equals(Boolean.toString(carves))) {
            return "carver=" + outcome.value("carver") + ", expected " + carves + ": " + outcome.value("engine");
        }
        if (carves && outcome.number("carved") == 0) {
            return "nothing was carved";
        }
        // The JVM's own checks of JNI, and of what it is told on the command line.
        String warning = result.output
                .lines()
                .filter(line -> line.startsWith("WARNING in native method") || line.startsWith("FATAL ERROR in native"))
                .findFirst()
                .orElse("");
        return warning;
    }

    private record Result(int exitCode, boolean hung, String output) {}

    private Result start(JvmSide side, Path directory, List<String> all, long seconds)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(side.launcher().toString());
        command.add("-XX:-CreateCoredumpOnCrash");
        // What a crash has to say goes to the standard output, where it is part of what is reported.
        command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+ErrorFileToStdout"));
        if (side.javaFeature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        for (String each : side.options()) {
            command.add(each.replace("{directory}", directory.toString()));
        }
        command.addAll(List.of("-cp", JavaProcess.testClassPath(), main.getName()));
        command.addAll(all);
        Path output = Files.createTempFile("heapspan-direct", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean hung = !process.waitFor(seconds + HANG_SECONDS_MORE, TimeUnit.SECONDS);
            if (hung) {
                // HotSpot answers with the stacks of its threads, which end up in the output.
                new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                        .start()
                        .waitFor();
                process.waitFor(5, TimeUnit.SECONDS);
                process.destroyForcibly().waitFor();
            }
            return new Result(process.exitValue(), hung, Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }
}
