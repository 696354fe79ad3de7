package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/**
 * Writes the streams of another serializer behind the head of a {@link PlainBlock}. Reads these, and what Spark's Kryo writes: the first byte tells them
 * apart. A stream without records has no bytes, in both forms.
 */
final class PlainBlockInstance extends SerializerInstance {
    private final byte[] head;
    private final SerializerInstance blocks;

    /** Makes Spark's Kryo where it is needed. */
    private final Supplier<SerializerInstance> ofSpark;

    PlainBlockInstance(byte[] head, SerializerInstance blocks, Supplier<SerializerInstance> ofSpark) {
        this.head = head;
        this.blocks = blocks;
        this.ofSpark = ofSpark;
    }

    @Override
    public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
        return ofSpark.get().serialize(value, tag);
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
        return ofSpark.get().deserialize(bytes, tag);
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
        return ofSpark.get().deserialize(bytes, loader, tag);
    }

    @Override
    public SerializationStream serializeStream(OutputStream target) {
        return new Output(target);
    }

    @Override
    public DeserializationStream deserializeStream(InputStream source) {
        PushbackInputStream whole = new PushbackInputStream(source, head.length);
        byte[] first = new byte[head.length];
        try {
            int count = whole.readNBytes(first, 0, first.length);
            if (count == 0 || first[0] != PlainBlock.NAMED_CLASS) {
                whole.unread(first, 0, count);
                return ofSpark.get().deserializeStream(whole);
            }
            if (!Arrays.equals(first, head)) {
                throw new IOException(
                        "a block of numbers or strings begins with neither Kryo's nor Heapspan's bytes; it is"
                                + " damaged or truncated");
            }
            return blocks.deserializeStream(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins with the first record. */
    private final class Output extends SerializationStream {
        private final OutputStream target;
        private @Nullable SerializationStream records;

        Output(OutputStream target) {
            this.target = target;
        }

        private SerializationStream records() {
            SerializationStream begun = records;
            if (begun == null) {
                try {
                    target.write(head, 0, head.length);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                begun = blocks.serializeStream(target);
                records = begun;
            }
            return begun;
        }

        @Override
        public <T> SerializationStream writeObject(T record, ClassTag<T> tag) {
            records().writeObject(record, tag);
            return this;
        }

        @Override
        public void flush() {
            try {
                if (records == null) {
                    target.flush();
                } else {
                    records.flush();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                if (records == null) {
                    target.close();
                } else {
                    records.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
