package org.heapspan.spark.cache;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapException;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a second heap, as {@code spark.heapspan.h2.dir} names it, and what is known of its device.
 *
 * @param path where it is
 * @param type of its file system
 * @param usableBytes free there
 * @param totalBytes of the device
 */
record HeapFolder(Path path, String type, long usableBytes, long totalBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** File systems that keep their files in the memory of the machine. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    /**
     * Finds the folder, which is made by whoever opens a heap there.
     *
     * @param text what the user wrote
     * @throws HeapspanException if it cannot be a folder; the message names key, value and what to do
     */
    static HeapFolder of(String text) {
        try {
            Path path = Path.of(text).toAbsolutePath();
            Path existing = path;
            while (!Files.exists(existing) && existing.getParent() != null) {
                existing = existing.getParent();
            }
            if (!Files.isDirectory(existing)) {
                throw unusable(text, existing + " is not a folder", null);
            }
            FileStore device = Files.getFileStore(existing);
            HeapFolder folder = new HeapFolder(path, device.type(), device.getUsableSpace(), device.getTotalSpace());
            if (folder.isMemory()) {
                LOG.warn(
                        "Heapspan: {} is '{}', a {}: files there take memory of the machine. Name a folder on a disk,"
                                + " or reserve memory for spark.heapspan.h2.capacity",
                        HeapspanConfiguration.H2_DIR.name(),
                        text,
                        folder.type);
            }
            return folder;
        } catch (InvalidPathException | IOException e) {
            throw unusable(text, reason(e), e);
        }
    }

    boolean isMemory() {
        return IN_MEMORY.contains(type);
    }

    /**
     * Opens a heap in the folder.
     *
     * @throws HeapspanException as {@link #of}
     */
    SecondHeap open(SecondHeapOptions options) {
        try {
            return SecondHeap.open(path, options);
        } catch (SecondHeapException e) {
            if (e.category() != Category.IO) {
                throw e;
            }
            Throwable cause = e.getCause();
            throw unusable(path.toString(), cause == null ? String.valueOf(e.getMessage()) : reason(cause), e);
        }
    }

    /** What the system said. Messages of its exceptions are names of files, some with the reason. */
    private static String reason(Throwable failure) {
        if (failure instanceof FileSystemException known) {
            String kind = known.getClass() == FileSystemException.class
                    ? ""
                    : known.getClass().getSimpleName() + " at ";
            return kind + known.getMessage();
        }
        return String.valueOf(failure.getMessage());
    }

    private static HeapspanException unusable(String value, String why, @Nullable Throwable cause) {
        return new HeapspanException(
                Category.IO,
                HeapspanConfiguration.H2_DIR.name() + " is '" + value + "', where no second heap can be: " + why
                        + "; name a folder on this host that the executor can create or write to",
                cause);
    }
}
