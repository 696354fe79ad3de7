package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The projects {@code examples/maven}, {@code examples/maven-flink} and {@code examples/gradle}, built and run as they are against the repository
 * that {@code ./dev install} has made. The local repositories of the user take no part: an artifact that is missing is not found elsewhere. Only
 * Flink comes from there. Two builds run at a time.
 */
@Execution(ExecutionMode.CONCURRENT)
final class ConsumerIT {
    private static final Path EXAMPLES = Path.of(System.getProperty("heapspan.root"), "examples");

    /** Builds and programs of seconds, which only lose by compiling for long runs, and by collecting beside them. */
    private static final String SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private static final Pattern DAEMON_LOG = Pattern.compile("daemon-(\\d+)[.]out[.]log$");

    private static final String[] RESULT = {"orders: 1 and 2 of Ada", "still one customer: true"};

    @TempDir
    Path folder;

    /** What a command came to. */
    private record Outcome(int exitCode, String output) {}

    @Test
    void aProjectOfMavenRuns() throws IOException, InterruptedException {
        Outcome outcome = maven("maven", "exec:java", PublishedArtifact.REPOSITORY);
        assertThat(outcome.output).contains(RESULT);
        assertThat(outcome.exitCode).isZero();
    }

    @Test
    void aJobForFlinkRuns() throws IOException, InterruptedException {
        assumeTrue(PublishedArtifact.all().contains(PublishedArtifact.FLINK), "does not apply: Flink was left out");
        Outcome outcome = maven("maven-flink", "exec:exec", PublishedArtifact.REPOSITORY);
        assertThat(outcome.output)
                .contains(
                        "HeapspanTypeInformation<com.example.OrdersOnFlink$Orders>", "orders of Ada: [1, 2, 3, 4, 5]");
        assertThat(outcome.exitCode).isZero();
    }

    @Test
    void itFindsHeapspanInThatRepositoryOnly() throws IOException, InterruptedException {
        Outcome outcome = maven("maven", "exec:java", Files.createDirectory(folder.resolve("empty")));
        assertThat(outcome.output).contains("org.heapspan:heapspan:jar:" + PublishedArtifact.VERSION);
        assertThat(outcome.exitCode).isNotZero();
    }

    /** One after the other in the same folder, because Gradle works for some seconds in a new one. */
    @Test
    void aProjectOfGradleRunsAndFindsHeapspanInThatRepositoryOnly() throws IOException, InterruptedException {
        Outcome without = gradle(Files.createDirectory(folder.resolve("empty")));
        assertThat(without.output).contains("org.heapspan:heapspan:" + PublishedArtifact.VERSION);
        assertThat(without.exitCode).isNotZero();

        Outcome outcome = gradle(PublishedArtifact.REPOSITORY);
        assertThat(outcome.output).contains(RESULT);
        assertThat(outcome.exitCode).isZero();
    }

    /** Plugins and releases come from the user's local repository, as far as they are there. */
    private Outcome maven(String example, String goal, Path repository) throws IOException, InterruptedException {
        URI known = Path.of(System.getProperty("heapspan.maven.repository")).toUri();
        Path settings = Files.writeString(folder.resolve("settings.xml"), """
                <settings>
                  <localRepository>%s</localRepository>
                  <profiles>
                    <profile>
                      <id>repositories</id>
                      <repositories>
                        <repository><id>heapspan</id><url>%s</url></repository>
                        <repository><id>releases</id><url>%s</url><snapshots><enabled>false</enabled></snapshots></repository>
                      </repositories>
                      <pluginRepositories>
                        <pluginRepository><id>seed</id><url>%s</url></pluginRepository>
                      </pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles><activeProfile>repositories</activeProfile></activeProfiles>
                </settings>
                """.formatted(
                        folder.resolve("local"), repository.toUri(), known, known));
        return run(
                copyOf(example),
                // Of the JVM that runs a job, too.
                "JDK_JAVA_OPTIONS",
                List.of(
                        Path.of(System.getProperty("heapspan.maven.home"), "bin/mvn")
                                .toString(),
                        "--batch-mode",
                        "--no-transfer-progress",
                        "--settings",
                        settings.toString(),
                        "compile",
                        goal));
    }

    private Outcome gradle(Path repository) throws IOException, InterruptedException {
        assumeTrue(isOnPath("gradle"), "there is no gradle on the PATH (apt-get install gradle)");
        Path script = Files.writeString(
                folder.resolve("repository.gradle"),
                "allprojects { repositories { maven { url '" + repository.toUri() + "' } } }\n");
        Path home = folder.resolve("gradle-home");
        Outcome outcome = run(
                copyOf("gradle"),
                "GRADLE_OPTS",
                List.of(
                        "gradle",
                        "--no-daemon",
                        "--console=plain",
                        "--gradle-user-home",
                        home.toString(),
                        "--init-script",
                        script.toString(),
                        "-Dmaven.repo.local=" + folder.resolve("local"),
                        "-Dorg.gradle.jvmargs=" + SHORT_RUN,
                        "run"));
        awaitDaemons(home);
        return outcome;
    }

    /** Gradle builds in another JVM, even without a daemon that stays. That JVM writes to its folder for a moment after Gradle has ended. */
    private static void awaitDaemons(Path gradleHome) throws IOException {
        List<Path> logs;
        try (Stream<Path> files = Files.walk(gradleHome.resolve("daemon"))) {
            logs = files.filter(file -> file.toString().endsWith(".out.log")).toList();
        }
        for (Path log : logs) {
            Matcher name = DAEMON_LOG.matcher(log.toString());
            assertThat(name.find())
                    .as("the name of %s has the number of a process", log)
                    .isTrue();
            ProcessHandle.of(Long.parseLong(name.group(1)))
                    .ifPresent(daemon ->
                            daemon.onExit().orTimeout(1, TimeUnit.MINUTES).join());
        }
    }

    /** So that nothing is left in the work tree. */
    private Path copyOf(String example) throws IOException {
        Path copy = folder.resolve(example);
        Path original = EXAMPLES.resolve(example);
        List<Path> files;
        try (Stream<Path> all = Files.walk(original)) {
            files = all.filter(Files::isRegularFile)
                    .filter(file -> !original.relativize(file).toString().matches("(target|build|[.]gradle)/.*"))
                    .toList();
        }
        for (Path file : files) {
            Path to = copy.resolve(original.relativize(file));
            Files.createDirectories(to.getParent());
            Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
        }
        return copy;
    }

    /** The variable has options of JVMs. */
    private Outcome run(Path project, String variable, List<String> command) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command))
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("JAVA_HOME", PublishedArtifact.jdk().toString());
        // Those of the build are for another JDK.
        environment.remove("MAVEN_OPTS");
        environment.put(variable, SHORT_RUN);
        Process process = builder.start();
        Command.awaitEnd(process, command);
        return new Outcome(process.exitValue(), Files.readString(log));
    }

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }
}
