package org.apache.spark.heapspan;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.Serializer;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;

/**
 * What a block of {@link PlainBlockSerializer} begins with: the bytes that Kryo writes before an object of this class. So Spark's own Kryo can read such a
 * block too, on an executor where nothing could be put in its place. It looks for the class by its name, finds {@link Reader} at it, and gets one value of
 * the block after the other. No object of this class exists.
 *
 * <p>Relies on {@code core/.../serializer/KryoSerializer.scala} of Spark 4.3, which reads a block by {@link Kryo#readClassAndObject} until its {@link Input} has
 * no further byte, and on the bytes of Kryo 4.
 */
@DefaultSerializer(PlainBlock.Reader.class)
public final class PlainBlock {
    /** Kryo's mark of a class with a name instead of a number. No primitive, string or array has one, and null begins with 0. */
    static final byte NAMED_CLASS = 1;

    private static final byte FIRST_NAME = 0;
    private static final byte LAST_CHARACTER = (byte) 0x80;
    private static final byte NOT_A_REFERENCE = 1;

    private PlainBlock() {}

    /**
     * Returns the bytes.
     *
     * @param references whether Kryo numbers objects
     */
    static byte[] head(boolean references) {
        byte[] name = PlainBlock.class.getName().getBytes(StandardCharsets.US_ASCII);
        byte[] head = new byte[2 + name.length + (references ? 1 : 0)];
        head[head.length - 1] = NOT_A_REFERENCE;
        head[0] = NAMED_CLASS;
        head[1] = FIRST_NAME;
        System.arraycopy(name, 0, head, 2, name.length);
        head[1 + name.length] |= LAST_CHARACTER;
        return head;
    }

    /** Reads the values of a block for Spark's Kryo, which makes it. */
    public static final class Reader extends com.esotericsoftware.kryo.Serializer<Object> {
        @Override
        public void write(Kryo kryo, Output output, Object object) {
            throw new UnsupportedOperationException("there is no object of this class");
        }

        @Override
        public @Nullable Object read(Kryo kryo, Input input, Class<Object> type) {
            if (input.getInputStream() instanceof Values values) {
                return values.next();
            }
            Values values = new Values(head(kryo.getReferences()), rest(input));
            input.setInputStream(values);
            return values.next();
        }

        private static InputStream rest(Input input) {
            InputStream buffered =
                    new ByteArrayInputStream(Arrays.copyOfRange(input.getBuffer(), input.position(), input.limit()));
            InputStream source = input.getInputStream();
            return source == null ? buffered : new SequenceInputStream(buffered, source);
        }
    }

    /** What Kryo goes on to read: for each further value the bytes that make it ask {@link Reader}. */
    private static final class Values extends InputStream {
        private final byte[] head;
        private final InputStream source;
        private final Iterator<Object> values;

        /** How much of the head was read. */
        private int position;

        /** Whether a head was read whose value was not. */
        private boolean begun = true;

        Values(byte[] head, InputStream source) {
            Serializer serializer = SparkEnv.get().serializer();
            if (!(serializer instanceof PartitioningSerializer ours)) {
                throw new IllegalStateException(
                        "Heapspan wrote this block of numbers or strings, and this JVM has another serializer, "
                                + serializer.getClass().getName()
                                + "; start all JVMs with the same options");
            }
            this.head = head;
            this.source = source;
            position = head.length;
            values = ours.ofPlainBlocks().deserializeStream(source).asIterator();
        }

        @Nullable
        Object next() {
            begun = false;
            return values.next();
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (position == head.length) {
                if (begun || !values.hasNext()) {
                    return -1;
                }
                begun = true;
                position = 0;
            }
            int count = Math.min(length, head.length - position);
            System.arraycopy(head, position, target, offset, count);
            position += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }
}
