package org.heapspan.spark.nativerdd;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.NoSuchElementException;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.nativerdd.NativeBatch;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.reflect.ClassTag;

/**
 * Reads what map tasks of native programs write: batches, each behind a byte that says how it lies there ({@code 0}: as it is, {@code 1}: with the bytes
 * of its numbers sorted, see {@link NativeBatch#writePlanes}) and its size in 7 bytes, highest byte first. Spark calls it for shuffles only, where nothing
 * is written through it.
 */
final class BatchSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final int HEADER_BYTES = 8;
    private static final int SIZE_BITS = 56;
    private static final int AS_IT_IS = 0;
    private static final int IN_PLANES = 1;

    /** Writes a batch; {@code compressed} says whether the target compresses. */
    static void write(OutputStream target, boolean compressed, long address, long sizeBytes) throws IOException {
        long form = compressed ? IN_PLANES : AS_IT_IS;
        target.write(ByteBuffer.allocate(HEADER_BYTES)
                .putLong(form << SIZE_BITS | sizeBytes)
                .array());
        if (compressed) {
            NativeBatch.writePlanes(address, sizeBytes, target);
        } else {
            NativeBatch.write(address, sizeBytes, target);
        }
    }

    /**
     * Reads a batch that {@link #write} has written.
     *
     * @return null at the end of the source
     */
    static @Nullable RddBatch read(InputStream source) throws IOException {
        int form = source.read();
        if (form < 0) {
            return null;
        }
        byte[] size = source.readNBytes(HEADER_BYTES - 1);
        if (size.length < HEADER_BYTES - 1) {
            throw new EOFException("the data end within the size of a batch; they are damaged");
        }
        long sizeBytes = ByteBuffer.allocate(HEADER_BYTES).put(1, size).getLong(0);
        if (form != AS_IT_IS && form != IN_PLANES) {
            throw new IOException("a batch in a shuffle of a native program begins with the byte " + form
                    + ", not with 0 or 1; the data are damaged");
        }
        return new RddBatch(
                RddBatch.read(sizeBytes, source, form == IN_PLANES ? NativeBatch::readPlanes : NativeBatch::read));
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance();
    }

    private static final class Instance extends SerializerInstance {
        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            throw onlyReads();
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            throw onlyReads();
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            throw onlyReads();
        }

        @Override
        public SerializationStream serializeStream(OutputStream stream) {
            throw onlyReads();
        }

        @Override
        public DeserializationStream deserializeStream(InputStream stream) {
            return new Input(stream);
        }

        private static UnsupportedOperationException onlyReads() {
            return new UnsupportedOperationException("only reads the shuffles of native programs");
        }
    }

    private static final class Input extends DeserializationStream {
        private final InputStream source;

        Input(InputStream source) {
            this.source = source;
        }

        @Override
        public <T> T readObject(ClassTag<T> tag) {
            throw Instance.onlyReads();
        }

        @Override
        public void close() {
            try {
                source.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Iterator<Tuple2<Object, Object>> asKeyValueIterator() {
            return new AbstractIterator<>() {
                private @Nullable RddBatch next;
                private boolean atEnd;

                @Override
                public boolean hasNext() {
                    if (next == null && !atEnd) {
                        next = read();
                        if (next == null) {
                            atEnd = true;
                            close();
                        }
                    }
                    return next != null;
                }

                @Override
                public Tuple2<Object, Object> next() {
                    hasNext();
                    RddBatch batch = next;
                    if (batch == null) {
                        throw new NoSuchElementException("no more batches");
                    }
                    next = null;
                    return new Tuple2<>("", batch);
                }
            };
        }

        /** Null at the end. */
        private @Nullable RddBatch read() {
            try {
                return BatchSerializer.read(source);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
