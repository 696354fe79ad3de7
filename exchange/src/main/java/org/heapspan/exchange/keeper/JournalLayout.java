package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.heapspan.exchange.keeper.JournalFiles.JournalFile;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.MalformedFrameException;

/**
 * The bytes of a journal of keys, the most significant byte first:
 *
 * <pre>
 *  0  4  0x48584b59, "HXKY"
 *  4  4  version of the layout
 * </pre>
 *
 * and for each change:
 *
 * <pre>
 *  0  4  length of the change
 *  4  4  CRC32C of the change
 *  8  4  CRC32C of bytes 0 to 7
 * 12  n  the change: a {@link KeyRecord}
 * </pre>
 *
 * <p>A change that the end of the file cuts off was not written whole, so it was not answered. The same holds for zeros up to the end: a file system
 * may have made a file longer before a crash without having its bytes. Everything else is damage. The length has a checksum of its own, because a
 * wrong one would look like such an end.
 */
final class JournalLayout {
    static final int VERSION = 1;
    static final int FILE_HEADER_BYTES = 8;
    static final int HEADER_BYTES = 12;

    private static final int MAGIC = 0x48584b59;
    private static final int CHECKED_BYTES = 8;
    private static final int MOST_RECORD_BYTES = 64 << 10;
    private static final int WINDOW_BYTES = 4 * MOST_RECORD_BYTES;

    private JournalLayout() {}

    /** What a file begins with. */
    static ByteBuffer fileHeader() {
        return ByteBuffer.allocate(FILE_HEADER_BYTES)
                .putInt(MAGIC)
                .putInt(VERSION)
                .flip();
    }

    /** A change with its header. */
    static ByteBuffer framed(KeyRecord record) {
        ByteBuffer bytes = record.write();
        ByteBuffer framed = ByteBuffer.allocate(HEADER_BYTES + bytes.remaining());
        framed.putInt(bytes.remaining()).putInt(checksum(bytes));
        return framed.putInt(checksum(framed.slice(0, CHECKED_BYTES)))
                .put(bytes)
                .flip();
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.duplicate());
        return (int) checksum.getValue();
    }

    /**
     * Reads a whole file.
     *
     * @param path for messages
     * @return the keys that are left after all changes
     * @throws IOException if it is damaged, or has another layout
     */
    static Map<String, KeyRecord> read(JournalFile file, String path) throws IOException {
        Window window = new Window(file);
        if (!window.has(FILE_HEADER_BYTES) || window.take(FILE_HEADER_BYTES).compareTo(fileHeader()) != 0) {
            throw new IOException(path + " is no journal of keys of version " + VERSION
                    + "; move its folder away to begin without keys");
        }
        Map<String, KeyRecord> kept = new TreeMap<>();
        while (window.has(HEADER_BYTES)) {
            long at = window.offset();
            if (window.isZeroToTheEnd()) {
                break;
            }
            ByteBuffer header = window.take(HEADER_BYTES);
            int length = header.getInt();
            int checksum = header.getInt();
            if (header.getInt() != checksum(header.slice(0, CHECKED_BYTES))
                    || length <= 0
                    || length > MOST_RECORD_BYTES) {
                throw damaged(path, at);
            }
            if (!window.has(length)) {
                break;
            }
            ByteBuffer bytes = window.take(length);
            if (checksum(bytes) != checksum) {
                throw damaged(path, at);
            }
            apply(kept, bytes, path, at);
        }
        return kept;
    }

    private static void apply(Map<String, KeyRecord> kept, ByteBuffer bytes, String path, long at) throws IOException {
        try {
            KeyRecord record = KeyRecord.read(bytes);
            if (record.group() == null) {
                kept.remove(record.name());
            } else {
                kept.put(record.name(), record);
            }
        } catch (MalformedFrameException e) {
            IOException damaged = damaged(path, at);
            damaged.initCause(e);
            throw damaged;
        }
    }

    private static IOException damaged(String path, long at) {
        return new IOException(path + " is damaged at byte " + at + "; cut it there to go on with the changes before"
                + " (truncate -s " + at + " " + path + "), or move its folder away to begin without keys");
    }

    /** The part of a file that is being looked at. */
    private static final class Window {
        private final JournalFile file;
        private final ByteBuffer bytes = ByteBuffer.allocate(WINDOW_BYTES).flip();
        private long end;

        Window(JournalFile file) {
            this.file = file;
        }

        /** Whether so many bytes follow. */
        boolean has(int length) throws IOException {
            if (bytes.remaining() >= length) {
                return true;
            }
            bytes.compact();
            int count;
            do {
                count = file.read(bytes, end);
                end += Math.max(0, count);
            } while (count >= 0 && bytes.hasRemaining());
            bytes.flip();
            return bytes.remaining() >= length;
        }

        ByteBuffer take(int length) {
            ByteBuffer taken = bytes.slice(bytes.position(), length);
            bytes.position(bytes.position() + length);
            return taken;
        }

        long offset() {
            return end - bytes.remaining();
        }

        /** Whether nothing but zeros follows. Does not move the window if something does. */
        boolean isZeroToTheEnd() throws IOException {
            // A header has a length, so not even that is zero.
            if (bytes.getInt(bytes.position()) != 0) {
                return false;
            }
            ByteBuffer rest = ByteBuffer.allocate(WINDOW_BYTES);
            for (long at = offset(); file.read(rest.clear(), at) > 0; at += rest.position()) {
                rest.flip();
                if (rest.mismatch(ByteBuffer.allocate(rest.limit())) >= 0) {
                    return false;
                }
                rest.position(rest.limit());
            }
            return true;
        }
    }
}
