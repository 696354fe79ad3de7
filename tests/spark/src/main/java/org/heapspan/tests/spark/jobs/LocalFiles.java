package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Files that this process has open, those without names among them, and files of folders, while somebody else may close and delete some; on Linux. */
final class LocalFiles {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private LocalFiles() {}

    /** All files of a folder, but for those that are deleted meanwhile. */
    static List<Path> below(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return files;
    }

    /** All that are open. */
    static List<Path> open() throws IOException {
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** Those of second heaps. */
    static List<Path> ofSecondHeaps() throws IOException {
        return open().stream()
                .filter(each -> name(each).contains("/heapspan-h2-"))
                .toList();
    }

    /** The name that a file has or had. */
    static String name(Path open) {
        try {
            return Files.readSymbolicLink(open).toString();
        } catch (IOException e) {
            // Closed meanwhile.
            return "";
        }
    }

    /** Takes all bytes away from files. */
    static void cutOff(List<Path> files) throws IOException {
        for (Path each : files) {
            try (RandomAccessFile file = new RandomAccessFile(each.toFile(), "rw")) {
                file.setLength(0);
            }
        }
    }
}
