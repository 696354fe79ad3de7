package org.heapspan.spark;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import scala.reflect.ClassTag;

/** Costs an object; see {@link RecordEngine}. */
final class HeapspanSerializerInstance extends SerializerInstance {
    private final RecordEngine engine;

    HeapspanSerializerInstance(RecordEngine engine) {
        this.engine = engine;
    }

    @Override
    public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
        try {
            return ByteBuffer.wrap(engine.encode(value));
        } catch (HeapspanException e) {
            throw Checked.thrown(e);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Spark's types promise what was written; null for null.
    public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
        return (T) engine.decode(remainingBytes(bytes));
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // As above.
    public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
        RecordEngine chosen = engine.isFor(loader) ? engine : RecordEngine.of(engine.options, loader);
        return (T) chosen.decode(remainingBytes(bytes));
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
        return new GroupOutput(engine, target);
    }

    @Override
    public DeserializationStream deserializeStream(InputStream source) {
        return new GroupInput(engine, source);
    }
}
