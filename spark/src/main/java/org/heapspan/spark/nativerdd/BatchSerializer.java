package org.heapspan.spark.nativerdd;

import java.io.DataInputStream;
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
 * Reads what map tasks of native programs write: batches, each behind its size in 8 bytes, highest byte first. Spark calls it for shuffles only, where
 * nothing is written through it.
 */
final class BatchSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final int LENGTH_BYTES = 8;

    static void write(OutputStream target, long address, long sizeBytes) throws IOException {
        target.write(ByteBuffer.allocate(LENGTH_BYTES).putLong(sizeBytes).array());
        NativeBatch.write(address, sizeBytes, target);
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
            return new Input(new DataInputStream(stream));
        }

        private static UnsupportedOperationException onlyReads() {
            return new UnsupportedOperationException("only reads the shuffles of native programs");
        }
    }

    private static final class Input extends DeserializationStream {
        private final DataInputStream source;

        Input(DataInputStream source) {
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
                int first = source.read();
                if (first < 0) {
                    return null;
                }
                byte[] rest = source.readNBytes(LENGTH_BYTES - 1);
                if (rest.length < LENGTH_BYTES - 1) {
                    throw new EOFException("the data end within the size of a batch; they are damaged");
                }
                long sizeBytes = ByteBuffer.allocate(LENGTH_BYTES)
                        .put((byte) first)
                        .put(rest)
                        .getLong(0);
                return new RddBatch(RddBatch.read(sizeBytes, source));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
