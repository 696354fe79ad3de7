package org.heapspan.tests.artifacts;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of one artifact in the repository that {@code ./dev install} has made. */
final class PublishedArtifact {
    static final Path REPOSITORY = Path.of(System.getProperty("heapspan.repository"));

    static final String VERSION = "0.1.0-SNAPSHOT";

    static final String LIBRARY = "heapspan";

    static final String SECOND_HEAP = "heapspan-h2";

    static final String EXCHANGE = "heapspan-exchange";

    static final String REPLICATION = "heapspan-replication";

    static final String SPARK = "heapspan-spark_2.13";

    static final String FLINK = "heapspan-flink";

    static final String BOM = "heapspan-bom";

    private static final Path GROUP = REPOSITORY.resolve("org/heapspan");

    private final String name;

    PublishedArtifact(String name) {
        this.name = name;
    }

    /** Names of all that is there. */
    static List<String> all() throws IOException {
        try (Stream<Path> folders = Files.list(GROUP)) {
            return folders.map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** Leaves a test of an adapter out if there are only the artifacts of the library. */
    static void assumeAdapters() throws IOException {
        assumeTrue(all().contains(FLINK), "does not apply: the adapters were left out");
    }

    /** The names of those that have classes. */
    static List<String> jars() throws IOException {
        return all().stream().filter(name -> !name.equals(BOM)).toList();
    }

    /** The JDK of those who use the artifacts: 17, or the one that runs this if there is only a run-time image of Java 17. */
    static Path jdk() {
        Path oldest = Path.of(System.getProperty("heapspan.jdk17.home"));
        return Files.isExecutable(oldest.resolve("bin/javac")) ? oldest : Path.of(System.getProperty("java.home"));
    }

    Path pom() throws IOException {
        return theFile(".pom");
    }

    Path jar() throws IOException {
        return theFile("-1.jar");
    }

    Path sources() throws IOException {
        return theFile("-sources.jar");
    }

    Path javadoc() throws IOException {
        return theFile("-javadoc.jar");
    }

    /** Version numbers of snapshots hold a time and end in a number, which is 1 in a new repository. */
    private Path theFile(String end) throws IOException {
        try (Stream<Path> files = Files.list(GROUP.resolve(name).resolve(VERSION))) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(end)).toList();
            if (found.size() != 1) {
                throw new IOException(name + " has " + found.size() + " files that end in " + end + ", not one; remove "
                        + REPOSITORY + " and run ./dev install repository=" + REPOSITORY);
            }
            return found.get(0);
        }
    }

    /** The files in a jar. */
    static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(entry -> entry.getName())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The classes in a jar, without the descriptor of its module. */
    static Set<String> classes(Path jar) throws IOException {
        return entries(jar).stream()
                .filter(entry -> entry.endsWith(".class") && !entry.equals("module-info.class"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
