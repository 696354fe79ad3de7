package org.heapspan.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that is a file system of its own, in memory, with room for little: a test can fill it. Needs root on Linux. */
public final class SmallDevice implements Closeable {
    private static final int PAGE_BYTES = 4096;

    private final Path folder;
    private final Path filler;

    /**
     * Mounts it.
     *
     * @throws Hosts.UnavailableException if that is not possible here
     */
    public SmallDevice(Path folder, int sizeBytes) throws IOException, InterruptedException {
        this.folder = folder;
        filler = folder.resolve("filler");
        String failure =
                Hosts.failure("mount", "-t", "tmpfs", "-o", "size=" + sizeBytes, "heapspan-test", folder.toString());
        if (!failure.isEmpty()) {
            throw new Hosts.UnavailableException("no file system can be mounted here: " + failure);
        }
    }

    /** Where it is. */
    public Path folder() {
        return folder;
    }

    /** How much room it has. */
    public long usableBytes() throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
    }

    /** Takes all room but about this. Others may write meanwhile. */
    public void fill(long leftBytes) throws IOException {
        byte[] block = new byte[PAGE_BYTES];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (usableBytes() - leftBytes >= PAGE_BYTES) {
                out.write(block);
            }
        }
    }

    /** Gives back what {@link #fill} has taken. */
    public void empty() throws IOException {
        Files.delete(filler);
    }

    @Override
    public void close() throws IOException {
        try {
            // Lazily: files may be mapped still.
            String failure = Hosts.failure("umount", "--lazy", folder.toString());
            if (!failure.isEmpty()) {
                throw new IOException("a file system stays mounted: " + failure);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
