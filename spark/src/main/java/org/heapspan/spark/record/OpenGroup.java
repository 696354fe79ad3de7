package org.heapspan.spark.record;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.heapspan.GroupWriter;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.spark.statistics.EncodeMeter;
import org.heapspan.spark.statistics.SampleClock;
import org.heapspan.spark.statistics.SerializationFailures;
import org.jspecify.annotations.Nullable;

/** A group that records are written to, and how much memory it takes. For one thread at a time. */
final class OpenGroup {
    /** A writer without its buffer: tables of types and objects, and what it has learned of its records. */
    private static final int WRITER_BYTES = 4 << 10;

    /** The buffer begins with so much and doubles. */
    private static final int FIRST_BUFFER_BYTES = 4 << 10;

    private final GroupWriter writer;
    private final @Nullable UUID registry;
    private long bufferBytes = FIRST_BUFFER_BYTES;

    /**
     * Opens a group.
     *
     * @param registry identity of the registry by which the writer numbers classes; null if it describes them
     */
    OpenGroup(GroupWriter writer, @Nullable UUID registry) {
        this.writer = writer;
        this.registry = registry;
    }

    /**
     * Adds a record, which may be changed afterwards.
     *
     * @return false if it is a {@link LongRecord}. The group has the records that it had before, and keeps memory for one that is long: drop it
     */
    boolean write(@Nullable Object record, EncodeMeter meter) {
        int records = writer.recordCount();
        try {
            long begin = meter.begin();
            if (begin == 0) {
                writer.write(record);
                return true;
            }
            long before = writer.sizeBytes();
            writer.write(record);
            meter.end(begin, record, writer.sizeBytes() - before);
            return true;
        } catch (HeapspanException e) {
            // With fewer records the group is lost, and they with it.
            if (e.category() == Category.LIMIT && writer.recordCount() == records) {
                return false;
            }
            SerializationFailures.add(e);
            throw Checked.thrown(e);
        }
    }

    boolean isEmpty() {
        return writer.recordCount() == 0;
    }

    /** What the group would have now. */
    long sizeBytes() {
        return writer.sizeBytes();
    }

    /**
     * Ends the group and begins the next; the bytes are valid until something is written.
     *
     * @param checked whether it needs a checksum, however short it is
     */
    FramedGroup finishInPlace(boolean checked, EncodeMeter meter) {
        noteSize();
        int records = writer.recordCount();
        long finishing = SampleClock.now();
        return left(FramedGroup.of(writer.finishInPlace(), registry, checked), records, finishing, meter);
    }

    /** Ends the group and begins the next. */
    FramedGroup finish(EncodeMeter meter) {
        noteSize();
        int records = writer.recordCount();
        long finishing = SampleClock.now();
        return left(FramedGroup.of(ByteBuffer.wrap(writer.finish()), registry, true), records, finishing, meter);
    }

    private static FramedGroup left(FramedGroup group, int records, long finishing, EncodeMeter meter) {
        meter.groupLeft(records, group.sizeBytes(), finishing);
        return group;
    }

    /** Takes note of what the group has, for {@link #bufferBytes}. */
    void noteSize() {
        long sizeBytes = writer.sizeBytes();
        while (bufferBytes < sizeBytes) {
            bufferBytes *= 2;
        }
    }

    /** How large the group may become before it takes more memory. */
    long bufferBytes() {
        return bufferBytes;
    }

    /** How much memory it takes, with room for what was once written. */
    long memoryBytes() {
        return WRITER_BYTES + bufferBytes;
    }
}
