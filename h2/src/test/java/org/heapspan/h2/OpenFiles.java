package org.heapspan.h2;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of second heaps that this process has open, which have no names any more; on Linux. */
final class OpenFiles {
    private OpenFiles() {}

    /** Those in a folder. */
    static List<Path> of(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> leadsTo(each, directory.resolve("heapspan-h2-") + ""))
                    .toList();
        }
    }

    private static boolean leadsTo(Path descriptor, String prefix) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(prefix);
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    /** Takes all bytes away. */
    static void cutOff(Path directory) throws IOException {
        for (Path each : of(directory)) {
            try (RandomAccessFile file = new RandomAccessFile(each.toFile(), "rw")) {
                file.setLength(0);
            }
        }
    }
}
