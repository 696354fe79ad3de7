package org.heapspan.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.SerializationStream;
import org.heapspan.GroupWriter;
import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/**
 * Writes records as groups ({@link GroupFraming}). A group leaves when it has reached its size, on {@link #flush} and on {@link #close};
 * a record of any size is in one group. Opening a stream takes nothing before the first record. Not thread-safe.
 */
final class GroupOutput extends SerializationStream {
    private final RecordEngine engine;
    private final OutputStream target;
    private final int groupBytes;
    private @Nullable GroupWriter writer;
    private @Nullable EncodeMeter meter;
    private long largestGroupBytes;
    private boolean closed;

    GroupOutput(RecordEngine engine, OutputStream target) {
        this.engine = engine;
        this.target = target;
        groupBytes = engine.options.groupBytes();
    }

    @Override
    public <T> SerializationStream writeObject(T record, ClassTag<T> tag) {
        GroupWriter open = writer;
        if (open == null) {
            open = open();
        }
        try {
            write(open, record);
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            throw Checked.thrown(e);
        }
        if (open.sizeBytes() >= groupBytes) {
            emit(open);
        }
        return this;
    }

    private void write(GroupWriter open, @Nullable Object record) {
        EncodeMeter measuring = meter();
        long begin = measuring.begin();
        long before = begin == 0 ? 0 : open.sizeBytes();
        // Encoded now: the caller may change the record and write it again.
        open.write(record);
        if (begin != 0) {
            measuring.end(begin, record, open.sizeBytes() - before);
        }
    }

    private EncodeMeter meter() {
        EncodeMeter known = meter;
        if (known == null) {
            known = new EncodeMeter(SerializationCounters.ofCurrentTask());
            meter = known;
        }
        return known;
    }

    private GroupWriter open() {
        if (closed) {
            throw new IllegalStateException("a record is written to a stream that is closed; open another one");
        }
        GroupWriter taken = engine.takeWriter();
        writer = taken;
        return taken;
    }

    private void emit(GroupWriter open) {
        int records = open.recordCount();
        if (records == 0) {
            return;
        }
        largestGroupBytes = Math.max(largestGroupBytes, open.sizeBytes());
        long finishing = SampleClock.now();
        ByteBuffer group = open.finishInPlace();
        meter().groupLeft(records, GroupFraming.LENGTH_BYTES + (long) group.remaining(), finishing);
        try {
            GroupFraming.write(group, target);
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }

    @Override
    public void flush() {
        GroupWriter open = writer;
        if (open != null) {
            emit(open);
        }
        try {
            target.flush();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }

    /** Closes the stream below it too, even if the last group cannot be written. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        GroupWriter open = writer;
        writer = null;
        try (OutputStream closing = target) {
            if (open != null) {
                emit(open);
                engine.giveBack(open, largestGroupBytes);
            }
            closing.flush();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }
}
