package org.heapspan.image.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.TimeZone;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.type.RefusedClass;
import org.jspecify.annotations.Nullable;

/** Classes of which the objects are found or made anew on the reader's side from a stable name or from their contents. */
public abstract class SubstituteCodec extends LeafCodec {
    private SubstituteCodec(Class<?> type, int tag) {
        super(type, null, tag, TRACKED);
    }

    /** The JDK's time zones, which it knows by their names. */
    private static final String ZONE_INFO = "sun.util.calendar.ZoneInfo";

    public static boolean handles(Class<?> type) {
        return Charset.class.isAssignableFrom(type)
                || type.getName().equals(ZONE_INFO)
                || Path.class.isAssignableFrom(type)
                || ByteBuffer.class.isAssignableFrom(type);
    }

    public static Codec of(Class<?> type) {
        int tag;
        if (Charset.class.isAssignableFrom(type)) {
            tag = BuiltInTypes.CHARSET_TAG;
        } else if (Path.class.isAssignableFrom(type)) {
            tag = BuiltInTypes.PATH_TAG;
        } else if (ByteBuffer.class.isAssignableFrom(type)) {
            tag = BuiltInTypes.BYTE_BUFFER_TAG;
        } else {
            tag = BuiltInTypes.TIME_ZONE_TAG;
        }
        return BuiltInTypes.known(tag);
    }

    static final class OfCharset extends SubstituteCodec {
        OfCharset(int tag) {
            super(Charset.class, tag);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            writer.writeName(((Charset) object).name());
        }

        @Override
        public Object readValue(ImageReader reader) {
            String name = reader.readName();
            try {
                return Charset.forName(name);
            } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
                throw new HeapspanException(
                        Category.EVOLUTION, "this JVM does not have the charset " + name, PrintableText.causeOrNull(e));
            }
        }
    }

    /** Time zones by name, because their rules are a matter of the JDK and its release. */
    static final class OfTimeZone extends SubstituteCodec {
        OfTimeZone(int tag) {
            super(TimeZone.class, tag);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            TimeZone zone = (TimeZone) object;
            writer.writeName(zone.getID());
            writer.writeSignedNumber(zone.getRawOffset());
        }

        @Override
        public Object readValue(ImageReader reader) {
            String name = reader.readName();
            int rawOffsetMillis = (int) reader.readSignedNumber();
            TimeZone zone = TimeZone.getTimeZone(name);
            if (!zone.getID().equals(name)) {
                throw new HeapspanException(
                        Category.EVOLUTION,
                        "this JVM does not have the time zone " + name + "; update its time zone data (tzdata)");
            }
            if (zone.getRawOffset() != rawOffsetMillis) {
                zone.setRawOffset(rawOffsetMillis);
            }
            return zone;
        }
    }

    /** Paths of the default file system, by their text; what they mean is up to the receiving machine. */
    static final class OfPath extends SubstituteCodec {
        OfPath(int tag) {
            super(Path.class, tag);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            RefusedClass refused = refusalOf(object);
            if (refused != null) {
                throw refused.toException("");
            }
            writer.writeName(object.toString());
        }

        @Override
        @Nullable
        public RefusedClass refusalOf(Object object) {
            Path path = (Path) object;
            return path.getFileSystem() == FileSystems.getDefault()
                    ? null
                    : new RefusedClass(
                            path.getClass(),
                            "it is a path within " + path.getFileSystem() + ", which only this JVM has open");
        }

        @Override
        public Object readValue(ImageReader reader) {
            String text = reader.readName();
            try {
                return Path.of(text);
            } catch (InvalidPathException e) {
                throw reader.malformed("a path is no path here: " + e.getMessage());
            }
        }
    }

    /** Byte buffers, direct ones too, by their contents: the address of a buffer means nothing elsewhere. */
    static final class OfByteBuffer extends SubstituteCodec {
        private static final int DIRECT = 1;
        private static final int LITTLE_ENDIAN = 2;
        private static final int READ_ONLY = 4;

        OfByteBuffer(int tag) {
            super(ByteBuffer.class, tag);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            ByteBuffer buffer = (ByteBuffer) object;
            int flags = (buffer.isDirect() ? DIRECT : 0)
                    | (buffer.order() == ByteOrder.LITTLE_ENDIAN ? LITTLE_ENDIAN : 0)
                    | (buffer.isReadOnly() ? READ_ONLY : 0);
            ByteBuffer view = buffer.duplicate();
            int position = view.position();
            int limit = view.limit();
            view.clear();
            writer.writeByte(flags);
            writer.writeNumber(view.capacity());
            writer.writeNumber(position);
            writer.writeNumber(limit);
            byte[] bytes = new byte[Math.min(view.remaining(), 1 << 16)];
            while (view.hasRemaining()) {
                int portion = Math.min(bytes.length, view.remaining());
                view.get(bytes, 0, portion);
                writer.writeBytes(bytes, 0, portion);
            }
        }

        @Override
        public Object readValue(ImageReader reader) {
            int flags = reader.readByte();
            int capacity = reader.readArrayLength(byte[].class, 1);
            int position = reader.readCount();
            int limit = reader.readCount();
            if (limit > capacity || position > limit) {
                throw reader.malformed(
                        "a buffer of " + capacity + " bytes has position " + position + " and limit " + limit);
            }
            byte[] bytes = new byte[capacity];
            reader.readBytes(bytes, 0, capacity);
            ByteBuffer buffer = (flags & DIRECT) != 0 ? allocateDirect(capacity).put(bytes) : ByteBuffer.wrap(bytes);
            buffer.limit(limit).position(position);
            ByteBuffer made = (flags & READ_ONLY) != 0 ? buffer.asReadOnlyBuffer() : buffer;
            return made.order((flags & LITTLE_ENDIAN) != 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        }

        private static ByteBuffer allocateDirect(int capacity) {
            try {
                return ByteBuffer.allocateDirect(capacity);
            } catch (OutOfMemoryError e) {
                // Of the memory for direct buffers: the heap has just had room for as much.
                throw new HeapspanException(
                        Category.LIMIT,
                        "there is no memory for a direct buffer of " + capacity
                                + " bytes; raise -XX:MaxDirectMemorySize, or lower maxArrayLength to refuse it: "
                                + e.getMessage(),
                        e);
            }
        }
    }
}
