package org.heapspan.image.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Date;
import java.util.Optional;
import java.util.UUID;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.FrameReader;
import org.heapspan.image.graph.FrameWriter;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/** Codecs of boxes, strings and the small values of the JDK, each a few bytes. */
final class ValueCodecs {
    private ValueCodecs() {}

    interface Writing<T> {
        void write(ImageWriter writer, T value);
    }

    interface Reading<T> {
        T read(ImageReader reader);
    }

    /** A codec made of two functions, for values that are seldom the whole load. */
    static final class OfFunctions<T> extends LeafCodec {
        private final Writing<T> writing;
        private final Reading<T> reading;

        OfFunctions(Class<T> type, int tag, int traits, Writing<T> writing, Reading<T> reading) {
            super(type, null, tag, traits | SURE);
            this.writing = writing;
            this.reading = reading;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void writeValue(ImageWriter writer, Object object) {
            writing.write(writer, (T) object);
        }

        @Override
        public Object readValue(ImageReader reader) {
            try {
                return reading.read(reader);
            } catch (java.time.DateTimeException | ArithmeticException | IllegalArgumentException e) {
                throw reader.malformed("a " + type.getName() + " is out of range: " + e.getMessage());
            }
        }
    }

    static final class OfString extends LeafCodec {
        OfString(int tag) {
            super(String.class, null, tag, TRACKED | SURE);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            StringForm.write(writer, (String) object);
        }

        @Override
        public int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
            return StringForm.writeAt(writer, (String) object, position);
        }

        @Override
        public Object readValue(ImageReader reader) {
            return reader.readName();
        }
    }

    public static final class OfInteger extends NumberCodec {
        OfInteger(int tag) {
            super(Integer.class, null, tag, SURE);
        }

        @Override
        long numberOf(Object value) {
            return ImageFormat.zigzag((Integer) value);
        }

        @Override
        Object valueOf(ImageReader reader, long number) {
            return (int) ImageFormat.unzigzag(number);
        }
    }

    public static final class OfLong extends NumberCodec {
        OfLong(int tag) {
            super(Long.class, null, tag, SURE);
        }

        @Override
        long numberOf(Object value) {
            return ImageFormat.zigzag((Long) value);
        }

        @Override
        Object valueOf(ImageReader reader, long number) {
            return ImageFormat.unzigzag(number);
        }
    }

    static final class OfDouble extends LeafCodec {
        OfDouble(int tag) {
            super(Double.class, null, tag, SURE);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            writer.writeLong(Double.doubleToRawLongBits((Double) object));
        }

        @Override
        public Object readValue(ImageReader reader) {
            return Double.longBitsToDouble(reader.readLong());
        }
    }

    static Codec ofBoolean(int tag) {
        return new OfFunctions<>(Boolean.class, tag, 0, (w, v) -> w.writeByte(v ? 1 : 0), r -> {
            int value = r.readByte();
            if (value != 0 && value != 1) {
                throw r.malformed("a boolean is " + value);
            }
            return value == 1;
        });
    }

    static Codec ofByte(int tag) {
        return new OfFunctions<>(Byte.class, tag, 0, (w, v) -> w.writeByte(v), r -> (byte) r.readByte());
    }

    static Codec ofShort(int tag) {
        return new OfFunctions<>(
                Short.class, tag, 0, (w, v) -> w.writeSignedNumber(v), r -> (short) r.readSignedNumber());
    }

    static Codec ofCharacter(int tag) {
        return new OfFunctions<>(Character.class, tag, 0, (w, v) -> w.writeNumber(v), r -> (char) r.readNumber());
    }

    static Codec ofFloat(int tag) {
        return new OfFunctions<>(
                Float.class,
                tag,
                0,
                (w, v) -> w.writeInt(Float.floatToRawIntBits(v)),
                r -> Float.intBitsToFloat(r.readInt()));
    }

    static Codec ofBigInteger(int tag) {
        return new OfFunctions<>(
                BigInteger.class, tag, Codec.TRACKED, ValueCodecs::writeBigInteger, ValueCodecs::readBigInteger);
    }

    private static void writeBigInteger(ImageWriter writer, BigInteger value) {
        byte[] bytes = value.toByteArray();
        writer.writeNumber(bytes.length);
        writer.writeBytes(bytes, 0, bytes.length);
    }

    private static BigInteger readBigInteger(ImageReader reader) {
        byte[] bytes = new byte[reader.readLength(1)];
        if (bytes.length == 0) {
            throw reader.malformed("a BigInteger has no bytes");
        }
        reader.readBytes(bytes, 0, bytes.length);
        return new BigInteger(bytes);
    }

    static Codec ofBigDecimal(int tag) {
        return new OfFunctions<>(
                BigDecimal.class,
                tag,
                Codec.TRACKED,
                (w, v) -> {
                    w.writeSignedNumber(v.scale());
                    writeBigInteger(w, v.unscaledValue());
                },
                r -> {
                    int scale = (int) r.readSignedNumber();
                    return new BigDecimal(readBigInteger(r), scale);
                });
    }

    static Codec ofUuid(int tag) {
        return new OfFunctions<>(
                UUID.class,
                tag,
                Codec.TRACKED,
                (w, v) -> {
                    w.writeLong(v.getMostSignificantBits());
                    w.writeLong(v.getLeastSignificantBits());
                },
                r -> {
                    long most = r.readLong();
                    return new UUID(most, r.readLong());
                });
    }

    @SuppressWarnings("JavaUtilDate") // Users have it.
    static Codec ofDate(int tag) {
        return new OfFunctions<>(
                Date.class,
                tag,
                Codec.TRACKED,
                (w, v) -> w.writeSignedNumber(v.getTime()),
                r -> new Date(r.readSignedNumber()));
    }

    /** Rows of tables have many of them, so that a codec made of functions would cost more than the value. */
    static final class OfLocalDate extends LeafCodec {
        OfLocalDate(int tag) {
            super(LocalDate.class, null, tag, SURE);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            writer.writeSignedNumber(((LocalDate) object).toEpochDay());
        }

        @Override
        public int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
            return writer.writeNumberAt(position, ImageFormat.zigzag(((LocalDate) object).toEpochDay()));
        }

        @Override
        public Object readValue(ImageReader reader) {
            try {
                return LocalDate.ofEpochDay(reader.readSignedNumber());
            } catch (java.time.DateTimeException e) {
                throw reader.malformed("a java.time.LocalDate is out of range: " + e.getMessage());
            }
        }
    }

    static Codec ofLocalTime(int tag) {
        return new OfFunctions<>(
                LocalTime.class,
                tag,
                0,
                (w, v) -> w.writeNumber(v.toNanoOfDay()),
                r -> LocalTime.ofNanoOfDay(r.readNumber()));
    }

    static Codec ofLocalDateTime(int tag) {
        return new OfFunctions<>(
                LocalDateTime.class,
                tag,
                0,
                (w, v) -> {
                    w.writeSignedNumber(v.toLocalDate().toEpochDay());
                    w.writeNumber(v.toLocalTime().toNanoOfDay());
                },
                r -> {
                    LocalDate date = LocalDate.ofEpochDay(r.readSignedNumber());
                    return LocalDateTime.of(date, LocalTime.ofNanoOfDay(r.readNumber()));
                });
    }

    static Codec ofInstant(int tag) {
        return new OfFunctions<>(
                Instant.class,
                tag,
                0,
                (w, v) -> {
                    w.writeSignedNumber(v.getEpochSecond());
                    w.writeNumber(v.getNano());
                },
                r -> {
                    long seconds = r.readSignedNumber();
                    return Instant.ofEpochSecond(seconds, r.readNumber());
                });
    }

    static Codec ofDuration(int tag) {
        return new OfFunctions<>(
                Duration.class,
                tag,
                0,
                (w, v) -> {
                    w.writeSignedNumber(v.getSeconds());
                    w.writeNumber(v.getNano());
                },
                r -> {
                    long seconds = r.readSignedNumber();
                    return Duration.ofSeconds(seconds, r.readNumber());
                });
    }

    /** Classes as values: primitive types by their names, others through the reader's rules for loading classes. */
    static Codec ofClass(int tag) {
        return new OfFunctions<>(Class.class, tag, Codec.TRACKED, FrameWriter::writeClass, FrameReader::readClass);
    }

    /** An Optional holds one reference; it is value-based, so it has no identity of its own. */
    static final class OfOptional extends Codec {
        OfOptional(int tag) {
            super(Optional.class, null, tag, SURE);
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.writeSection(((Optional<?>) object).orElse(null));
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw reader.malformed("an Optional is deferred, but cannot be deferred");
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

        @Override
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            return Optional.ofNullable(reader.readSection());
        }
    }
}
