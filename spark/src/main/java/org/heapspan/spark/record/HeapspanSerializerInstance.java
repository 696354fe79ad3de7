package org.heapspan.spark.record;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.spark.statistics.EncodedClasses;
import org.heapspan.spark.statistics.SampleClock;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/** Costs an object; see {@link RecordEngine}. */
public final class HeapspanSerializerInstance extends SerializerInstance {
    private final RecordEngine engine;

    /** Whether long arrays and strings are written as they are read, and not into memory first. */
    private final boolean streamsLongRecords;

    public HeapspanSerializerInstance(RecordEngine engine) {
        this(engine, false);
    }

    private HeapspanSerializerInstance(RecordEngine engine, boolean streamsLongRecords) {
        this.engine = engine;
        this.streamsLongRecords = streamsLongRecords;
    }

    /** One for blocks of arrays, which may be long: Spark's own serializer of these takes no memory for them either. */
    public static HeapspanSerializerInstance ofPlainBlocks(RecordEngine engine) {
        return new HeapspanSerializerInstance(engine, true);
    }

    @Override
    public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
        try {
            long begin = SampleClock.now();
            byte[] image = engine.encode(value);
            SerializationCounters.ofCurrentTask().encoded(1, image.length, SampleClock.elapsed(begin));
            EncodedClasses.add(value, 1, image.length);
            return ByteBuffer.wrap(image);
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            throw Checked.thrown(e);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Spark's types promise what was written; null for null.
    public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
        return (T) decode(engine, bytes);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // As above.
    public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
        RecordEngine chosen = engine.isFor(loader) ? engine : RecordEngine.of(engine.options, loader);
        return (T) decode(chosen, bytes);
    }

    private static @Nullable Object decode(RecordEngine engine, ByteBuffer bytes) {
        byte[] image = remainingBytes(bytes);
        try {
            long begin = SampleClock.now();
            Object value = engine.decode(image);
            SerializationCounters.ofCurrentTask().decoded(1, image.length, SampleClock.elapsed(begin));
            return value;
        } catch (HeapspanException e) {
            SerializationFailures.add(e);
            throw e;
        }
    }

    /** The bytes from position to limit, which stay as they are: Spark may read a buffer again. */
    private static byte[] remainingBytes(ByteBuffer bytes) {
        if (bytes.hasArray()
                && bytes.arrayOffset() + bytes.position() == 0
                && bytes.remaining() == bytes.array().length) {
            return bytes.array();
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return copy;
    }

    @Override
    public SerializationStream serializeStream(OutputStream target) {
        return new GroupOutput(engine, target, streamsLongRecords);
    }

    @Override
    public DeserializationStream deserializeStream(InputStream source) {
        return new GroupInput(engine, source);
    }
}
