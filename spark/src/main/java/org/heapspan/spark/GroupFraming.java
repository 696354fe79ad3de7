package org.heapspan.spark;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * How groups lie in a stream: one after the other, each behind its length. Streams may be put one behind the other; an empty one
 * has no bytes. Groups check themselves (magic number, version, CRC32C), so that a wrong length is noticed whatever it is.
 *
 * <pre>
 *    0        4
 *   +--------+---------------- - - -
 *   | length | length bytes: a group of docs/formats/image.md
 *   +--------+---------------- - - -
 *     int, big-endian, 1 to 2^31 - 9
 * </pre>
 */
final class GroupFraming {
    static final int LENGTH_BYTES = 4;
    static final int LARGEST_LENGTH = Integer.MAX_VALUE - 8;

    /** A length up to this one is believed before the bytes have come. */
    private static final int BELIEVED_LENGTH = 1 << 20;

    private static final String WHAT_TO_DO =
            "; the block is damaged, was cut off, or was not written by HeapspanSerializer"
                    + " (files of another application: read them with the spark.serializer that wrote them)";

    private GroupFraming() {}

    static void write(ByteBuffer group, OutputStream target) throws IOException {
        int length = group.remaining();
        byte[] prefix = {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length};
        target.write(prefix);
        target.write(group.array(), group.arrayOffset() + group.position(), length);
    }

    /**
     * Reads the length of a group.
     *
     * @param source a stream that stands where a group begins, or at its end
     * @param prefix takes the bytes of the length
     * @param offset how many bytes of it were read before, for messages
     * @return the length, or 0 at the end of the stream
     * @throws IOException if the stream fails
     * @throws HeapspanException if the stream ends within the length, or no group begins here
     */
    static int readLength(InputStream source, byte[] prefix, long offset) throws IOException {
        int count;
        try {
            count = source.readNBytes(prefix, 0, LENGTH_BYTES);
        } catch (EOFException e) {
            // Not the end, which is no exception: a stream below, such as one that decompresses, misses bytes. Spark
            // would
            // take it for the end.
            throw cutOff(offset, "before its length or within it", e);
        }
        if (count == 0) {
            return 0;
        }
        if (count < LENGTH_BYTES) {
            throw cutOff(offset, "within its length, after " + count + " bytes", null);
        }
        int length = prefix[0] << 24 | (prefix[1] & 0xFF) << 16 | (prefix[2] & 0xFF) << 8 | prefix[3] & 0xFF;
        if (length <= 0 || length > LARGEST_LENGTH) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "no group of records begins at byte " + offset + " of the stream: its length would be " + length
                            + ", expected 1 to " + LARGEST_LENGTH + WHAT_TO_DO);
        }
        return length;
    }

    /**
     * Reads a group.
     *
     * @param source a stream that stands behind the length of the group
     * @param length what {@link #readLength} returned
     * @param engine lends the array
     * @param offset where the group begins, for messages
     * @return an array that begins with the group; the engine takes it back
     * @throws IOException if the stream fails
     * @throws HeapspanException if the stream ends within the group
     */
    static byte[] read(InputStream source, int length, RecordEngine engine, long offset) throws IOException {
        byte[] bytes;
        int count;
        try {
            if (length <= BELIEVED_LENGTH) {
                bytes = engine.takeArray(length);
                count = source.readNBytes(bytes, 0, length);
            } else {
                // Takes memory as bytes come.
                bytes = source.readNBytes(length);
                count = bytes.length;
            }
        } catch (EOFException e) {
            throw cutOff(offset, "of " + length + " bytes", e);
        }
        if (count < length) {
            throw cutOff(offset, "of " + length + " bytes, after " + count + " bytes", null);
        }
        return bytes;
    }

    private static HeapspanException cutOff(long offset, String where, @Nullable IOException cause) {
        return new HeapspanException(
                Category.MALFORMED,
                "the stream ends within the group of records that begins at its byte " + offset + ", " + where
                        + WHAT_TO_DO,
                cause);
    }

    /** Says where in a stream the group is that cannot be read. */
    static HeapspanException located(HeapspanException e, long offset) {
        return new HeapspanException(
                e.category(),
                "the group of records that begins at byte " + offset + " of the stream cannot be read: "
                        + e.getMessage() + (e.category() == Category.MALFORMED ? WHAT_TO_DO : ""),
                e);
    }
}
