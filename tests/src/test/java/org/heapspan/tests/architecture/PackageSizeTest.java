package org.heapspan.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who opens a folder of sources sees at a glance what is in it: of all modules, tests included. */
@Tag("once")
final class PackageSizeTest {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root", ".."));

    private static final int MOST_FILES = 50;

    private static final Set<String> NOT_SOURCES = Set.of("target", "build", ".git");

    @TempDir
    Path folder;

    @Test
    void packagesAreSmallEnoughToRead() throws IOException {
        assertThat(largePackages(ROOT)).isEmpty();
    }

    @Test
    void aLargePackageIsNoticed() throws IOException {
        Path large = Files.createDirectories(folder.resolve("vm/src/main/java/org/heapspan/vm"));
        Path made = Files.createDirectories(folder.resolve("vm/target/src"));
        for (int i = 0; i < 50; i++) {
            Files.createFile(large.resolve("Class" + i + ".java"));
            Files.createFile(made.resolve("Class" + i + ".java"));
        }
        Files.createFile(large.resolve("notes.txt"));
        Files.createFile(made.resolve("OneMore.java"));
        assertThat(largePackages(folder)).isEmpty();

        Files.createFile(large.resolve("OneMore.scala"));
        assertThat(largePackages(folder)).isEqualTo(Map.of("vm/src/main/java/org/heapspan/vm", 51));
    }

    /** Folders that have too many source files, with their number. */
    private static Map<String, Integer> largePackages(Path root) throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                return NOT_SOURCES.contains(visited.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path visited, BasicFileAttributes attributes) {
                String name = visited.getFileName().toString();
                if (name.endsWith(".java") || name.endsWith(".scala")) {
                    files.merge(root.relativize(visited.getParent()).toString(), 1, Integer::sum);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files.values().removeIf(count -> count <= MOST_FILES);
        return files;
    }
}
