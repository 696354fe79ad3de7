package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that this process has open, those without names among them; on Linux. */
final class OpenFiles {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private OpenFiles() {}

    /** All of them. */
    static List<Path> all() throws IOException {
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** Those of second heaps. */
    static List<Path> ofSecondHeaps() throws IOException {
        return all().stream()
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
