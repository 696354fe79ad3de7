package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.GroupStore;
import org.heapspan.vm.FileSpace;
import org.heapspan.vm.FolderProtection;
import org.jspecify.annotations.Nullable;

/**
 * Owns the bytes of the groups of a server: one sparse file for each chunk that has groups. Bytes outlive the process that wrote them, and end with
 * this one. Thread-safe.
 */
public final class Keeper implements GroupStore, Closeable {
    private static final Set<OpenOption> NEW_FILE = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    private static final FileAttribute<?> OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> FOLDER_OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Chunks chunks;
    private final Path folder;
    private final FileStore device;
    private final FileChannel lockFile;
    private final FileLock lock;
    private final Map<Long, FileChannel> files = new HashMap<>();
    private boolean closed;

    /** What a part of a group, in one file, is used for. */
    public interface PieceUse {
        void use(FileChannel file, long offset, long length) throws IOException;
    }

    /**
     * Makes a folder of its own, and deletes those of servers that were killed.
     *
     * @param base where the folder is made
     * @throws IOException if that is not possible, or other users could replace files there
     */
    public Keeper(Path base, byte[] serverId, Chunks chunks) throws IOException {
        this.chunks = chunks;
        Path root = base.toAbsolutePath().normalize();
        if (!Files.isDirectory(root)) {
            Files.createDirectories(root, FOLDER_OF_OWNER);
        }
        FolderProtection.check(root);
        StaleFolders.delete(root);
        folder = Files.createDirectory(root.resolve(ChunkFolder.name(serverId)), FOLDER_OF_OWNER);
        @Nullable FileChannel channel = null;
        try {
            channel = FileChannel.open(folder.resolve(ChunkFolder.LOCK_FILE), NEW_FILE, OF_OWNER);
            lock = channel.lock();
            // The folder is one of a server from now on: if nobody holds the lock, it was killed.
            Path made = folder.resolve(ChunkFolder.SERVER_FILE + ".new");
            Files.createFile(made, OF_OWNER);
            Files.write(made, ChunkFolder.identity(serverId), StandardCharsets.ISO_8859_1);
            Files.move(made, folder.resolve(ChunkFolder.SERVER_FILE), StandardCopyOption.ATOMIC_MOVE);
            device = Files.getFileStore(folder);
            lockFile = channel;
        } catch (IOException | RuntimeException | Error e) {
            if (channel != null) {
                channel.close();
            }
            StaleFolders.deleteFiles(folder);
            throw e;
        }
    }

    /** Where the files are. */
    public Path folder() {
        return folder;
    }

    /** Bytes that the device still has for everybody. */
    public long usableBytes() throws IOException {
        return device.getUsableSpace();
    }

    /**
     * Makes the files of a range, which takes no memory yet.
     *
     * @throws IOException if the device has less than this left, or a file cannot be made
     */
    public void prepare(long address, long sizeBytes) throws IOException {
        long usable = usableBytes();
        if (usable < sizeBytes) {
            throw new IOException(
                    sizeBytes + " bytes were asked for, but the device of " + folder + " has " + usable + " left");
        }
        for (long chunk = chunks.number(address); chunk <= chunks.number(address + sizeBytes - 1); chunk++) {
            file(chunk, true);
        }
    }

    private synchronized FileChannel file(long chunk, boolean make) throws IOException {
        if (closed) {
            throw new IOException("the keeper of " + folder + " is closed");
        }
        FileChannel file = files.get(chunk);
        if (file == null) {
            if (!make) {
                throw new IOException("chunk " + chunk + " of " + folder + " has no file");
            }
            file = FileChannel.open(folder.resolve(ChunkFolder.fileName(chunk)), NEW_FILE, OF_OWNER);
            // Clients map whole chunks. A byte at the end takes one page; all others are taken when they are written.
            file.write(ByteBuffer.allocate(1), chunks.chunkBytes() - 1L);
            files.put(chunk, file);
        }
        return file;
    }

    /** Writes into a range that was {@linkplain #prepare prepared}. */
    public void write(long address, ByteBuffer bytes) throws IOException {
        long at = address;
        int limit = bytes.limit();
        while (bytes.hasRemaining()) {
            bytes.limit(Math.min(limit, bytes.position() + chunks.room(at)));
            FileChannel file = file(chunks.number(at), false);
            while (bytes.hasRemaining()) {
                at += file.write(bytes, chunks.offset(at));
            }
            bytes.limit(limit);
        }
    }

    /** Goes through the files of a range. */
    public void forEachPiece(long address, long sizeBytes, PieceUse use) throws IOException {
        long at = address;
        long left = sizeBytes;
        while (left > 0) {
            long length = Math.min(left, chunks.room(at));
            use.use(file(chunks.number(at), false), chunks.offset(at), length);
            at += length;
            left -= length;
        }
    }

    /** Gives pages back, as far as this system can do that; {@link #drop} gives back what it cannot. */
    @Override
    public void free(long address, long sizeBytes) {
        try {
            forEachPiece(
                    address,
                    Chunks.pages(sizeBytes),
                    (file, offset, length) -> FileSpace.makeHole(file, offset, length));
        } catch (IOException e) {
            // The pages come back with the file.
            return;
        }
    }

    @Override
    public void drop(long chunk) {
        FileChannel file;
        synchronized (this) {
            file = files.remove(chunk);
        }
        if (file != null) {
            delete(chunk, file);
        }
    }

    private void delete(long chunk, FileChannel file) {
        try (file) {
            // Who has mapped it holds its pages, but not these.
            FileSpace.makeHole(file, 0, chunks.chunkBytes());
        } catch (IOException e) {
            // Its pages come back when nobody has it mapped any more.
        } finally {
            deleteName(folder.resolve(ChunkFolder.fileName(chunk)));
        }
    }

    private static void deleteName(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next server of this user deletes it.
            return;
        }
    }

    /** Deletes all files: bytes are gone, except for those who have them mapped. */
    @Override
    public void close() throws IOException {
        Map<Long, FileChannel> last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = new HashMap<>(files);
            files.clear();
        }
        List<IOException> failures = new ArrayList<>();
        for (Map.Entry<Long, FileChannel> each : last.entrySet()) {
            failed(each.getValue()::close, failures);
            deleteName(folder.resolve(ChunkFolder.fileName(each.getKey())));
        }
        failed(() -> StaleFolders.deleteFiles(folder), failures);
        failed(lock::release, failures);
        failed(lockFile::close, failures);
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void failed(Step step, List<IOException> failures) {
        try {
            step.run();
        } catch (IOException e) {
            failures.add(e);
        }
    }
}
