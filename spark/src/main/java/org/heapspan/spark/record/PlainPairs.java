package org.heapspan.spark.record;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * A group of pairs whose keys are all of one {@link PlainKind}, and their values too: the records of most shuffles of numbers, strings and byte
 * arrays, without a byte for what they are. {@link OpenPairs} writes it. Its first bits are 10.
 *
 * <pre>
 *    0        1
 *   +--------+--------+------------------- - -
 *   |  head  | kinds  |  1 to 7 pairs                      not checked
 *   +--------+--------+--------+-------------+--------- - -
 *   |  head  | kinds  | length | crc32c      |  pairs     any number of pairs
 *   +--------+--------+--------+-------------+--------- - -
 *     head: 10 last:1 specialized:1 parity:1 count:3; kinds: key:4 value:4
 * </pre>
 *
 * <p>{@code docs/formats/record-streams.md} specifies it.
 *
 * @param records the pairs
 * @param sizeBytes how many bytes the group has
 * @param isLast whether it ends its stream
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record PlainPairs(@Nullable Object[] records, long sizeBytes, boolean isLast) {
    /** So many pairs can do without a length. */
    static final int MOST_COUNTED = 7;

    /** So many bytes the pairs have at most that do without a length: they are read one by one. */
    static final int MOST_COUNTED_BYTES = 1 << 10;

    private static final int HEAD_BYTES = 2;

    private static final int PAIRS = 0x80;
    private static final int LAST = 0x20;
    private static final int SPECIALIZED = 0x10;
    private static final int PARITY = 0x08;
    private static final int KIND_BITS = 4;

    /** Whether such a group begins with these bytes. Those of other serializers are none of them. */
    static boolean isHead(int first, int kinds) {
        if ((first & 0xC0) != PAIRS
                || kinds == 0
                || !PlainKind.isCode(kinds >>> KIND_BITS)
                || !PlainKind.isCode(valueCode(kinds))) {
            return false;
        }
        boolean fits = (first & SPECIALIZED) == 0
                || PlainKind.ofCode(kinds >>> KIND_BITS).letter != PlainKind.NOT_SPECIALIZED
                        && PlainKind.ofCode(valueCode(kinds)).letter != PlainKind.NOT_SPECIALIZED;
        return fits && hasEvenParity(first ^ PAIRS);
    }

    private static int valueCode(int kinds) {
        return kinds & (1 << KIND_BITS) - 1;
    }

    /** Whether it is what {@link GroupFraming#readPrefix} returns for such a group. */
    static boolean isPrefix(int prefix) {
        return (prefix >>> 24 & 0xC0) == PAIRS;
    }

    /**
     * The first byte of a group.
     *
     * @param count of pairs; 0 if a length follows
     */
    static byte head(boolean last, boolean specialized, int count) {
        int head = PAIRS | (last ? LAST : 0) | (specialized ? SPECIALIZED : 0) | count;
        return (byte) (hasEvenParity(head ^ PAIRS) ? head : head | PARITY);
    }

    private static boolean hasEvenParity(int bits) {
        return (Integer.bitCount(bits) & 1) == 0;
    }

    static byte kinds(PlainKind key, PlainKind value) {
        return (byte) (key.code << KIND_BITS | value.code);
    }

    static int checksum(byte kinds, byte[] body, int bodyBytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(kinds);
        checksum.update(body, 0, bodyBytes);
        return (int) checksum.getValue();
    }

    /**
     * Reads a group.
     *
     * @param prefix its first two bytes, which have been read, as the upper ones
     * @param engine lends memory
     * @param offset where the group begins, for messages
     * @throws IOException if the stream fails
     * @throws HeapspanException if the stream ends within the group, or the bytes are no such group
     */
    static PlainPairs read(int prefix, InputStream source, RecordEngine engine, long offset) throws IOException {
        try {
            return readPairs(prefix, source, engine, offset);
        } catch (EOFException e) {
            throw GroupFraming.cutOff(offset, "which has plain pairs", e);
        } catch (HeapspanException e) {
            throw GroupFraming.located(e, offset);
        }
    }

    private static PlainPairs readPairs(int prefix, InputStream source, RecordEngine engine, long offset)
            throws IOException {
        int head = prefix >>> 24;
        int kinds = prefix >>> 16 & 0xFF;
        PlainKind key = PlainKind.ofCode(kinds >>> KIND_BITS);
        PlainKind value = PlainKind.ofCode(valueCode(kinds));
        SpecializedPairs specialized = (head & SPECIALIZED) == 0 ? null : SpecializedPairs.of(key, value);
        if ((head & SPECIALIZED) != 0 && specialized == null) {
            throw new HeapspanException(
                    Category.ACCESS, "this Scala library has no tuple for " + key.letter + value.letter);
        }
        boolean isLast = (head & LAST) != 0;
        int count = head & MOST_COUNTED;
        if (count == 0) {
            return readChecked((byte) kinds, key, value, specialized, source, engine, offset, isLast);
        }
        PlainInput input = new PlainInput(source, MOST_COUNTED_BYTES);
        @Nullable Object[] records = new Object[count];
        for (int i = 0; i < count; i++) {
            records[i] = pair(key.read(input), value.read(input), specialized);
        }
        return new PlainPairs(records, HEAD_BYTES + input.position(), isLast);
    }

    private static PlainPairs readChecked(
            byte kinds,
            PlainKind key,
            PlainKind value,
            @Nullable SpecializedPairs specialized,
            InputStream source,
            RecordEngine engine,
            long offset,
            boolean isLast)
            throws IOException {
        PlainInput head = new PlainInput(source, MOST_COUNTED_BYTES);
        long length = head.readNumber();
        int expected = (int) head.readFixed(Integer.BYTES);
        if (length <= 0 || length > GroupFraming.LARGEST_LENGTH) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the pairs have " + Long.toUnsignedString(length) + " bytes, expected 1 to "
                            + GroupFraming.LARGEST_LENGTH);
        }
        byte[] body = GroupFraming.read(source, (int) length, engine, offset);
        int actual = checksum(kinds, body, (int) length);
        if (actual != expected) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the checksum of " + length + " bytes of pairs is " + Integer.toHexString(actual) + ", expected "
                            + Integer.toHexString(expected) + ": the bytes were altered on the way");
        }
        PlainInput input = new PlainInput(body, (int) length);
        List<@Nullable Object> records = new ArrayList<>();
        while (!input.isAtEnd()) {
            records.add(pair(key.read(input), value.read(input), specialized));
        }
        engine.giveBack(body);
        return new PlainPairs(records.toArray(), HEAD_BYTES + head.position() + length, isLast);
    }

    private static Tuple2<?, ?> pair(
            @Nullable Object key, @Nullable Object value, @Nullable SpecializedPairs specialized) {
        return specialized == null ? new Tuple2<>(key, value) : specialized.make(key, value);
    }

    /** The bytes of a group whose pairs are these. */
    static byte[] framed(boolean last, boolean specialized, byte kinds, int count, boolean checked, PlainOutput pairs) {
        int bodyBytes = pairs.count();
        boolean counted = !checked && count <= MOST_COUNTED && bodyBytes <= MOST_COUNTED_BYTES;
        PlainOutput head = new PlainOutput();
        head.writeFixed(head(last, specialized, counted ? count : 0), 1);
        head.writeFixed(kinds, 1);
        if (!counted) {
            head.writeNumber(bodyBytes);
            head.writeFixed(checksum(kinds, pairs.array(), bodyBytes), Integer.BYTES);
        }
        return ByteBuffer.allocate(head.count() + bodyBytes)
                .put(head.array(), 0, head.count())
                .put(pairs.array(), 0, bodyBytes)
                .array();
    }
}
