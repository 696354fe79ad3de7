package org.heapspan.spark;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.spark.serializer.DeserializationStream;
import org.heapspan.GroupReader;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/**
 * Reads records that {@link GroupOutput} wrote, a group at a time; at the end of the stream an {@link EOFException}, as Spark wants it,
 * and only there: a stream that ends early is an error. Not thread-safe.
 */
final class GroupInput extends DeserializationStream {
    private final RecordEngine engine;
    private final InputStream source;
    private final DecodeMeter meter = new DecodeMeter(SerializationCounters.ofCurrentTask());
    private @Nullable GroupReader group;

    /** How many bytes were read, and how many before the group. */
    private long offset;

    private long groupOffset;

    GroupInput(RecordEngine engine, InputStream source) {
        this.engine = engine;
        this.source = source;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Spark's types promise what was written; null for null.
    public <T> T readObject(ClassTag<T> tag) {
        try {
            GroupReader open = group;
            while (open == null || !open.hasNext()) {
                open = nextGroup();
            }
            long begin = meter.begin();
            Object record = open.next();
            if (begin != 0) {
                meter.end(begin);
            }
            return (T) record;
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            throw located(e);
        }
    }

    private HeapspanException located(HeapspanException e) {
        return group != null && e.category() == Category.MALFORMED ? GroupFraming.located(e, groupOffset) : e;
    }

    private GroupReader nextGroup() {
        // Dropped before the next one is read: one group is in memory at a time.
        group = null;
        try {
            byte[] bytes = GroupFraming.read(source, offset);
            if (bytes == null) {
                meter.flush();
                throw new EOFException("the stream has no further record");
            }
            groupOffset = offset;
            long groupBytes = GroupFraming.LENGTH_BYTES + (long) bytes.length;
            offset += groupBytes;
            long opening = SampleClock.now();
            GroupReader opened = open(bytes);
            meter.groupOpened(groupBytes, opening);
            group = opened;
            return opened;
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }

    private GroupReader open(byte[] bytes) {
        try {
            return engine.read(bytes);
        } catch (HeapspanException e) {
            throw GroupFraming.located(e, groupOffset);
        }
    }

    @Override
    public void close() {
        group = null;
        meter.flush();
        try {
            source.close();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }
}
