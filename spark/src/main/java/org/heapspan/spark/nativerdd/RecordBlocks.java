package org.heapspan.spark.nativerdd;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import org.heapspan.nativerdd.NativeBatch;
import scala.collection.AbstractIterator;

/** Cuts a part of a file into blocks of whole records of equal size. Not thread-safe. */
final class RecordBlocks extends AbstractIterator<RddBatch> {
    private static final int BLOCK_BYTES = 1 << 20;

    private final ByteSource source;
    private final long recordBytes;
    private long leftBytes;

    /**
     * A part of a file.
     *
     * @param source is where the records of the part begin
     * @param leftBytes of the records of the part
     */
    RecordBlocks(ByteSource source, long leftBytes, long recordBytes) {
        this.source = source;
        this.leftBytes = leftBytes;
        this.recordBytes = recordBytes;
    }

    @Override
    public boolean hasNext() {
        return leftBytes > 0;
    }

    @Override
    public RddBatch next() {
        if (leftBytes == 0) {
            throw new NoSuchElementException("the part of the file has been read");
        }
        long size = Math.min(leftBytes, Math.max(BLOCK_BYTES / recordBytes, 1) * recordBytes);
        NativeBatch block = NativeBatch.allocate(size);
        try {
            for (long filled = 0; filled < size; ) {
                int count = source.read(block, filled, (int) Math.min(size - filled, BLOCK_BYTES));
                if (count < 0) {
                    throw new EOFException("the file of records became shorter while it was read");
                }
                filled += count;
            }
        } catch (IOException e) {
            block.close();
            throw new UncheckedIOException("the file of records cannot be read", e);
        }
        leftBytes -= size;
        return new RddBatch(block);
    }
}
