package org.heapspan.h2;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.vm.FileSpace;

/**
 * Segments that are files which nobody can see: each is deleted as soon as it is open, so that its space is free again when the process ends,
 * however it ends.
 */
final class UnlinkedFiles implements Storage {
    private final Path directory;
    private final FileStore device;
    private final long reserveBytes;

    /**
     * Begins without any.
     *
     * @param reserveBytes of the device are left to others: while no more is free, writing fails as on a full disk
     * @throws IOException if nothing is known of the device of the folder
     */
    UnlinkedFiles(Path directory, long reserveBytes) throws IOException {
        this.directory = directory;
        this.reserveBytes = reserveBytes;
        device = Files.getFileStore(directory);
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
        Path path = Files.createTempFile(directory, "heapspan-h2-", ".regions");
        RandomAccessFile file;
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
        } finally {
            Files.delete(path);
        }
        try {
            // Sparse: blocks are allocated by writing. A full disk thus fails a write, never an access to the mapping.
            file.setLength(sizeBytes);
            return new UnlinkedFile(file, sizeBytes);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private final class UnlinkedFile implements Segment {
        private final RandomAccessFile file;
        private final FileChannel channel;
        private final long sizeBytes;
        private final MappedByteBuffer mapped;

        UnlinkedFile(RandomAccessFile file, long sizeBytes) throws IOException {
            this.file = file;
            this.sizeBytes = sizeBytes;
            channel = file.getChannel();
            mapped = channel.map(MapMode.READ_ONLY, 0, sizeBytes);
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
            file.setLength(0);
            file.setLength(sizeBytes);
        }

        @Override
        public boolean giveBack(long offset, int length) throws IOException {
            return FileSpace.makeHole(file.getFD(), offset, length);
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                // Nothing was promised of bytes in it, and the file has no name by which anybody could find it.
                return;
            }
        }
    }
}
