package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Commands that tests run, with the JDK that runs the tests. */
final class Command {
    /** Jobs of seconds, which only lose by compiling for long runs, and by collecting beside them. */
    private static final String SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private Command() {}

    /** Java, with packages that are open to all. */
    static List<String> java(List<String> openPackages, String classPath, String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        openPackages.forEach(each -> command.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A process in a folder, whose output and errors go to files. */
    static ProcessBuilder of(Path folder, List<String> command, Path output, Path errors) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JDK_JAVA_OPTIONS", SHORT_RUN);
        return builder;
    }

    /** What a command prints to its output. It must succeed. */
    static String output(Path folder, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        ProcessBuilder builder = of(folder, command, output, errors);
        builder.environment().putAll(environment);
        Process process = builder.start();
        awaitEnd(process, command);
        assertThat(process.exitValue())
                .as("%s: %s%s", command, Files.readString(output), Files.readString(errors))
                .isZero();
        return Files.readString(output);
    }

    /** Waits until a process has ended. Ends it, and what it has started, if that takes too long. */
    static void awaitEnd(Process process, List<String> command) throws InterruptedException {
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES))
                    .as("%s ends within ten minutes", command)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
