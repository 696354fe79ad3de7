package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.NoSuchElementException;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;

/**
 * Cuts a part of a text file into blocks of whole lines. As in Hadoop, a line belongs to the part that has the byte in front of it; the first line of the
 * file belongs to the first part, without a byte order mark. Lines end with {@code \n}. Not thread-safe.
 */
final class LineBlocks extends AbstractIterator<RddBatch> {
    /** The size of a block; a longer line gets a larger one. */
    static final int BLOCK_BYTES = 1 << 20;

    /** How much is read at least when the end of the part is near. */
    private static final int LEAST_READ_BYTES = 64 << 10;

    private static final int LARGEST_BLOCK_BYTES = 1 << 30;

    private static final int MARK_BYTES = 3;

    private final ByteSource source;
    private final long end;
    private final int blockBytes;

    /** Where the source is in the file. */
    private long position;

    /** What is behind the last whole line, and will begin the next block. */
    private @Nullable NativeBatch rest;

    private int restBytes;
    private boolean atStart;
    private boolean skipsFirstLine;
    private boolean done;
    private @Nullable RddBatch next;

    /**
     * A part of a file.
     *
     * @param source is at the beginning of the part
     * @param start of the part, in bytes from the beginning of the file
     * @param end of the part; {@link Long#MAX_VALUE} for all of the file
     */
    LineBlocks(ByteSource source, long start, long end, int blockBytes) {
        this.source = source;
        this.end = end;
        this.blockBytes = blockBytes;
        position = start;
        atStart = start == 0;
        skipsFirstLine = start > 0;
    }

    @Override
    public boolean hasNext() {
        while (next == null && !done) {
            try {
                next = read();
            } catch (IOException e) {
                close();
                throw new UncheckedIOException("the text file cannot be read", e);
            } catch (Throwable e) {
                close();
                throw e;
            }
        }
        return next != null;
    }

    @Override
    public RddBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the part of the file has been read");
        }
        RddBatch block = next;
        next = null;
        return java.util.Objects.requireNonNull(block);
    }

    /** Reads a block; null if what was read has no whole line of this part, or if there are no more. */
    private @Nullable RddBatch read() throws IOException {
        long left = end - position;
        int wanted = (int) Math.max(MARK_BYTES, Math.min(blockBytes, Math.max(left, LEAST_READ_BYTES)));
        long size = Math.max((long) restBytes * 2, (long) restBytes + wanted);
        if (size > LARGEST_BLOCK_BYTES) {
            throw new NativeProgramException(
                    "a line has more than " + restBytes
                            + " bytes, and native programs read lines of up to 512 MB; is this a text file with \\n at the end of lines?");
        }
        NativeBatch block = NativeBatch.allocate(size);
        try {
            if (rest != null) {
                ByteBuffer copied = block.buffer(0, restBytes);
                copied.put(rest.buffer(0, restBytes));
                rest.close();
                rest = null;
            }
            long blockStart = position - restBytes;
            int filled = restBytes;
            restBytes = 0;
            boolean atEnd = false;
            while (filled < size && !atEnd) {
                int count = source.read(block, filled, (int) size - filled);
                atEnd = count < 0;
                filled += Math.max(count, 0);
                position += Math.max(count, 0);
            }
            return cut(block, blockStart, filled, atEnd);
        } finally {
            // A part that is used is a copy, or has a reference of its own.
            block.close();
        }
    }

    private @Nullable RddBatch cut(NativeBatch block, long blockStart, int filled, boolean atEnd) {
        ByteBuffer bytes = block.buffer(0, filled);
        int from = 0;
        if (atStart) {
            atStart = false;
            if (filled >= MARK_BYTES
                    && bytes.get(0) == (byte) 0xEF
                    && bytes.get(1) == (byte) 0xBB
                    && bytes.get(2) == (byte) 0xBF) {
                from = MARK_BYTES;
            }
        }
        if (skipsFirstLine) {
            int newline = find(bytes, 0);
            if (newline < 0) {
                // All of it is of a line of the part before.
                done = atEnd || blockStart + filled > end;
                finishIfDone();
                return null;
            }
            skipsFirstLine = false;
            from = newline + 1;
            if (blockStart + from > end) {
                done = true;
                finishIfDone();
                return null;
            }
        }
        int to;
        if (blockStart + filled > end && find(bytes, (int) Math.max(end - blockStart, from)) >= 0) {
            // The first line that begins behind the end is of the next part.
            to = find(bytes, (int) Math.max(end - blockStart, from)) + 1;
            done = true;
        } else if (atEnd) {
            to = filled;
            done = true;
        } else {
            to = filled;
            while (to > from && bytes.get(to - 1) != '\n') {
                to--;
            }
            keep(bytes, to, filled);
        }
        finishIfDone();
        if (to <= from) {
            return null;
        }
        // Batches begin where memory does.
        return from > 0 ? copy(bytes, from, to) : new RddBatch(block.retain().shrinkTo(to));
    }

    private static int find(ByteBuffer bytes, int from) {
        for (int i = from; i < bytes.limit(); i++) {
            if (bytes.get(i) == '\n') {
                return i;
            }
        }
        return -1;
    }

    private void keep(ByteBuffer bytes, int from, int to) {
        restBytes = to - from;
        NativeBatch kept = NativeBatch.allocate(restBytes);
        kept.buffer(0, restBytes).put(bytes.duplicate().position(from).limit(to));
        rest = kept;
    }

    private static RddBatch copy(ByteBuffer bytes, int from, int to) {
        NativeBatch lines = NativeBatch.allocate(to - from);
        lines.buffer(0, to - from).put(bytes.duplicate().position(from).limit(to));
        return new RddBatch(lines);
    }

    private void finishIfDone() {
        if (done) {
            close();
        }
    }

    /** Ends the reading, also before the end. */
    void close() {
        done = true;
        if (rest != null) {
            rest.close();
            rest = null;
            restBytes = 0;
        }
        if (next != null) {
            next.close();
            next = null;
        }
        try {
            source.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
