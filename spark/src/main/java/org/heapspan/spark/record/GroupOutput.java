package org.heapspan.spark.record;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.serializer.SerializationStream;
import org.heapspan.spark.statistics.EncodeMeter;
import org.heapspan.spark.statistics.SerializationCounters;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.reflect.ClassTag;

/**
 * Writes records as groups ({@link GroupFraming}). A group leaves when it has reached its size, on {@link #flush} and on {@link #close}. A record
 * that is too long for a group leaves as a {@link LongRecord}. {@link #close} also writes the mark without which a reader takes the stream for cut
 * off. A key and its value are one record, a pair, so that what both refer to stays shared. Opening a stream takes nothing before the first
 * record. Not thread-safe.
 */
final class GroupOutput extends SerializationStream {
    private final RecordEngine engine;
    private final OutputStream target;
    private final int groupBytes;
    private final boolean streamsLongRecords;
    private @Nullable OpenGroup group;
    private @Nullable EncodeMeter meter;
    private boolean closed;

    /** A group was lost, so that no mark may say that the stream is complete. */
    private boolean incomplete;

    /** The latest record was long, so that the next one is not tried in a group first. */
    private boolean expectsLongRecord;

    /** A key waits for its value. */
    private boolean hasKey;

    private @Nullable Object key;

    GroupOutput(RecordEngine engine, OutputStream target) {
        this(engine, target, false);
    }

    /**
     * The same.
     *
     * @param streamsLongRecords whether a long array or string is a {@link LongRecord}, which takes no memory of its length
     */
    GroupOutput(RecordEngine engine, OutputStream target, boolean streamsLongRecords) {
        this.engine = engine;
        this.target = target;
        this.streamsLongRecords = streamsLongRecords;
        groupBytes = engine.options.groupBytes();
    }

    @Override
    public <T> SerializationStream writeObject(T record, ClassTag<T> tag) {
        checkNoKey("a record is written");
        write(record);
        return this;
    }

    @Override
    public <T> SerializationStream writeKey(T newKey, ClassTag<T> tag) {
        checkNoKey("another key is written");
        key = newKey;
        hasKey = true;
        return this;
    }

    @Override
    public <T> SerializationStream writeValue(T value, ClassTag<T> tag) {
        if (!hasKey) {
            throw new IllegalStateException("a value was written without its key; write the key before it");
        }
        Tuple2<@Nullable Object, T> pair = new Tuple2<>(key, value);
        key = null;
        hasKey = false;
        write(pair);
        return this;
    }

    private void checkNoKey(String what) {
        if (hasKey) {
            throw new IllegalStateException(what + " before the value of the previous key; write the value first");
        }
    }

    private void write(@Nullable Object record) {
        OpenGroup open = group;
        if (open == null) {
            open = open();
        }
        if (expectsLongRecord
                || streamsLongRecords && LongRecord.isLongByItself(record)
                || open.isEmpty() && LongRecord.isBroadcastOfSpark(record)) {
            emit(open);
            writeLong(record);
            return;
        }
        // Encoded now: the caller may change the record and write it again.
        if (!open.write(record, meter())) {
            emit(open);
            group = null;
            writeLong(record);
            return;
        }
        if (open.sizeBytes() >= groupBytes) {
            emit(open);
        }
    }

    private void writeLong(@Nullable Object record) {
        boolean written = false;
        try {
            expectsLongRecord = engine.isLong(LongRecord.write(record, engine, target));
            written = true;
        } catch (IOException e) {
            throw Checked.thrown(e);
        } finally {
            incomplete |= !written;
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

    private OpenGroup open() {
        if (closed) {
            throw new IllegalStateException("a record was written to a closed stream; open another one");
        }
        OpenGroup taken = engine.takeGroup();
        group = taken;
        return taken;
    }

    private void emit(OpenGroup open) {
        if (open.isEmpty()) {
            return;
        }
        boolean written = false;
        try {
            open.finishInPlace(true, meter()).writeTo(target);
            written = true;
        } catch (IOException e) {
            throw Checked.thrown(e);
        } finally {
            incomplete |= !written;
        }
    }

    @Override
    public void flush() {
        checkNoKey("the stream is flushed");
        OpenGroup open = group;
        if (open != null) {
            emit(open);
        }
        try {
            target.flush();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }

    /** Ends the stream with its mark, and closes the stream below it too, even if the last group cannot be written. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        OpenGroup open = group;
        group = null;
        try (OutputStream closing = target) {
            boolean complete = !incomplete && !hasKey;
            if (open != null && complete && !open.isEmpty()) {
                open.finishInPlace(true, meter()).writeLastTo(closing);
            } else {
                if (open != null) {
                    emit(open);
                }
                if (complete) {
                    GroupFraming.writeEnd(closing);
                }
            }
            if (open != null) {
                engine.giveBack(open);
            }
            checkNoKey("the stream is closed");
            closing.flush();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }
}
