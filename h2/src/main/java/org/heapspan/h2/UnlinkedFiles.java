package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.heapspan.vm.FileSpace;
import org.heapspan.vm.FolderProtection;

/**
 * Segments that are files which nobody can see: each is deleted as soon as it is open, so that its space is free again when the process ends,
 * however it ends.
 *
 * <p>A file is used by the descriptor that made it, and its name never again but to delete it: whoever puts another file or a link in its place
 * gains nothing.
 */
final class UnlinkedFiles implements Storage {
    private static final Set<OpenOption> NEW_FILE = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);

    private final Path directory;
    private final FileStore device;
    private final long reserveBytes;

    /**
     * Begins without any. Makes the folder if there is none, and a file in it to see whether that is possible.
     *
     * @param reserveBytes of the device are left to others: while no more is free, writing fails as on a full disk
     * @throws IOException if the folder cannot be written to, others could replace files in it, or nothing is known of its device
     */
    UnlinkedFiles(Path directory, long reserveBytes) throws IOException {
        this.directory = directory;
        this.reserveBytes = reserveBytes;
        if (!Files.isDirectory(directory)) {
            // Of a link that leads to a folder it would say that there is a file.
            Files.createDirectories(directory, ownerOnly(directory, "rwx------"));
        }
        FolderProtection.check(directory);
        createUnlinked().close();
        device = Files.getFileStore(directory);
    }

    private static FileAttribute<?>[] ownerOnly(Path directory, String permissions) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** An open file without a name, that was not there before. */
    private FileChannel createUnlinked() throws IOException {
        Path path = directory.resolve("heapspan-h2-" + UUID.randomUUID() + ".regions");
        FileChannel channel = FileChannel.open(path, NEW_FILE, ownerOnly(directory, "rw-------"));
        try {
            Files.delete(path);
            return channel;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private void checkReserve() throws IOException {
        if (reserveBytes > 0) {
            long freeBytes = device.getUsableSpace();
            if (freeBytes <= reserveBytes) {
                throw new IOException((freeBytes >> 20) + " MB are free on the device of " + directory + ", of which "
                        + (reserveBytes >> 20) + " MB are left to others; free some, or use another device");
            }
        }
    }

    @Override
    public Segment create(long sizeBytes) throws IOException {
        FileChannel channel = createUnlinked();
        try {
            return new UnlinkedFile(channel, sizeBytes);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private final class UnlinkedFile implements Segment {
        private final FileChannel channel;
        private final long sizeBytes;
        private final MappedByteBuffer mapped;

        UnlinkedFile(FileChannel channel, long sizeBytes) throws IOException {
            this.channel = channel;
            this.sizeBytes = sizeBytes;
            extend();
            mapped = channel.map(MapMode.READ_ONLY, 0, sizeBytes);
        }

        /** Sparse: blocks are allocated by writing. A full disk thus fails a write, never an access to the mapping. */
        private void extend() throws IOException {
            // This takes one block. Mapping the last byte would take none, but that mapping lasts until the
            // collector finds it, and a process may have only so many.
            channel.write(ByteBuffer.allocate(1), sizeBytes - 1);
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            checkReserve();
            long at = offset;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        }

        @Override
        public ByteBuffer mapped() {
            return mapped;
        }

        @Override
        public boolean isResident(long offset) {
            return mapped.slice((int) offset, 1).isLoaded();
        }

        @Override
        public void load(long offset, int length) {
            // Tells the kernel of all of it (MADV_WILLNEED) before it touches the first page.
            mapped.slice((int) offset, length).load();
        }

        @Override
        public void discard() throws IOException {
            channel.truncate(0);
            extend();
        }

        @Override
        public boolean giveBack(long offset, int length) throws IOException {
            return FileSpace.makeHole(channel, offset, length);
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing was promised of bytes in it, and the file has no name by which anybody could find it.
                return;
            }
        }
    }
}
