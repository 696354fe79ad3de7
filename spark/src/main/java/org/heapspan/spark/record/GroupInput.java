package org.heapspan.spark.record;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.heapspan.GroupReader;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.spark.statistics.SampleClock;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.reflect.ClassTag;

/**
 * Reads records that {@link GroupOutput} wrote, a group at a time, of one stream or several one behind the other; at the end of the last one
 * an {@link EOFException}, as Spark wants it, and only there: a stream that ends early is an error. The records of a group are made together. Not thread-safe.
 */
final class GroupInput extends DeserializationStream {
    private static final @Nullable Object[] NO_RECORDS = {};

    private final RecordEngine engine;
    private final InputStream source;
    private final byte[] prefixBytes = new byte[GroupFraming.LENGTH_BYTES];

    /** The records of the group that is open, which stay reachable until the next one's are there. */
    private @Nullable Object[] records = NO_RECORDS;

    private int next;

    /** The pair whose key was read and whose value was not. */
    private @Nullable Tuple2<?, ?> pair;

    /** Why the stream cannot be read further. */
    private @Nullable HeapspanException failure;

    /** The records that are left, if this is no stream of groups, but one of Java serialization. */
    private @Nullable Iterator<Object> ofJava;

    /** How many bytes were read. */
    private long offset;

    /** Whether the last of them are the mark of an end. */
    private boolean ended;

    GroupInput(RecordEngine engine, InputStream source) {
        this.engine = engine;
        this.source = source;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Spark's types promise what was written; null for null.
    public <T> T readObject(ClassTag<T> tag) {
        return (T) nextRecord();
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // As above.
    public <T> T readKey(ClassTag<T> tag) {
        Object record = nextRecord();
        if (!(record instanceof Tuple2<?, ?> read)) {
            throw new IllegalStateException("a key was requested, but the record is not a pair of key and value, but "
                    + (record == null ? "null" : "a " + record.getClass().getName()) + "; read it by readObject");
        }
        pair = read;
        return (T) read._1();
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // As above.
    public <T> T readValue(ClassTag<T> tag) {
        Tuple2<?, ?> read = pair;
        if (read == null) {
            throw new IllegalStateException("a value was requested before its key; read the key first");
        }
        pair = null;
        return (T) read._2();
    }

    private @Nullable Object nextRecord() {
        if (!hasNext()) {
            throw Checked.thrown(new EOFException("the stream has no further record"));
        }
        return records[next++];
    }

    private boolean hasNext() {
        while (next == records.length) {
            if (!readGroup()) {
                return false;
            }
        }
        return true;
    }

    /** Reads the next group, if there is one. */
    private boolean readGroup() {
        HeapspanException before = failure;
        if (before != null) {
            throw before;
        }
        // Dropped before the next ones are made: one group is in memory at a time.
        records = NO_RECORDS;
        next = 0;
        if (ofJava != null) {
            return readJava(ofJava);
        }
        try {
            int prefix = readPrefix();
            if (prefix == GroupFraming.JAVA) {
                Iterator<Object> begun = JavaStream.records(engine, source);
                ofJava = begun;
                return readJava(begun);
            }
            if (prefix == GroupFraming.END_OF_SOURCE) {
                return false;
            }
            long groupOffset = offset;
            if (prefix == GroupFraming.LONG_RECORD) {
                LongRecord.Read read = LongRecord.read(engine, source, groupOffset);
                offset = groupOffset + GroupFraming.LENGTH_BYTES + read.imageBytes();
                records = new Object[] {read.record()};
                return true;
            }
            if (PlainPairs.isPrefix(prefix)) {
                readPairs(prefix, groupOffset);
                return true;
            }
            byte[] group;
            int imageBytes;
            if (FramedGroup.isShort(prefix)) {
                group = GroupFraming.readShort(source, prefix, engine, groupOffset);
                imageBytes = FramedGroup.imageBytes(prefix);
                offset = groupOffset + FramedGroup.sizeBytes(prefix);
                ended = FramedGroup.isLast(prefix);
            } else {
                group = GroupFraming.read(source, prefix, engine, groupOffset);
                imageBytes = prefix;
                offset = groupOffset + GroupFraming.LENGTH_BYTES + prefix;
            }
            long groupBytes = offset - groupOffset;
            long begin = SampleClock.now();
            records = recordsOf(ByteBuffer.wrap(group, 0, imageBytes), groupOffset);
            SerializationCounters.ofCurrentTask()
                    .decoded(records.length, groupBytes, SampleClock.sample(begin, groupBytes));
            engine.giveBack(group);
            return true;
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            failure = e;
            throw e;
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }

    private boolean readJava(Iterator<Object> left) {
        boolean read = left.hasNext();
        if (read) {
            records = new Object[] {left.next()};
        }
        return read;
    }

    private void readPairs(int prefix, long groupOffset) throws IOException {
        long begin = SampleClock.now();
        PlainPairs pairs = PlainPairs.read(prefix, source, engine, groupOffset);
        records = pairs.records();
        offset = groupOffset + pairs.sizeBytes();
        ended = pairs.isLast();
        SerializationCounters.ofCurrentTask()
                .decoded(records.length, pairs.sizeBytes(), SampleClock.sample(begin, pairs.sizeBytes()));
    }

    /** What the next group begins with, of whichever stream, or that there is none. */
    private int readPrefix() throws IOException {
        int prefix = GroupFraming.readPrefix(source, prefixBytes, offset, ended);
        while (prefix == GroupFraming.END_OF_STREAM) {
            ended = true;
            offset += GroupFraming.LENGTH_BYTES;
            prefix = GroupFraming.readPrefix(source, prefixBytes, offset, true);
        }
        ended &= prefix == GroupFraming.END_OF_SOURCE;
        return prefix;
    }

    private @Nullable Object[] recordsOf(ByteBuffer group, long groupOffset) {
        GroupReader reader;
        try {
            reader = engine.read(group);
        } catch (HeapspanException e) {
            throw GroupFraming.located(e, groupOffset);
        }
        try {
            return reader.readAll();
        } catch (HeapspanException e) {
            throw e.category() == Category.MALFORMED ? GroupFraming.located(e, groupOffset) : e;
        }
    }

    @Override
    public Iterator<Object> asIterator() {
        return new Records<>();
    }

    @Override
    public Iterator<Tuple2<Object, Object>> asKeyValueIterator() {
        return new Records<>();
    }

    /** What is left, and the end of the stream when nothing is. */
    private final class Records<T> extends AbstractIterator<T> {
        private boolean exhausted;

        @Override
        public boolean hasNext() {
            if (next < records.length) {
                return true;
            }
            if (exhausted) {
                return false;
            }
            exhausted = !GroupInput.this.hasNext();
            if (exhausted) {
                close();
            }
            return !exhausted;
        }

        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // Spark's types promise what was written; null for null.
        public T next() {
            if (!hasNext()) {
                throw new java.util.NoSuchElementException("the stream has no further record");
            }
            return (T) records[next++];
        }
    }

    @Override
    public void close() {
        records = NO_RECORDS;
        next = 0;
        pair = null;
        try {
            source.close();
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }
}
