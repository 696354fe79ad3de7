package org.heapspan.spark.record;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link PlainOutput} has written: from memory, or from a stream of which it takes no byte too many. Checks every length before it
 * takes memory. Not thread-safe.
 */
final class PlainInput {
    private static final int FIRST_BYTES = 64;

    private final @Nullable InputStream source;

    /** How many bytes it may have, of memory or of the stream. */
    private final int mostBytes;

    private byte[] bytes;
    private int position;
    private int limit;

    /** Reads from memory; changes the bytes. */
    PlainInput(byte[] bytes, int count) {
        this.bytes = bytes;
        source = null;
        limit = count;
        mostBytes = count;
    }

    /** Reads from a stream. */
    PlainInput(InputStream source, int mostBytes) {
        this.source = source;
        this.mostBytes = mostBytes;
        bytes = new byte[FIRST_BYTES];
    }

    /** How many bytes were read. */
    int position() {
        return position;
    }

    boolean isAtEnd() {
        return position == limit;
    }

    /** Has so many bytes from the position on in memory. */
    private void need(long count) throws IOException {
        long missing = count - (limit - position);
        if (missing <= 0) {
            return;
        }
        if (source == null || limit + missing > mostBytes) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "a plain value of " + count + " bytes or more begins at byte " + position
                            + ", which goes beyond the " + mostBytes + " bytes of its group");
        }
        if (limit + missing > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max((int) (limit + missing), bytes.length * 2));
        }
        int read = source.readNBytes(bytes, limit, (int) missing);
        limit += read;
        if (read < missing) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the stream ends within a plain value, after " + limit
                            + " bytes of the group; the block is truncated");
        }
    }

    /** Bytes as a number that is not negative, up to 8 of them. */
    long readFixed(int sizeBytes) throws IOException {
        need(sizeBytes);
        long value = 0;
        for (int i = 0; i < sizeBytes; i++) {
            value |= (bytes[position + i] & 0xFFL) << (8 * i);
        }
        position += sizeBytes;
        return value;
    }

    long readSigned() throws IOException {
        long value = readNumber();
        return value >>> 1 ^ -(value & 1);
    }

    long readNumber() throws IOException {
        need(1);
        int first = bytes[position] & 0xFF;
        if (first == 0) {
            position++;
            return readFixed(Long.BYTES);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        return readFixed(sizeBytes) >>> sizeBytes;
    }

    String readString() throws IOException {
        need(1);
        if (bytes[position] == PlainOutput.OTHER_STRING) {
            position++;
            return readOtherString();
        }
        int start = position;
        while (bytes[position] >= 0) {
            position++;
            need(1);
        }
        bytes[position++] &= (byte) ~PlainOutput.LAST_CHARACTER;
        return new String(bytes, start, position - start, StandardCharsets.ISO_8859_1);
    }

    private String readOtherString() throws IOException {
        long header = readNumber();
        int length = begin(header >>> 1);
        boolean isLatin = (header & 1) == 0;
        if (!isLatin && length % Character.BYTES != 0) {
            throw new HeapspanException(Category.MALFORMED, "a string of UTF-16 has " + length + " bytes");
        }
        String value = isLatin
                ? new String(bytes, position, length, StandardCharsets.ISO_8859_1)
                : ByteBuffer.wrap(bytes, position, length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asCharBuffer()
                        .toString();
        position += length;
        return value;
    }

    byte[] readBytes() throws IOException {
        int length = begin(readNumber());
        byte[] value = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return value;
    }

    /** Has the content of a string or an array in memory. */
    private int begin(long length) throws IOException {
        if (length < 0 || length > mostBytes) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "a plain value would have " + Long.toUnsignedString(length) + " bytes, its group has at most "
                            + mostBytes);
        }
        need(length);
        return (int) length;
    }
}
