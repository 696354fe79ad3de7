package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a spark-submit that only pretends to write an archive, and notes how often it did. */
@Tag("once")
final class SharedClassesTest {
    /** Stands in for the JVM: for Spark's launcher, which prints a command, and for what that command starts. */
    private static final String JAVA = """
            #!/bin/sh
            case "$*" in
            *launcher.Main*)
              shift 5
              printf '\\0\\n'
              printf '%s\\0' "$0" -cp theirs "$@"
              ;;
            *)
              echo "$@" >>"$(dirname "$0")/../../runs"
              for word; do case $word in -XX:ArchiveClassesAtExit=*) file=${word#*=}; echo data >"${file%% *}" ;; esac; done
              ;;
            esac
            """;

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
    private Path spark;
    private Path adapter;
    private Path runs;

    @BeforeEach
    void pretend() throws IOException {
        spark = folder.resolve("spark");
        runs = folder.resolve("runs");
        Files.createDirectories(spark.resolve("bin"));
        Files.createDirectories(spark.resolve("jars"));
        Files.createFile(spark.resolve("jars/spark-core_2.13-4.3.0.jar"));
        Files.createFile(spark.resolve("jars/a.jar"));
        Path java = folder.resolve("jdk");
        Files.createDirectories(java.resolve("lib/server"));
        Files.createFile(java.resolve("lib/server/libjvm.so"));
        Files.writeString(spark.resolve("bin/load-spark-env.sh"), "export JAVA_HOME=" + java + "\n");
        Files.createDirectories(java.resolve("bin"));
        javaRuns(JAVA);
        Path submit = Files.createFile(spark.resolve("bin/spark-submit"));
        assertThat(submit.toFile().setExecutable(true)).isTrue();
        adapter = Files.createFile(folder.resolve("heapspan-spark.jar"));
        environment.put("SPARK_HOME", spark.toString());
        environment.put("HOME", folder.toString());
    }

    private void javaRuns(String script) throws IOException {
        Path java = Files.writeString(folder.resolve("jdk/bin/java"), script);
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    private String line(String... words) throws Failure {
        notes.reset();
        Surroundings around =
                new Surroundings(environment, adapter, new PrintStream(notes, true, StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        String[] all = Stream.concat(Stream.of("spark-submit", "--share-classes"), Stream.of(words))
                .toArray(String[]::new);
        Command.named(all, around).run(new PrintWriter(out));
        return out.toString();
    }

    private String notes() {
        return notes.toString(StandardCharsets.UTF_8);
    }

    private List<Path> archives() throws IOException {
        Path classes = folder.resolve(".cache/heapspan/classes");
        if (!Files.exists(classes)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(classes)) {
            return folders.toList();
        }
    }

    @Test
    void theArchiveIsMadeOnceAndGivenToDriverAndExecutors() throws Exception {
        String first = line("--driver-java-options", "-Da=b", "a.py");
        assertThat(notes()).contains("creating an archive of class data").contains("made ");
        Path own = archives().get(0);
        String sharing = "-XX:SharedArchiveFile=" + own.resolve("classes.jsa") + " -Xshare:auto -Xlog:cds=off";
        assertThat(first)
                .contains("'spark.driver.extraJavaOptions=-Da=b " + sharing + "'")
                .contains("'spark.executor.extraJavaOptions=" + sharing + "'")
                .contains("'spark.driver.extraClassPath=" + adapter + ":" + own.resolve("spark.jar") + "'")
                .contains("'spark.executor.extraClassPath=" + adapter + ":" + own.resolve("spark.jar") + "'");
        assertThat(own.resolve("training")).doesNotExist();

        assertThat(line("--driver-java-options", "-Da=b", "a.py")).isEqualTo(first);
        assertThat(notes()).isEmpty();
        assertThat(Files.readAllLines(runs)).hasSize(1);
    }

    @Test
    void theJarOfSparkNamesItsJarsInOneOrderTheLargestFirst() throws Exception {
        Path largest = Files.writeString(spark.resolve("jars/z.jar"), "classes");
        line("a.py");
        Path jar = archives().get(0).resolve("spark.jar");
        try (JarFile file = new JarFile(jar.toFile())) {
            String[] names = file.getManifest()
                    .getMainAttributes()
                    .getValue(Attributes.Name.CLASS_PATH)
                    .split(" ", -1);
            assertThat(Stream.of(names).map(name -> jar.resolveSibling(name).normalize()))
                    .containsExactly(
                            largest, spark.resolve("jars/a.jar"), spark.resolve("jars/spark-core_2.13-4.3.0.jar"));
        }
    }

    @Test
    void whateverTheArchiveDependsOnMakesAnotherOne() throws Exception {
        line("a.py");
        Files.createFile(spark.resolve("jars/b.jar"));
        line("a.py");
        Files.writeString(adapter, "another");
        line("a.py");
        Files.writeString(folder.resolve("jdk/lib/server/libjvm.so"), "another");
        line("a.py");
        Path application = Files.createFile(folder.resolve("application.jar"));
        line(application.toString());
        line("--executor-memory", "40g", "--driver-memory", "33g", "a.py");
        line("--conf", "spark.driver.extraJavaOptions=-XX:+UseParallelGC", "a.py");
        assertThat(archives()).hasSize(7);
        List<String> commands = Files.readAllLines(runs);
        assertThat(commands).hasSize(7);
        assertThat(commands.get(0)).startsWith("-cp " + adapter + ":").doesNotContain("theirs");
        assertThat(commands.get(4)).endsWith(" " + application);
        assertThat(commands.get(6)).contains("-XX:+UseParallelGC");
        assertThat(archives())
                .allSatisfy(own -> assertThat(own.resolve("classes.jsa")).exists());
    }

    @Test
    void whereClassDataCannotBeSharedTheApplicationStartsWithoutAndSaysWhy() throws Exception {
        Path jar = Files.createFile(folder.resolve("own.jar"));
        String cluster = "--master=spark://host:7077";
        for (String[] unshared : new String[][] {
            {"deploy mode 'cluster'", "--deploy-mode", "cluster"},
            {"master 'yarn'", "--master", "yarn"},
            {"chooses an archive itself", "--conf", "spark.executor.extraJavaOptions=-XX:SharedArchiveFile=/mine"},
            {"differ: '" + jar + "' and ''", cluster, "--driver-class-path", jar.toString()},
            {"is not a jar", "--driver-class-path", folder.toString()},
            {"different heap layouts", cluster, "--executor-memory", "64g"},
        }) {
            String[] words = Stream.of(unshared).skip(1).toArray(String[]::new);
            assertThat(line(words)).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
            assertThat(notes()).contains("class data are not shared: ").contains(unshared[0]);
        }
        assertThat(runs).doesNotExist();
        // The class path of executors means nothing in local mode.
        assertThat(line("--driver-class-path", folder + "/*", "a.py"))
                .contains("extraClassPath=" + adapter + ":" + jar + ":"
                        + archives().get(0));
        // Spark says what is wrong with a size.
        assertThat(line("--driver-memory", "99999999999999999999g", "a.py")).contains(SparkCommand.PLUGIN);
    }

    /** On standard output, as a JVM prints its warnings. */
    @Test
    void whatTheJvmOfSparksLauncherPrintsIsNotPartOfTheCommand() throws Exception {
        javaRuns(JAVA.replace("printf '\\0\\n'", "echo warning: pages; printf '\\0\\n'")
                .replace("\"$0\" -cp theirs \"$@\"", "\"$0\" -cp theirs \"$@\"; echo heap"));
        assertThat(line("a.py")).contains("Xshare");
        assertThat(Files.readString(runs)).doesNotContain("heap\n");
    }

    @Test
    void aTrainingThatFailsLeavesTheApplicationAsItIs() throws Exception {
        javaRuns("#!/bin/sh\necho it is broken >&2\nexit 3\n");
        assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes()).contains("Spark's launcher ended with 3");
        javaRuns(JAVA.replace("echo data >", "echo "));
        assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes())
                .contains("the JVM wrote none, it ended with 0; see ")
                .contains("training.log");
        // Killed in between, for lack of memory or space.
        javaRuns(JAVA.replace("echo data >\"${file%% *}\"", "echo da >\"${file%% *}\"; exit 137"));
        assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes()).contains("it ended with 137; see ");
    }

    @Test
    void aFolderInWhichEverybodyReplacesFilesIsNotUsed() throws Exception {
        Path chosen = Files.createDirectories(folder.resolve("chosen"));
        Files.setAttribute(chosen, "unix:mode", 0777);
        Surroundings around =
                new Surroundings(environment, adapter, new PrintStream(notes, true, StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        String[] words = {"spark-submit", "--share-classes=" + chosen, "a.py"};
        Command.named(words, around).run(new PrintWriter(out));
        assertThat(out.toString()).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes()).contains("class data are not shared: ").contains("mode 777");
    }

    /** The folder of an archive that is there already, too. */
    @Test
    void anArchiveThatEverybodyReplacesIsNotUsed() throws Exception {
        assertThat(line("a.py")).contains("Xshare");
        Path made = archives().get(0);
        Files.setAttribute(made, "unix:mode", 0777);
        assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes()).contains("class data are not shared: ").contains(made + " has mode 777");
    }

    @Test
    void aFolderAboveTheArchivesOwnThatEverybodyChangesIsNotUsed() throws Exception {
        assertThat(line("a.py")).contains("Xshare");
        Path above = archives().get(0).getParent();
        Files.setAttribute(above, "unix:mode", 0777);
        assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
        assertThat(notes()).contains("class data are not shared: ").contains(above + " has mode 777");
    }

    /** Somebody may have made it in a folder of all users, such as {@code /tmp}, with an archive of other classes. */
    @Test
    void anArchiveOfAnotherUserIsNotUsed() throws Exception {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
                "does not apply: only root can give files to another user");
        assertThat(line("a.py")).contains("Xshare");
        Path made = archives().get(0);
        for (Path theirs : List.of(made, made.getParent())) {
            Files.setAttribute(theirs, "unix:uid", 4321);
            assertThat(line("a.py")).contains(SparkCommand.PLUGIN).doesNotContain("Xshare");
            assertThat(notes())
                    .contains("class data are not shared: ")
                    .contains(theirs + " belongs to the user 4321, and this process to 0");
            Files.setAttribute(theirs, "unix:uid", 0);
        }
        assertThat(line("a.py")).contains("Xshare");
    }

    @Test
    void anotherFolderCanBeChosen() throws Exception {
        Surroundings around =
                new Surroundings(environment, adapter, new PrintStream(notes, true, StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        String[] words = {"spark-submit", "--share-classes=" + folder.resolve("chosen"), "a.py"};
        Command.named(words, around).run(new PrintWriter(out));
        assertThat(out.toString()).contains("-XX:SharedArchiveFile=" + folder.resolve("chosen/classes"));
    }
}
