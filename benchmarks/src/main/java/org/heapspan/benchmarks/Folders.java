package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders for the files of what is measured. */
public final class Folders {
    private Folders() {}

    /**
     * Deletes a folder with all that is in it, if it exists.
     *
     * @throws IOException if something cannot be deleted
     */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }

    /**
     * Makes an empty folder, in place of what is there.
     *
     * @return the folder
     * @throws IOException if something cannot be deleted, or the folder cannot be made
     */
    public static Path fresh(Path folder) throws IOException {
        delete(folder);
        return Files.createDirectories(folder);
    }
}
