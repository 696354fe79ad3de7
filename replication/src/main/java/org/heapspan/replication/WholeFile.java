package org.heapspan.replication;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Files that are there as a whole or not at all, whenever the process or the host ends. */
final class WholeFile {
    private WholeFile() {}

    /** What holds the files. Tests have others, which fail. */
    @FunctionalInterface
    interface Device {
        /** Returns when a file, or the names in a folder, survive the loss of power. */
        void force(Path path) throws IOException;
    }

    /** Writes what a file is to hold. */
    @FunctionalInterface
    interface Writing {
        void write(Path unfinished) throws IOException;
    }

    /** What is done with a file that survives the loss of power, and has not got its name. */
    @FunctionalInterface
    interface BeforeNaming<T> {
        T use(Path unfinished) throws IOException;
    }

    /** As {@link #write(Path, Path, Writing, BeforeNaming, Device)}, with nothing between. */
    static void write(Path file, Path unfinished, Writing writing) throws IOException {
        write(file, unfinished, writing, same -> same, WholeFile::force);
    }

    /**
     * Writes a file, and returns when it survives the loss of power under its name.
     *
     * @param unfinished its name while it is written, in the same folder. What is there under this name is overwritten, for example after a crash
     * @return what was made of the file before it got its name
     * @throws IOException if any of this fails. There may be the former file of this name then
     */
    static <T> T write(Path file, Path unfinished, Writing writing, BeforeNaming<T> beforeNaming, Device device)
            throws IOException {
        try {
            writing.write(unfinished);
            device.force(unfinished);
            T made = beforeNaming.use(unfinished);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            device.force(folderOf(file));
            return made;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Returns when a file, or the names in a folder, survive the loss of power. */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The folder that has the name of a file. */
    static Path folderOf(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }
}
