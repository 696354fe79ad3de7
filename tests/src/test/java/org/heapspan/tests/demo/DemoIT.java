package org.heapspan.tests.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.examples.Demo;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo between two JVMs, cut short. */
final class DemoIT {
    private static final int HANG_MINUTES = 5;

    @TempDir
    Path folder;

    private record Result(int exitCode, String output, String errors) {}

    private Result run(Path data, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The figures are not looked at.
                "-XX:TieredStopAtLevel=1",
                "-Dheapspan.data=" + data,
                "-Dheapspan.root=" + folder,
                "-cp",
                JavaProcess.testClassPath()));
        if (Runtime.version().feature() >= 23) {
            // What the JVM warns of is not ours to act on.
            command.addAll(1, List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.add(Demo.class.getName());
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        if (!process.waitFor(HANG_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new Result(
                process.exitValue(),
                Files.readString(output, StandardCharsets.UTF_8),
                Files.readString(errors, StandardCharsets.UTF_8));
    }

    @Test
    void withoutFilesMadeUpDataArrivesByEachLibrary() throws Exception {
        Result result = run(folder.resolve("nothing here"), "rounds=3", "warmUpMillis=10");

        assertThat(result.exitCode()).as("%s", result).isZero();
        assertThat(result.output()).contains("data: made-up events and tweets, because there is no ");
        for (String library : List.of("Heapspan", "Java serialization", "Kryo", "Fory")) {
            assertThat(result.output().lines())
                    .anyMatch(line -> line.strip().startsWith(library) && line.endsWith("warm, equal, sharing kept"));
        }
        assertThat(result.output()).contains("Medians of 3 transfers");
        assertThat(folder.resolve("build/demo/demo.svg"))
                .content()
                .startsWith("<svg")
                .endsWith("</svg>\n");
    }

    @Test
    void aDamagedArchiveIsAMessage() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.writeString(data.resolve("json.tar.xz"), "not an archive");

        Result result = run(data);

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors())
                .startsWith("demo: reading ")
                .contains("json.tar.xz")
                .hasLineCount(1);
    }

    @Test
    void anUnknownArgumentIsAMessage() throws Exception {
        Result result = run(folder, "faster");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors())
                .startsWith("demo: 'faster' is not understood")
                .hasLineCount(1);
    }
}
