package org.heapspan.image.generator;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reference slots whose declared type is a box, for generated codecs: the same bytes as through {@link ImageWriter#writeReference},
 * in one step. Writing takes the position to write at, from which {@link #LIMIT_BYTES} have been reserved, and returns the one
 * behind the slot. Boxes are value-based, final and without identity, so that there is nothing to track and nothing to look up.
 */
final class BoxForm {
    private BoxForm() {}

    private static final int INTEGER_TAG = 8;
    private static final int LONG_TAG = 9;
    private static final int DOUBLE_TAG = 11;
    private static final int NULL = ImageFormat.TAG_NULL << 1 | 1;

    static boolean handles(Class<?> declared) {
        return declared == Integer.class || declared == Long.class || declared == Double.class;
    }

    /** The most bytes that a slot takes. */
    static final int LIMIT_BYTES = 1 + ImageFormat.NUMBER_LIMIT_BYTES;

    private static int writeNumber(byte[] buffer, int tag, long value, int position) {
        RawBytes.putByte(buffer, position, tag << 1 | 1);
        return ImageFormat.putNumber(buffer, position + 1, ImageFormat.zigzag(value));
    }

    private static int writeNull(byte[] buffer, int position) {
        RawBytes.putByte(buffer, position, ImageFormat.TAG_NULL << 1 | 1);
        return position + 1;
    }

    static int writeInteger(byte[] buffer, @Nullable Object box, int position) {
        return box == null ? writeNull(buffer, position) : writeNumber(buffer, INTEGER_TAG, (Integer) box, position);
    }

    static int writeLong(byte[] buffer, @Nullable Object box, int position) {
        return box == null ? writeNull(buffer, position) : writeNumber(buffer, LONG_TAG, (Long) box, position);
    }

    static int writeDouble(byte[] buffer, @Nullable Object box, int position) {
        if (box == null) {
            return writeNull(buffer, position);
        }
        RawBytes.putByte(buffer, position, DOUBLE_TAG << 1 | 1);
        RawBytes.putLong(buffer, position + 1, Double.doubleToRawLongBits((Double) box));
        return position + 1 + Double.BYTES;
    }

    // A slot at a position, where LIMIT_BYTES can be read: where it ends, or -1 if it holds anything but a box of the
    // type or null.

    static int endOfInteger(byte[] buffer, int position) {
        return endOfNumber(buffer, position, INTEGER_TAG);
    }

    static int endOfLong(byte[] buffer, int position) {
        return endOfNumber(buffer, position, LONG_TAG);
    }

    static int endOfDouble(byte[] buffer, int position) {
        int tag = RawBytes.getByte(buffer, position);
        if (tag == (DOUBLE_TAG << 1 | 1)) {
            return position + 1 + Double.BYTES;
        }
        return tag == NULL ? position + 1 : -1;
    }

    private static int endOfNumber(byte[] buffer, int position, int expectedTag) {
        int tag = RawBytes.getByte(buffer, position);
        if (tag == (expectedTag << 1 | 1)) {
            return ImageFormat.endOfNumber(buffer, position + 1);
        }
        return tag == NULL ? position + 1 : -1;
    }

    // The box there, if it has an end.

    static @Nullable Object valueOfInteger(byte[] buffer, int position) {
        return RawBytes.getByte(buffer, position) == NULL
                ? null
                : (Object) (int) ImageFormat.unzigzag(ImageFormat.getNumber(buffer, position + 1));
    }

    static @Nullable Object valueOfLong(byte[] buffer, int position) {
        return RawBytes.getByte(buffer, position) == NULL
                ? null
                : (Object) ImageFormat.unzigzag(ImageFormat.getNumber(buffer, position + 1));
    }

    static @Nullable Object valueOfDouble(byte[] buffer, int position) {
        return RawBytes.getByte(buffer, position) == NULL
                ? null
                : (Object) Double.longBitsToDouble(RawBytes.getLong(buffer, position + 1));
    }

    static @Nullable Object readInteger(ImageReader reader, Object owner, int slot) {
        if (isNext(reader, INTEGER_TAG)) {
            return (int) reader.readSignedNumber();
        }
        return reader.readDeclared(Integer.class, null, owner, slot);
    }

    static @Nullable Object readLong(ImageReader reader, Object owner, int slot) {
        if (isNext(reader, LONG_TAG)) {
            return reader.readSignedNumber();
        }
        return reader.readDeclared(Long.class, null, owner, slot);
    }

    static @Nullable Object readDouble(ImageReader reader, Object owner, int slot) {
        if (isNext(reader, DOUBLE_TAG)) {
            return Double.longBitsToDouble(reader.readLong());
        }
        return reader.readDeclared(Double.class, null, owner, slot);
    }

    // Owner and slot name the field if there is something else in it than a box of its type.

    /** Takes the tag if it is the expected one; a filter on built-in types takes the long way. */
    private static boolean isNext(ImageReader reader, int tag) {
        int p = reader.position;
        if (p < reader.limit && RawBytes.getByte(reader.buffer, p) == (tag << 1 | 1) && !reader.filtersBuiltInTypes) {
            reader.position = p + 1;
            return true;
        }
        return false;
    }
}
