package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Files of the system, in the folder of a keeper. */
record JournalFolder(Path folder) implements JournalFiles {
    @Override
    public @Nullable JournalFile open(String name) throws IOException {
        Path path = folder.resolve(name);
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        if (!ChunkFolder.isOwn(path)) {
            throw new IOException(path + " is no plain file of this user alone");
        }
        return new SystemFile(folder, FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public JournalFile make(String name) throws IOException {
        Path path = folder.resolve(name);
        Files.deleteIfExists(path);
        return new SystemFile(folder, FileChannel.open(path, HeldFolder.NEW_FILE, HeldFolder.OF_OWNER));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void forceNames() throws IOException {
        forceNames(folder);
    }

    /** Returns when the device has the names of the files of a folder (fsync(2): a file does not force its name). */
    static void forceNames(Path folder) throws IOException {
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
            names.force(true);
        }
    }

    @Override
    public String path(String name) {
        return folder.resolve(name).toString();
    }

    private record SystemFile(Path folder, FileChannel channel) implements JournalFile {
        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            return channel.read(target, offset);
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            long at = offset;
            try {
                while (source.hasRemaining()) {
                    at += channel.write(source, at);
                }
            } catch (IOException e) {
                throw Device.reason(e, folder, source.remaining());
            }
        }

        @Override
        public void truncate(long length) throws IOException {
            channel.truncate(length);
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
