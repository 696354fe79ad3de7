package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.wire.KeyRecord;

/**
 * The file {@code keys} of a server that keeps its keys: a record for each change. Each has 4 bytes length, 4 bytes CRC32C, and its bytes, the most
 * significant byte first. A record that the end of the file cuts off was never answered. When the file is opened, it is written anew without what
 * was replaced or removed. Thread-safe.
 */
final class KeyJournal implements KeyLog, Closeable {
    static final String FILE = "keys";

    private static final String NEW_FILE = FILE + ".new";
    private static final int HEADER_BYTES = 8;
    private static final int MOST_RECORD_BYTES = 64 << 10;

    private final FileChannel file;
    private final Map<String, KeyRecord> kept;
    private long end;
    private boolean broken;

    private KeyJournal(FileChannel file, Map<String, KeyRecord> kept) {
        this.file = file;
        this.kept = kept;
    }

    /**
     * Reads the file, if there is one, and writes it anew.
     *
     * @throws IOException if it is damaged, or of somebody else
     */
    static KeyJournal open(Path folder) throws IOException {
        Path path = folder.resolve(FILE);
        Map<String, KeyRecord> kept = Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? read(path) : new TreeMap<>();
        Path made = folder.resolve(NEW_FILE);
        Files.deleteIfExists(made);
        FileChannel file = FileChannel.open(made, Keeper.NEW_FILE, Keeper.OF_OWNER);
        try {
            KeyJournal journal = new KeyJournal(file, kept);
            for (KeyRecord each : kept.values()) {
                journal.add(each);
            }
            Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
            return journal;
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private static Map<String, KeyRecord> read(Path path) throws IOException {
        if (!ChunkFolder.isOwn(path)) {
            throw new IOException(path + " is no plain file of this user alone");
        }
        Map<String, KeyRecord> kept = new TreeMap<>();
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long at = 0;
            ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
            while (fill(file, header.clear(), at)) {
                int length = header.flip().getInt();
                int checksum = header.getInt();
                if (length <= 0 || length > MOST_RECORD_BYTES) {
                    throw damaged(path, at);
                }
                ByteBuffer bytes = ByteBuffer.allocate(length);
                if (!fill(file, bytes, at + HEADER_BYTES)) {
                    break;
                }
                if (checksum(bytes.flip()) != checksum) {
                    throw damaged(path, at);
                }
                KeyRecord record = KeyRecord.read(bytes);
                if (record.group() == null) {
                    kept.remove(record.name());
                } else {
                    kept.put(record.name(), record);
                }
                at += HEADER_BYTES + length;
            }
        }
        return kept;
    }

    private static IOException damaged(Path path, long at) {
        return new IOException(path + " is damaged at byte " + at + "; move its folder away to begin without keys");
    }

    /** Whether there were as many bytes. */
    private static boolean fill(FileChannel file, ByteBuffer buffer, long offset) throws IOException {
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offset + buffer.position()) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.duplicate());
        return (int) checksum.getValue();
    }

    /** The keys that the file had when it was opened. */
    Collection<KeyRecord> kept() {
        return kept.values();
    }

    @Override
    public synchronized void add(KeyRecord record) throws IOException {
        if (broken) {
            throw new IOException("the file " + FILE + " could not be written to before");
        }
        ByteBuffer bytes = record.write();
        ByteBuffer whole = ByteBuffer.allocate(HEADER_BYTES + bytes.remaining())
                .putInt(bytes.remaining())
                .putInt(checksum(bytes))
                .put(bytes)
                .flip();
        int length = whole.remaining();
        try {
            while (whole.hasRemaining()) {
                file.write(whole, end + whole.position());
            }
            end += length;
        } catch (IOException e) {
            cutOff();
            throw e;
        }
    }

    /** A part of a record would make what follows unreadable. */
    private void cutOff() {
        try {
            file.truncate(end);
        } catch (IOException e) {
            broken = true;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
