package org.heapspan.benchmarks.spark;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.memory.MemoryUtils;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/**
 * Apache Fory as a serializer of Spark: each record behind its length, one Fory for each thread, which knows the classes that it has met.
 * There is none by Fory's own project; this is the plain one that a user would write.
 */
public final class ForySerializer extends Serializer implements java.io.Externalizable {
    private static final long serialVersionUID = 1;
    private static final int MAXIMUM_DEPTH = 10_000;

    private boolean references;
    private String classes = "";

    /** For Java's serialization: Spark sends serializers of shuffles to executors. */
    public ForySerializer() {}

    /** Called by Spark. */
    public ForySerializer(SparkConf conf) {
        references = conf.getBoolean("spark.benchmark.fory.references", true);
        classes = conf.get("spark.benchmark.fory.classes", "");
    }

    @Override
    public void writeExternal(java.io.ObjectOutput out) throws IOException {
        out.writeBoolean(references);
        out.writeUTF(classes);
    }

    @Override
    public void readExternal(java.io.ObjectInput in) throws IOException {
        references = in.readBoolean();
        classes = in.readUTF();
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance(references, classes);
    }

    private record Known(Fory fory, MemoryBuffer buffer, ClassLoader loader) {}

    private static final ThreadLocal<Known> KNOWN = new ThreadLocal<>();

    private static Known known(boolean references, String classes) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Known known = KNOWN.get();
        if (known == null || known.loader != loader) {
            Fory fory = Fory.builder()
                    .withXlang(false)
                    .withCompatible(false)
                    .withClassLoader(loader)
                    .withRefTracking(references)
                    .requireClassRegistration(false)
                    .suppressClassRegistrationWarnings(true)
                    .withMaxDepth(MAXIMUM_DEPTH)
                    .withMaxGraphMemoryBytes(Long.MAX_VALUE)
                    .withAsyncCompilation(false)
                    .build();
            for (String name : classes.isEmpty() ? new String[0] : classes.split(",", -1)) {
                try {
                    fory.register(Class.forName(name, false, loader));
                } catch (ClassNotFoundException e) {
                    throw new IllegalStateException(e);
                }
            }
            known = new Known(fory, MemoryUtils.buffer(1 << 12), loader);
            KNOWN.set(known);
        }
        return known;
    }

    private static final class Instance extends SerializerInstance {
        private final boolean references;
        private final String classes;

        Instance(boolean references, String classes) {
            this.references = references;
            this.classes = classes;
        }

        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            return ByteBuffer.wrap(known(references, classes).fory.serialize(value));
        }

        @Override
        @SuppressWarnings("unchecked") // Spark's types promise what was written.
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return (T) known(references, classes).fory.deserialize(copy);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            Thread.currentThread().setContextClassLoader(loader);
            try {
                return deserialize(bytes, tag);
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        }

        @Override
        public SerializationStream serializeStream(OutputStream target) {
            return new Output(known(references, classes), target);
        }

        @Override
        public DeserializationStream deserializeStream(InputStream source) {
            return new Input(known(references, classes), source);
        }
    }

    private static final class Output extends PeerStreams.Output<OutputStream> {
        private final Fory fory;
        private final MemoryBuffer buffer;

        Output(Known known, OutputStream target) {
            super(target);
            fory = known.fory;
            buffer = known.buffer;
        }

        @Override
        public <T> SerializationStream writeObject(T record, ClassTag<T> tag) {
            buffer.writerIndex(Integer.BYTES);
            fory.serialize(buffer, record);
            int end = buffer.writerIndex();
            buffer.putInt32(0, end - Integer.BYTES);
            try {
                target.write(buffer.getHeapMemory(), 0, end);
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
            return this;
        }
    }

    private static final class Input extends PeerStreams.Input<InputStream> {
        private final Fory fory;
        private final byte[] length = new byte[Integer.BYTES];
        private byte[] bytes = new byte[1 << 12];

        Input(Known known, InputStream source) {
            super(source);
            fory = known.fory;
        }

        @Override
        @SuppressWarnings("unchecked") // As above.
        public <T> T readObject(ClassTag<T> tag) {
            try {
                if (source.readNBytes(length, 0, Integer.BYTES) < Integer.BYTES) {
                    throw new EOFException();
                }
                int count = MemoryUtils.wrap(length).getInt32(0);
                if (bytes.length < count) {
                    bytes = new byte[Math.max(count, 2 * bytes.length)];
                }
                if (source.readNBytes(bytes, 0, count) < count) {
                    throw new EOFException();
                }
                return (T) fory.deserialize(MemoryUtils.wrap(bytes, 0, count));
            } catch (IOException e) {
                throw PeerStreams.thrown(e);
            }
        }
    }
}
