package org.heapspan.spark.nativerdd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;

/** How the buffers of columns lie in a batch; as in batch.h. */
final class BatchParts {
    private static final int WORD_BYTES = Long.BYTES;

    /** The highest byte says how many bytes numbers have, which only compression is interested in. */
    private static final long LENGTH_MASK = (1L << 56) - 1;

    private BatchParts() {}

    static NativeProgramException damaged() {
        return new NativeProgramException(
                "a batch of a native program is damaged: it does not have the buffers that its type says");
    }

    private static long aligned(long size) {
        return (size + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    }

    /** Collects buffers. */
    static final class Writer {
        private static final byte[] ZEROS = new byte[WORD_BYTES];

        private final List<GrowingBytes> parts = new ArrayList<>();

        void add(GrowingBytes part) {
            parts.add(part);
        }

        static RddBatch write(ValueColumn column) {
            Writer writer = new Writer();
            column.write(writer);
            return new RddBatch(writer.finish(column.rows()));
        }

        private NativeBatch finish(int rows) {
            ByteBuffer header =
                    ByteBuffer.allocate((2 + parts.size()) * WORD_BYTES).order(ByteOrder.nativeOrder());
            header.putLong(rows).putLong(parts.size());
            long size = header.capacity();
            for (GrowingBytes part : parts) {
                header.putLong(part.size());
                size += aligned(part.size());
            }
            NativeBatch batch = NativeBatch.allocate(size);
            batch.put(0, header.array(), 0, header.capacity());
            long at = header.capacity();
            for (GrowingBytes part : parts) {
                batch.put(at, part.bytes().array(), 0, part.size());
                long end = at + aligned(part.size());
                at += part.size();
                batch.put(at, ZEROS, 0, (int) (end - at));
                at = end;
            }
            return batch;
        }
    }

    /** Gives out buffers. Trusts no length. */
    static final class Reader {
        private final ByteBuffer batch;
        private final long count;
        private long taken;
        private long next;

        private Reader(byte[] bytes) {
            batch = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            if (bytes.length < 2 * WORD_BYTES || bytes.length % WORD_BYTES != 0) {
                throw damaged();
            }
            count = batch.getLong(WORD_BYTES);
            if (count < 0 || count > bytes.length / WORD_BYTES - 2) {
                throw damaged();
            }
            next = (2 + count) * WORD_BYTES;
        }

        /** Fills a column with the contents of a batch. */
        static void read(ValueColumn column, byte[] bytes) {
            Reader reader = new Reader(bytes);
            long rows = reader.batch.getLong(0);
            // No element takes less than a bit.
            if (rows < 0 || rows > (long) bytes.length * Byte.SIZE || rows > Integer.MAX_VALUE - 1) {
                throw damaged();
            }
            column.read(reader, (int) rows);
            if (reader.taken != reader.count || reader.next != bytes.length) {
                throw damaged();
            }
        }

        /** The next buffer, which must have this size. */
        ByteBuffer take(long sizeBytes) {
            ByteBuffer part = takeAny();
            if (part.limit() != sizeBytes) {
                throw damaged();
            }
            return part;
        }

        ByteBuffer takeAny() {
            if (taken == count) {
                throw damaged();
            }
            long size = batch.getLong((int) (2 + taken) * WORD_BYTES) & LENGTH_MASK;
            if (size > batch.limit() - next) {
                throw damaged();
            }
            ByteBuffer part = batch.slice((int) next, (int) size);
            taken++;
            next += aligned(size);
            return part;
        }
    }
}
