package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.heapspan.vm.FolderProtection;

/** The {@linkplain ChunkFolder folder} of a keeper of this process, from its lock to its end. Only this user reads and writes there. */
final class HeldFolder {
    static final Set<OpenOption> NEW_FILE = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> OLD_FILE = Set.of(
            StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    static final FileAttribute<?> OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> FOLDER_OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path path;
    private final FileChannel lockFile;
    private final FileLock lock;
    private final FileStore device;

    private HeldFolder(Path path, Set<OpenOption> options) throws IOException {
        this.path = path;
        FileChannel channel = FileChannel.open(path.resolve(ChunkFolder.LOCK_FILE), options, OF_OWNER);
        try {
            FileLock held = channel.tryLock();
            if (held == null) {
                throw new IOException("another server uses " + path);
            }
            lock = held;
            device = Files.getFileStore(path);
            lockFile = channel;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Prepares a folder in which keepers make theirs, and deletes there those of servers that were killed.
     *
     * @return its whole path
     * @throws IOException if other users could replace files there
     */
    static Path prepareBase(Path base) throws IOException {
        Path root = base.toAbsolutePath().normalize();
        if (!Files.isDirectory(root)) {
            Files.createDirectories(root, FOLDER_OF_OWNER);
        }
        FolderProtection.check(root);
        StaleFolders.delete(root);
        return root;
    }

    /** Makes the folder of a server. */
    static HeldFolder make(Path root, byte[] serverId) throws IOException {
        Path made = Files.createDirectory(root.resolve(ChunkFolder.name(serverId)), FOLDER_OF_OWNER);
        try {
            return new HeldFolder(made, NEW_FILE);
        } catch (IOException | RuntimeException | Error e) {
            StaleFolders.deleteFiles(made);
            throw e;
        }
    }

    /** Goes on with the folder of a server that has ended. */
    static HeldFolder open(Path path) throws IOException {
        return new HeldFolder(path, OLD_FILE);
    }

    /** The folder is one of a server from now on: if nobody holds the lock, it was killed. */
    void announce(byte[] serverId) throws IOException {
        Path made = path.resolve(ChunkFolder.SERVER_FILE + ".new");
        Files.deleteIfExists(made);
        Files.createFile(made, OF_OWNER);
        Files.write(made, ChunkFolder.identity(serverId), StandardCharsets.ISO_8859_1);
        Files.move(made, path.resolve(ChunkFolder.SERVER_FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    Path path() {
        return path;
    }

    /** Bytes that the device still has for everybody. */
    long usableBytes() throws IOException {
        return device.getUsableSpace();
    }

    /** Gives up the lock. The files stay. */
    void release() throws IOException {
        try {
            lock.release();
        } finally {
            lockFile.close();
        }
    }

    /** Deletes the files of the keeper and the folder, and gives up the lock. */
    void delete() throws IOException {
        try {
            StaleFolders.deleteFiles(path);
        } finally {
            release();
        }
    }
}
