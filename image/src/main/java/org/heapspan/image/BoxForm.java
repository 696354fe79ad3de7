package org.heapspan.image;

import org.jspecify.annotations.Nullable;

/**
 * Reference slots whose declared type is a box, for generated codecs: the same bytes as through {@link ImageWriter#writeReference},
 * in one step. Boxes are value-based, final and without identity, so that there is nothing to track and nothing to look up.
 */
final class BoxForm {
    private BoxForm() {}

    private static final int INTEGER_TAG = 8;
    private static final int LONG_TAG = 9;
    private static final int DOUBLE_TAG = 11;

    static boolean handles(Class<?> declared) {
        return declared == Integer.class || declared == Long.class || declared == Double.class;
    }

    private static int writeNumber(ImageWriter writer, int tag, long value, int position) {
        int p = writer.reserveAt(position, 1 + ImageFormat.NUMBER_LIMIT_BYTES);
        writer.buffer[p] = (byte) (tag << 1 | 1);
        return ImageFormat.putNumber(writer.buffer, p + 1, ImageFormat.zigzag(value));
    }

    private static int writeNull(ImageWriter writer, int position) {
        int p = writer.reserveAt(position, 1);
        writer.buffer[p] = ImageFormat.TAG_NULL << 1 | 1;
        return p + 1;
    }

    static int writeInteger(ImageWriter writer, @Nullable Object box, int position) {
        return box == null ? writeNull(writer, position) : writeNumber(writer, INTEGER_TAG, (Integer) box, position);
    }

    static int writeLong(ImageWriter writer, @Nullable Object box, int position) {
        return box == null ? writeNull(writer, position) : writeNumber(writer, LONG_TAG, (Long) box, position);
    }

    static int writeDouble(ImageWriter writer, @Nullable Object box, int position) {
        if (box == null) {
            return writeNull(writer, position);
        }
        int p = writer.reserveAt(position, 1 + Double.BYTES);
        writer.buffer[p] = (byte) (DOUBLE_TAG << 1 | 1);
        ImageFormat.LONG.set(writer.buffer, p + 1, Double.doubleToRawLongBits((Double) box));
        return p + 1 + Double.BYTES;
    }

    static @Nullable Object readInteger(ImageReader reader) {
        if (isNext(reader, INTEGER_TAG)) {
            return (int) reader.readSignedNumber();
        }
        return reader.readDeclared(Integer.class, null);
    }

    static @Nullable Object readLong(ImageReader reader) {
        if (isNext(reader, LONG_TAG)) {
            return reader.readSignedNumber();
        }
        return reader.readDeclared(Long.class, null);
    }

    static @Nullable Object readDouble(ImageReader reader) {
        if (isNext(reader, DOUBLE_TAG)) {
            return Double.longBitsToDouble(reader.readLong());
        }
        return reader.readDeclared(Double.class, null);
    }

    /** Takes the tag if it is the expected one; a filter on built-in types takes the long way. */
    private static boolean isNext(ImageReader reader, int tag) {
        int p = reader.position;
        if (p < reader.limit && reader.buffer[p] == (byte) (tag << 1 | 1) && !reader.filtersBuiltInTypes) {
            reader.position = p + 1;
            return true;
        }
        return false;
    }
}
