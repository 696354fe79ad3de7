package org.heapspan.benchmarks.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.util.io.ChunkedByteBufferOutputStream;
import scala.reflect.ClassTag;

/**
 * Costs next to nothing: a stream holds numbers, and the objects wait in a table of this JVM until they are asked for. What a job takes with
 * it is the least that any serializer could reach. Right only if one executor writes and reads, records are not reused, and nothing is kept
 * in serialized form; task results and what the driver sends go by Java serialization.
 */
public final class HandOverSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1;
    private static final ConcurrentHashMap<Long, Object[]> WAITING = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final int RECORDS = 1024;
    private static final int HANDED_OVER = 0;
    private static final int SERIALIZED = 1;

    /** Called by Spark. */
    public HandOverSerializer(SparkConf conf) {}

    @Override
    public SerializerInstance newInstance() {
        return new Instance(new JavaSerializer(new SparkConf(false)).newInstance());
    }

    private static final class Instance extends SerializerInstance {
        private final SerializerInstance values;

        Instance(SerializerInstance values) {
            this.values = values;
        }

        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            return values.serialize(value, tag);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            return values.deserialize(bytes, tag);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            return values.deserialize(bytes, loader, tag);
        }

        @Override
        public SerializationStream serializeStream(OutputStream target) {
            // Memory, uncompressed: a result of a task or a broadcast, which the other side reads in another JVM.
            boolean handsOver = !(target instanceof ChunkedByteBufferOutputStream)
                    && !SparkEnv.get().executorId().equals("driver");
            try {
                target.write(handsOver ? HANDED_OVER : SERIALIZED);
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
            return handsOver ? new Output(new DataOutputStream(target)) : values.serializeStream(target);
        }

        @Override
        public DeserializationStream deserializeStream(InputStream source) {
            try {
                // Nothing at all: Spark puts no stream where there are no records.
                return source.read() == SERIALIZED
                        ? values.deserializeStream(source)
                        : new Input(new DataInputStream(source));
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
        }
    }

    private static final class Output extends PeerStreams.Output<DataOutputStream> {
        private Object[] records = new Object[RECORDS];
        private int count;

        Output(DataOutputStream target) {
            super(target);
        }

        @Override
        public <T> SerializationStream writeObject(T record, ClassTag<T> tag) {
            records[count++] = record;
            if (count == RECORDS) {
                emit();
            }
            return this;
        }

        private void emit() {
            if (count == 0) {
                return;
            }
            long number = NUMBERS.incrementAndGet();
            WAITING.put(number, records);
            try {
                target.writeInt(count);
                target.writeLong(number);
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
            records = new Object[RECORDS];
            count = 0;
        }

        @Override
        public void flush() {
            emit();
            super.flush();
        }

        @Override
        public void close() {
            emit();
            super.close();
        }
    }

    private static final class Input extends PeerStreams.Input<DataInputStream> {
        private Object[] records = new Object[0];
        private int next;
        private int count;

        Input(DataInputStream source) {
            super(source);
        }

        @Override
        @SuppressWarnings("unchecked") // Spark's types promise what was written.
        public <T> T readObject(ClassTag<T> tag) {
            if (next == count) {
                fill();
            }
            return (T) records[next++];
        }

        private void fill() {
            try {
                // EOFException at the end, as Spark wants it.
                count = source.readInt();
                records = WAITING.remove(source.readLong());
                next = 0;
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
        }
    }
}
