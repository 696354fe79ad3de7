package org.heapspan.exchange.keeper;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import org.heapspan.exchange.keeper.JournalFiles.JournalFile;
import org.heapspan.exchange.wire.KeyRecord;

/** Fills a new journal. For one thread. */
final class JournalWriter {
    private static final int BLOCK_BYTES = 256 << 10;

    private final JournalFile file;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    private long written;

    JournalWriter(JournalFile file) {
        this.file = file;
    }

    /** The header, and keys. */
    void begin(Collection<KeyRecord> keys) throws IOException {
        add(JournalLayout.fileHeader());
        for (KeyRecord each : keys) {
            add(JournalLayout.framed(each));
        }
    }

    private void add(ByteBuffer bytes) throws IOException {
        if (block.remaining() < bytes.remaining()) {
            flush();
        }
        block.put(bytes);
    }

    /** A part of another journal. */
    void copy(JournalFile other, long begin, long end) throws IOException {
        flush();
        long at = begin;
        while (at < end) {
            block.limit((int) Math.min(BLOCK_BYTES, end - at));
            int count = other.read(block, at);
            if (count <= 0) {
                throw new EOFException("the journal of keys has " + at + " bytes, expected " + end);
            }
            at += count;
            flush();
        }
    }

    /** Writes what was added. */
    void flush() throws IOException {
        int length = block.flip().remaining();
        if (length > 0) {
            file.write(block, written);
        }
        written += length;
        block.clear();
    }

    /** How long the file is. */
    long end() {
        return written + block.position();
    }
}
