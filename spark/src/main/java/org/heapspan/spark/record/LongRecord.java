package org.heapspan.spark.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.spark.heapspan.SizeRules;
import org.heapspan.HeapspanException;
import org.heapspan.spark.statistics.EncodedClasses;
import org.heapspan.spark.statistics.SampleClock;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.jspecify.annotations.Nullable;

/**
 * A record with a long image ({@link RecordEngine#isLong}). It is written frame by frame, to a stream or to memory in pieces, so that it takes
 * little more memory than its frames, or than its pieces. The pieces are the bytes of {@link GroupFraming}, with the mark before them.
 */
final class LongRecord {
    private static final int FIRST_PIECE_BYTES = 16 << 10;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int PIECE_OBJECT_BYTES = 24; // header and entry in the list
    private static final int LEAST_STREAMED_BYTES = 1 << 20;
    /** What Spark broadcasts for a value of Python: a file of any length. */
    private static final String PYTHON_BROADCAST = "org.apache.spark.api.python.PythonBroadcast";

    private final List<byte[]> pieces = new ArrayList<>();
    private long bytes;

    private LongRecord() {}

    /** Whether a record is a long array of primitives, or a long string: one of more than a megabyte always is. */
    static boolean isLongByItself(@Nullable Object record) {
        if (record instanceof String text) {
            return text.length() > LEAST_STREAMED_BYTES;
        } else if (record instanceof byte[] bytes) {
            return bytes.length > LEAST_STREAMED_BYTES;
        } else if (record == null || !record.getClass().isArray()) {
            return false;
        }
        // An element has at most 8 bytes. Arrays of strings are written into memory.
        return record.getClass().getComponentType().isPrimitive()
                && Array.getLength(record) > LEAST_STREAMED_BYTES / Long.BYTES;
    }

    /**
     * Whether a record is something that Spark broadcasts for itself and that may be long: a value of Python, or a relation for a join, which knows its size. Their
     * methods log each failure as an error. So they are not written to a group first, where a long record fails.
     */
    static boolean isBroadcastOfSpark(@Nullable Object record) {
        if (record == null) {
            return false;
        }
        Class<?> type = record.getClass();
        return type.getName().equals(PYTHON_BROADCAST)
                || SizeRules.areTold(type) && SizeRules.toldBytes(record) > LEAST_STREAMED_BYTES;
    }

    /**
     * Writes a record to a stream.
     *
     * @return how many bytes it has there
     */
    static long write(@Nullable Object record, RecordEngine engine, OutputStream target) throws IOException {
        Counting counting = new Counting(target);
        long begin = SampleClock.now();
        try {
            GroupFraming.writeLongRecord(counting);
            engine.encodeTo(record, counting);
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            throw Checked.thrown(e);
        }
        SerializationCounters.ofCurrentTask().encoded(1, counting.count, SampleClock.elapsed(begin));
        EncodedClasses.add(record, 1, counting.count);
        return counting.count;
    }

    /**
     * Writes a record to memory.
     *
     * @param memory is asked whether the record may take so many bytes
     * @return null if it may not
     */
    static @Nullable LongRecord of(@Nullable Object record, RecordEngine engine, LongPredicate memory) {
        LongRecord written = new LongRecord();
        Pieces pieces = new Pieces(written.pieces, memory);
        try {
            written.bytes = write(record, engine, pieces);
        } catch (NoMemory e) {
            return null;
        } catch (IOException e) {
            // Also what says that an object cannot be serialized, which Spark must see.
            throw Checked.thrown(e);
        }
        pieces.end();
        return written;
    }

    /** How long it is. */
    long sizeBytes() {
        return bytes;
    }

    long memoryBytes() {
        return bytes + (long) pieces.size() * PIECE_OBJECT_BYTES;
    }

    void writeTo(OutputStream target) throws IOException {
        for (byte[] piece : pieces) {
            target.write(piece, 0, piece.length);
        }
    }

    /**
     * Reads a record behind its mark.
     *
     * @param offset of the mark in the stream, for messages
     * @return the record, and how many bytes its image has
     */
    static Read read(RecordEngine engine, InputStream source, long offset) throws IOException {
        CountingInput counting = new CountingInput(source);
        long begin = SampleClock.now();
        Object record;
        try {
            record = engine.decodeFrom(counting);
        } catch (HeapspanException e) {
            throw e.category() == HeapspanException.Category.MALFORMED ? GroupFraming.located(e, offset) : e;
        }
        SerializationCounters.ofCurrentTask().decoded(1, counting.count, SampleClock.elapsed(begin));
        return new Read(record, counting.count);
    }

    record Read(@Nullable Object record, long imageBytes) {}

    private static final class Counting extends OutputStream {
        private final OutputStream target;
        private long count;

        Counting(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            target.write(value);
            count++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target.write(bytes, offset, length);
            count += length;
        }
    }

    private static final class CountingInput extends InputStream {
        private final InputStream source;
        private long count;

        CountingInput(InputStream source) {
            this.source = source;
        }

        @Override
        public int read() throws IOException {
            int value = source.read();
            count += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = source.read(target, offset, length);
            count += Math.max(0, read);
            return read;
        }
    }

    /** Says that a record may not take more memory. */
    private static final class NoMemory extends IOException {
        private static final long serialVersionUID = 1;

        NoMemory(long bytes) {
            super("there is no memory for " + bytes + " bytes of a record");
        }
    }

    /** Memory in pieces. The first is small, because the record may turn out to be short. */
    private static final class Pieces extends OutputStream {
        private final List<byte[]> full;
        private final LongPredicate memory;
        private byte[] piece = {};
        private int count;
        private long fullBytes;

        Pieces(List<byte[]> full, LongPredicate memory) {
            this.full = full;
            this.memory = memory;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int done = 0;
            while (done < length) {
                if (count == piece.length) {
                    begin();
                }
                int portion = Math.min(length - done, piece.length - count);
                System.arraycopy(bytes, offset + done, piece, count, portion);
                count += portion;
                done += portion;
            }
        }

        private void begin() throws IOException {
            int nextBytes = count == 0 ? FIRST_PIECE_BYTES : PIECE_BYTES;
            long neededBytes = fullBytes + count + nextBytes;
            if (!memory.test(neededBytes)) {
                throw new NoMemory(neededBytes);
            }
            byte[] next = new byte[nextBytes];
            if (count > 0) {
                full.add(piece);
                fullBytes += count;
            }
            piece = next;
            count = 0;
        }

        void end() {
            full.add(Arrays.copyOf(piece, count));
        }
    }
}
