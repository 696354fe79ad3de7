package org.heapspan.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code heapspan bench --peer-path}, from the one jar, with the libraries that a user brings. */
final class BenchPeersIT {
    private static final int HANG_MINUTES = 5;

    @TempDir
    Path folder;

    private static String jarsOf(Class<?>... types) {
        return Arrays.stream(types).map(BenchPeersIT::jarOf).collect(Collectors.joining(File.pathSeparator));
    }

    private static String jarOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private String bench(String samples, String peerPath) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("heapspan.jar"),
                        "bench",
                        "--rounds=1",
                        "--seconds=0",
                        "--samples=" + samples,
                        "--svg=" + folder.resolve("plot.svg"),
                        "--peer-path=" + peerPath))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // The figures are not looked at.
        builder.environment().put("HEAPSPAN_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        Process process = builder.start();
        if (!process.waitFor(HANG_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as("exit code; %s", text).isZero();
        return text;
    }

    @Test
    void comparesWithThePeersThatAreBrought() throws Exception {
        String output = bench(
                "media,readings,list",
                jarsOf(
                        com.esotericsoftware.kryo.Kryo.class,
                        com.esotericsoftware.reflectasm.FieldAccess.class,
                        com.esotericsoftware.minlog.Log.class,
                        org.objenesis.Objenesis.class,
                        org.apache.fory.Fory.class));

        assertThat(output).contains("against Java, Kryo, Fory").doesNotContain("not compared", "failed");
        for (String library : List.of("Heapspan", "Java", "Kryo", "Fory")) {
            assertThat(output.lines().filter(line -> line.startsWith("  " + library + " ")))
                    .as("samples measured with %s; %s", library, output)
                    .hasSize(3);
        }
    }

    @Test
    void saysWhyAPeerIsNotCompared() throws Exception {
        String output = bench("list", jarOf(com.esotericsoftware.kryo.Kryo.class));

        assertThat(output)
                .contains("against Java\n")
                .contains("Kryo is not compared: ", "Fory is not compared: there is no class org.apache.fory.Fory");
    }
}
