package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Folders that servers have left behind when they were killed: nobody holds the lock of their file any more. */
public final class StaleFolders {
    private StaleFolders() {}

    /**
     * Deletes those of this user. What cannot be deleted stays: it is not this server's.
     *
     * @return how many there were
     */
    public static int delete(Path base) {
        int deleted = 0;
        for (Path folder : list(base)) {
            if (ChunkFolder.isName(folder.getFileName().toString()) && deleteIfStale(folder)) {
                deleted++;
            }
        }
        return deleted;
    }

    /** Deletes the folder of one server, and its second one, if it was killed and was another process of this user. */
    public static boolean deleteIfStale(Path folder) {
        Path file = folder.resolve(ChunkFolder.LOCK_FILE);
        try {
            // A server that keeps or replicates its keys goes on with them.
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || Files.exists(folder.resolve(ChunkFolder.PEER_FILE), LinkOption.NOFOLLOW_LINKS)
                    || Files.exists(folder.resolve(KeyJournal.FILE), LinkOption.NOFOLLOW_LINKS)
                    || !ChunkFolder.isOfAnotherProcess(folder)
                    || !ChunkFolder.isOwn(file)) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                    FileLock lock = channel.tryLock()) {
                if (lock == null) {
                    return false;
                }
                Path overflow = ChunkFolder.overflow(folder);
                if (overflow != null && overflow.endsWith(folder.getFileName())) {
                    deleteIfStale(overflow);
                }
                deleteFiles(folder);
                return true;
            }
        } catch (NoSuchFileException e) {
            // A server that is being started, or was just closed.
            return false;
        } catch (IOException | OverlappingFileLockException | UnsupportedOperationException e) {
            // Of another user, or another thread of this JVM does the same.
            return false;
        }
    }

    /** Deletes the files that a keeper has made, and the folder if it had no others. */
    static void deleteFiles(Path folder) throws IOException {
        for (Path file : list(folder)) {
            if (ChunkFolder.FILE_NAMES.matcher(file.getFileName().toString()).matches()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    static List<Path> list(Path folder) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(files::add);
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            // What was found so far.
            return files;
        }
        return files;
    }
}
