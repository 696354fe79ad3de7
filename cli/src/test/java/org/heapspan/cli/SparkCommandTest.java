package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With programs that stand in for Spark's and say what words they got. */
@Tag("once")
final class SparkCommandTest {
    private static final String PLUGIN = SparkCommand.PLUGIN;

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
    private Path spark;
    private Path adapter;

    @BeforeEach
    void pretend() throws IOException {
        spark = pretendedSpark("spark", "2.13-4.3.0");
        adapter = Files.createFile(folder.resolve("heapspan-spark.jar"));
        environment.put("PATH", System.getenv("PATH"));
        environment.put("SPARK_HOME", spark.toString());
    }

    private Path pretendedSpark(String name, String version) throws IOException {
        Path home = folder.resolve(name);
        Files.createDirectories(home.resolve("jars"));
        Files.createFile(home.resolve("jars/spark-core_" + version + ".jar"));
        Files.createDirectories(home.resolve("bin"));
        for (String program : SparkCommand.PROGRAMS) {
            Path file = home.resolve("bin").resolve(program);
            Files.writeString(file, "#!/bin/sh\necho \"$SPARK_HOME\"\nfor word; do echo \"$word\"; done\nexit 7\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        return home;
    }

    private String line(String... words) throws Failure {
        notes.reset();
        Surroundings around = new Surroundings(
                environment, folder.resolve("heapspan.jar"), new PrintStream(notes, true, StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        Command.named(words, around).run(new PrintWriter(out));
        return out.toString();
    }

    /** What the program gets, behind the home of Spark, when a shell runs the line. */
    private List<String> words(String... words) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "eval \"exec $1\"", "sh", line(words))
                .redirectErrorStream(true)
                .start();
        List<String> lines = new ArrayList<>(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList());
        assertThat(process.waitFor()).as("exit code, of %s", lines).isEqualTo(7);
        assertThat(lines.remove(0)).isEqualTo(spark.toString());
        return lines;
    }

    private List<String> added(String plugins, String driverPath, String executorPath) {
        return List.of(
                "--conf", "spark.plugins=" + plugins,
                "--conf", "spark.driver.extraClassPath=" + driverPath,
                "--conf", "spark.executor.extraClassPath=" + executorPath);
    }

    private static List<String> and(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void addsTheSettingsAndLeavesTheRestAsItIs() throws Exception {
        List<String> ours = added(PLUGIN, adapter.toString(), adapter.toString());
        assertThat(words(
                        "spark-submit",
                        "--class",
                        "A",
                        "--verbose",
                        "a.jar",
                        "--conf",
                        "spark.plugins=mine",
                        "it's \"b\" $x"))
                .isEqualTo(and(
                        ours, "--class", "A", "--verbose", "a.jar", "--conf", "spark.plugins=mine", "it's \"b\" $x"));
        assertThat(words("spark-submit")).isEqualTo(ours);
        assertThat(words("pyspark", "--name", "x")).isEqualTo(and(ours, "--name", "x"));
    }

    @Test
    void wordsOfAShellMayStandBetweenOptions() throws Exception {
        assertThat(words("spark-shell", "-i", "file", "--conf", "spark.plugins=Mine"))
                .isEqualTo(and(added("Mine," + PLUGIN, adapter.toString(), adapter.toString()), "-i", "file"));
    }

    @Test
    void settingsOfTheUserAreJoined() throws Exception {
        String paths = adapter + File.pathSeparator + "/own/a.jar" + File.pathSeparator + "/own/b.jar";
        List<String> joined = added("First,Second," + PLUGIN, paths, adapter + File.pathSeparator + "/e.jar");
        assertThat(words(
                        "spark-submit",
                        "--conf",
                        "spark.plugins=lost",
                        "--conf=spark.plugins=First, Second",
                        "-c",
                        "spark.executor.extraClassPath=/e.jar",
                        "--driver-class-path",
                        "/own/a.jar:/own/b.jar",
                        "a.py"))
                .isEqualTo(and(joined, "a.py"));
        // What is there already is not added again.
        List<String> words = new ArrayList<>(List.of("spark-submit"));
        words.addAll(joined);
        assertThat(words(words.toArray(String[]::new))).isEqualTo(joined);
    }

    @Test
    void settingsInFilesAreJoinedInSparksOrder() throws Exception {
        Path conf = Files.createDirectories(spark.resolve("conf"));
        Files.writeString(conf.resolve("spark-defaults.conf"), "spark.plugins  Defaults\n");
        Path named = Files.writeString(folder.resolve("named"), "spark.executor.extraClassPath=/named.jar\n");
        Path extra = Files.writeString(folder.resolve("extra"), "spark.executor.extraClassPath=/extra.jar\n");
        String own = adapter.toString();

        assertThat(line("spark-submit", "a.py")).contains("spark.plugins=Defaults," + PLUGIN);
        assertThat(line("spark-submit", "--properties-file", named.toString(), "a.py"))
                .contains("spark.plugins=" + PLUGIN)
                .contains("spark.executor.extraClassPath=" + own + ":/named.jar'")
                .contains("'--properties-file' '" + named + "'");
        assertThat(line(
                        "spark-submit",
                        "--load-spark-defaults",
                        "--extra-properties-file=" + extra,
                        "--properties-file=" + named,
                        "a.py"))
                .contains("spark.plugins=Defaults," + PLUGIN)
                .contains("spark.executor.extraClassPath=" + own + ":/extra.jar'");
        assertThat(line("spark-submit", "--conf", "spark.plugins=", "a.py")).contains("spark.plugins=" + PLUGIN);

        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("spark-defaults.conf"), "spark.plugins=Elsewhere\n");
        environment.put("SPARK_CONF_DIR", elsewhere.toString());
        assertThat(line("spark-submit", "a.py")).contains("spark.plugins=Elsewhere," + PLUGIN);
    }

    @Test
    void aServerOfSparkConnectIsToldNothing() throws Exception {
        assertThat(words("pyspark", "--remote", "sc://host")).containsExactly("--remote", "sc://host");
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("sc://host is a server of Spark Connect");
    }

    @Test
    void sparkIsFoundByOptionByEnvironmentAndOnThePath() throws Exception {
        Path other = pretendedSpark("other", "2.13-4.3.1");
        assertThat(line("spark-submit", "--spark-home", other.toString(), "a.py"))
                .startsWith("'env' 'SPARK_HOME=" + other);
        assertThat(line("spark-submit", "--spark-home=" + other, "a.py")).contains("'" + other + "/bin/spark-submit'");
        assertThat(line("spark-submit", "a.py")).contains("'" + spark + "/bin/spark-submit'");
        environment.remove("SPARK_HOME");
        environment.put("PATH", "/nowhere:" + other + "/bin:" + spark + "/bin");
        assertThat(line("spark-submit", "a.py")).contains("'" + other + "/bin/spark-submit'");
        assertThat(line("spark-submit", "a.py", "--spark-home", "of the application"))
                .contains("'" + other + "/bin");
    }

    @Test
    void sparkOfPythonIsFoundBesideItsScript() throws Exception {
        environment.remove("SPARK_HOME");
        Path bin = Files.createDirectories(folder.resolve("venv/bin"));
        for (String script : List.of("spark-submit", "python3")) {
            Files.writeString(bin.resolve(script), "#!/bin/sh\necho " + spark + "\n");
            assertThat(bin.resolve(script).toFile().setExecutable(true)).isTrue();
        }
        environment.put("PATH", bin.toString());
        assertThat(line("spark-submit", "a.py")).contains("'" + spark + "/bin/spark-submit'");
    }

    @Test
    void failuresSayWhatToDo() throws Exception {
        Path old = pretendedSpark("old", "2.12-3.5.1");
        assertThatThrownBy(() -> line("spark-submit", "--spark-home", old.toString()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is 3.5.1 for Scala 2.12; this Heapspan is for Spark 4.3.x for Scala 2.13");
        environment.put("SPARK_HOME", folder.toString());
        assertThatThrownBy(() -> line("spark-submit"))
                .hasMessageContaining("which SPARK_HOME names, is not an Apache Spark");
        environment.remove("SPARK_HOME");
        environment.put("PATH", "/nowhere");
        assertThatThrownBy(() -> line("spark-submit")).hasMessageContaining("no Apache Spark found");
        assertThatThrownBy(() -> line("spark-submit", "--spark-home")).hasMessageContaining("needs a value");
        environment.put("SPARK_HOME", spark.toString());
        assertThatThrownBy(() -> line("spark-submit", "--properties-file", "/nowhere/x"))
                .hasMessageContaining("cannot read the settings in /nowhere/x");
        Files.delete(adapter);
        assertThatThrownBy(() -> line("spark-submit"))
                .hasMessageContaining("heapspan-spark.jar, the adapter for Spark");
    }
}
