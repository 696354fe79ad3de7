package org.heapspan.replication;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are there as a whole or not at all, whenever the process or the host ends. */
final class WholeFile {
    private WholeFile() {}

    /** Writes what a file is to hold. */
    interface Writing {
        void write(Path file) throws IOException;
    }

    /**
     * Writes a file.
     *
     * @param unfinished its name while it is written, in the same folder. What is there under this name is overwritten, for example after a crash
     */
    static void write(Path file, Path unfinished, Writing writing) throws IOException {
        writing.write(unfinished);
        force(unfinished);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(file.resolveSibling("."));
    }

    /** Returns when a file, or the names in a folder, survive the loss of power. */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
