package org.heapspan.spark.record;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * How groups lie in a stream: one after the other, each behind its length, and behind the last one a mark. Groups check themselves (magic
 * number, version, CRC32C), so that a wrong length is noticed whatever it is; the mark tells a stream that was cut off between two groups from
 * one that has ended. Streams may be put one behind the other, as Spark does with blocks of shuffles that it fetches or merges together: a
 * reader goes on behind a mark, and is content where the bytes end there. A stream without records is its mark; no bytes at all are no stream.
 *
 * <p>Small groups with numbers for classes have a short form, {@link FramedGroup}, which can hold the mark as well. Its first bits are 110 or 1110.
 * Pairs of plain values have a form of their own, {@link PlainPairs}, with the mark in it too. Its first bits are 10.
 *
 * <p>A record that is longer than a group can be lies there as an image of its own, which says itself where it ends.
 *
 * <pre>
 *    0        4
 *   +--------+---------------- - - -
 *   | length | length bytes: a group of docs/formats/image.md      none, one or more of these
 *   +--------+---------------- - - -
 *     int, big-endian, 1 to 2^31 - 9
 *   +--------+---------------- - - -
 *   |  mark  | a record: an image of docs/formats/image.md with its end frame; bytes of the mark EF 4C 4E 47
 *   +--------+---------------- - - -
 *   +--------+
 *   |  mark  |      bytes EF 45 4E 44, as a length negative; not zeros, which are what a disk leaves of lost blocks
 *   +--------+
 * </pre>
 *
 * <p>{@code docs/formats/record-streams.md} specifies all of it.
 */
final class GroupFraming {
    static final int LENGTH_BYTES = 4;

    /** What every group has. */
    private static final int LEAST_BYTES = 2;

    static final int LARGEST_LENGTH = Integer.MAX_VALUE - 8;

    /** What {@link #readPrefix} returns for the mark, behind which another stream may begin. */
    static final int END_OF_STREAM = -1;

    /** What {@link #readPrefix} returns where there are no further bytes, which is behind a mark. */
    static final int END_OF_SOURCE = -2;

    /** What {@link #readPrefix} returns where a long record begins. */
    static final int LONG_RECORD = -3;

    /** What {@link #readPrefix} returns where the stream is one of Java serialization. */
    static final int JAVA = -4;

    private static final int MARK = 0xEF45_4E44;
    private static final int LONG_RECORD_MARK = 0xEF4C_4E47;

    private static final byte[] MARK_BYTES = prefix(MARK);

    /** A length up to this one is believed before the bytes have come. */
    private static final int BELIEVED_LENGTH = 1 << 20;

    private static final String WHAT_TO_DO =
            "; the block is damaged or truncated, or HeapspanSerializer did not write it (read files of another"
                    + " application with the spark.serializer that wrote them; shuffle blocks of another application cannot be"
                    + " read)";

    private GroupFraming() {}

    /** Writes what is behind the last group of a stream. */
    static void writeEnd(OutputStream target) throws IOException {
        target.write(MARK_BYTES, 0, LENGTH_BYTES);
    }

    /** Writes what is before the image of a long record. */
    static void writeLongRecord(OutputStream target) throws IOException {
        target.write(prefix(LONG_RECORD_MARK), 0, LENGTH_BYTES);
    }

    /** The first four bytes of a group, or of what is in the place of one. */
    static byte[] prefix(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }

    /**
     * Reads what a group begins with, or the mark in its place.
     *
     * @param source a stream that stands where a group, a mark or a stream begins, or at its end
     * @param prefix takes the bytes of the length
     * @param offset how many bytes of it were read before, for messages
     * @param ended whether what was read last is a mark, so that the source may end here
     * @return the length, what a short group ({@link FramedGroup#isShort}) or plain pairs ({@link PlainPairs#isPrefix}) begin with,
     *     {@link #LONG_RECORD}, {@link #JAVA}, {@link #END_OF_STREAM} or {@link #END_OF_SOURCE}
     * @throws IOException if the stream fails
     * @throws HeapspanException if the stream ends without a mark or within the length, or no group begins here
     */
    static int readPrefix(InputStream source, byte[] prefix, long offset, boolean ended) throws IOException {
        int count;
        try {
            // The shortest forms may have fewer bytes than a length.
            count = source.readNBytes(prefix, 0, LEAST_BYTES);
            if (count == LEAST_BYTES) {
                int first = prefix[0] & 0xFF;
                if (PlainPairs.isHead(first, prefix[1] & 0xFF) || FramedGroup.isLeastFirstByte(first)) {
                    return first << 24 | (prefix[1] & 0xFF) << 16;
                }
                count += source.readNBytes(prefix, count, LENGTH_BYTES - count);
            }
        } catch (EOFException e) {
            // Not the end, which is no exception: a stream below, such as one that decompresses, misses bytes. Spark
            // would take it for the end.
            throw cutOff(offset, "before its length or within it", e);
        }
        if (count == 0) {
            if (ended) {
                return END_OF_SOURCE;
            }
            throw new HeapspanException(
                    Category.MALFORMED, "the stream ends at its byte " + offset + " without its end mark" + WHAT_TO_DO);
        }
        if (count < LENGTH_BYTES) {
            throw cutOff(offset, "within its length, after " + count + " bytes", null);
        }
        int length = prefix[0] << 24 | (prefix[1] & 0xFF) << 16 | (prefix[2] & 0xFF) << 8 | prefix[3] & 0xFF;
        if (length == MARK) {
            return END_OF_STREAM;
        }
        if (length == LONG_RECORD_MARK) {
            return LONG_RECORD;
        }
        if (FramedGroup.isShort(length)) {
            return length;
        }
        if (length == JavaStream.FIRST_BYTES && offset == 0) {
            return JAVA;
        }
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
     * @param length what {@link #readPrefix} returned
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

    /**
     * Reads a short group.
     *
     * @param prefix what {@link #readPrefix} returned
     * @return an array that begins with the image of the group; the engine takes it back
     * @throws IOException if the stream fails
     * @throws HeapspanException if the stream ends within the group, or this JVM has no registry
     */
    static byte[] readShort(InputStream source, int prefix, RecordEngine engine, long offset) throws IOException {
        TypeRegistry registry = engine.forShuffle().registry();
        if (registry == null) {
            throw new HeapspanException(
                    Category.USAGE,
                    "the group of records that begins at byte " + offset
                            + " of the stream has numbers of an application's registry for its classes, and this JVM has no registry: read"
                            + " shuffle blocks in the application that wrote them");
        }
        int following = FramedGroup.followingBytes(prefix);
        byte[] image = engine.takeArray(FramedGroup.imageBytes(prefix));
        int count;
        try {
            count = FramedGroup.readImage(prefix, registry.id(), source, image);
        } catch (EOFException e) {
            throw cutOff(offset, "of " + following + " further bytes", e);
        }
        if (count < following) {
            throw cutOff(offset, "of " + following + " further bytes, after " + count + " bytes", null);
        }
        return image;
    }

    /** Says that a stream ends within a group, which a stream below has noticed or not. */
    static HeapspanException cutOff(long offset, String where, @Nullable IOException cause) {
        return new HeapspanException(
                Category.MALFORMED,
                "the stream ends within the group of records that begins at byte " + offset + ", " + where + WHAT_TO_DO,
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
