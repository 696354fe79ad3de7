package org.heapspan.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code dist/bin/heapspan}, with a program that stands in for Java. */
@Tag("once")
final class CommandScriptTest {
    private static final Path SCRIPT = Path.of(
                    System.getProperty("heapspan.root", ".."), "build-support/assembly/src/main/bin/heapspan")
            .toAbsolutePath()
            .normalize();

    @TempDir
    Path folder;

    private String run(String java, int exitCode, String... words) throws IOException, InterruptedException {
        Path program = Files.createDirectories(folder.resolve("jdk/bin")).resolve("java");
        Files.writeString(program, "#!/bin/sh\n" + java);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("sh", SCRIPT.toString());
        builder.command().addAll(List.of(words));
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().keySet().removeAll(List.of("HEAPSPAN_JAVA_OPTS", "LC_ALL", "LC_CTYPE", "LANG"));
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isEqualTo(exitCode);
        return output;
    }

    /** The standard output of a JVM has its warnings, and the line of a debugger. */
    @Test
    void whatTheJvmPrintsIsNotPartOfTheCommandOfSpark() throws Exception {
        String java = """
                echo "OpenJDK 64-Bit Server VM warning: it's \\"large\\" \\$(pages)"
                echo "'env' 'A=b c' 'sh' '-c' 'echo \\"\\$A, \\$1\\"; exit 7' 'sh' 'two
                'env' lines'"
                echo "Heap (at the end)"
                """;
        assertThat(run(java, 7, "spark-submit", "a.jar")).isEqualTo("b c, two\nenv lines\n");
    }

    @Test
    void aFailureIsThatOfTheCommandLine() throws Exception {
        assertThat(run("echo heapspan: no >&2; exit 2", 2, "spark-submit")).isEqualTo("heapspan: no\n");
        assertThat(run("echo \"$2 $3\"", 0, "doctor", "--json")).endsWith("heapspan.jar doctor\n");
    }

    /** In the locale C, a JVM finds no file whose name has other characters. The locale of Spark is that of the user. */
    @Test
    void theLocaleHasAllCharacters() throws Exception {
        assertThat(run("echo \"${LC_ALL:-none}\"", 0, "inspect", "file")).isEqualTo("C.UTF-8\n");
        assertThat(run("echo \"'env' 'sh' '-c' 'echo \\${LC_ALL:-none}'\"", 0, "spark-submit"))
                .isEqualTo("none\n");
    }
}
