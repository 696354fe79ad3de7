package org.heapspan.spark.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/**
 * A group as it lies in a stream ({@link GroupFraming}). A group whose classes are numbers of the application's registry, and whose types and
 * body are short, has a short form: without the image header and without the identity of the registry, which its reader knows. That saves 36
 * bytes of 44 for each block of a shuffle. If it is very short, and does not need a checksum, it has the least form, which saves six more.
 *
 * <pre>
 *    0        4        8
 *   +--------+--------+-------------------+------------ - -
 *   |  head  | crc32c | types without the |    body
 *   |        |        | identity          |
 *   +--------+--------+-------------------+------------ - -
 *     big-endian: 110 last:1 noBackReferences:1 typesBytes:11 bodyBytes:16
 *   +--------+--------+-------------------+------------ - -
 *   |  head  |  body  | types without the |    body               the least form
 *   |        |  bytes | identity          |
 *   +--------+--------+-------------------+------------ - -
 *     1110 last:1 noBackReferences:1 typesBytes-1:2, of which 3 is none
 * </pre>
 *
 * <p>{@code last} stands for the mark of the stream's end behind this group. The checksum is that of the whole frame, with the identity: it does
 * not hold where the reader has another registry. {@code docs/formats/record-streams.md} specifies it.
 *
 * @param head what is before the content
 * @param content the rest, from its position to its limit
 */
record FramedGroup(byte[] head, ByteBuffer content) {
    private static final int SHORT_HEAD_BYTES = 8;
    private static final int LEAST_HEAD_BYTES = 2;

    private static final int SHORT = 0xC000_0000;
    private static final int SHORT_MASK = 0xE000_0000;
    private static final int LAST = 0x1000_0000;
    private static final int NO_BACK_REFERENCES = 0x0800_0000;
    private static final int TYPES_SHIFT = 16;
    private static final int MOST_TYPES_BYTES = 0x7FF;
    private static final int MOST_BODY_BYTES = 0xFFFF;

    private static final int LEAST = 0xE000_0000;
    private static final int LEAST_MASK = 0xF000_0000;
    private static final int LEAST_LAST = 0x0800_0000;
    private static final int LEAST_NO_BACK_REFERENCES = 0x0400_0000;
    private static final int LEAST_TYPES_SHIFT = 24;
    private static final int LEAST_MOST_TYPES_BYTES = 3;
    private static final int LEAST_BODY_SHIFT = 16;
    private static final int LEAST_MOST_BODY_BYTES = 0xFF;

    /** The flags of a group that can be short, but for the one that the head holds. */
    private static final int FLAGS =
            ImageFormat.FLAG_CHECKSUM | ImageFormat.FLAG_RECORD_SCOPE | ImageFormat.FLAG_REGISTRY;

    private static final int FRAME = ImageFormat.IMAGE_HEADER_BYTES;
    private static final int TYPES = FRAME + ImageFormat.FRAME_HEADER_BYTES;

    /** What the short form leaves out. */
    private static final int TYPES_BEHIND_IDENTITY = TYPES + ImageFormat.REGISTRY_ID_BYTES;

    /**
     * Frames a group, in the short form if it can.
     *
     * @param group an image of records; the content shares its bytes
     * @param registry the identity of the registry whose numbers are in the group, or null
     * @param checked whether it needs a checksum, however short it is
     */
    static FramedGroup of(ByteBuffer group, @Nullable UUID registry, boolean checked) {
        ByteBuffer image = group.slice().order(ByteOrder.LITTLE_ENDIAN);
        int flags = flags(image, registry);
        if (flags < 0) {
            return new FramedGroup(GroupFraming.prefix(image.remaining()), image);
        }
        int types = image.getInt(FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET) - ImageFormat.REGISTRY_ID_BYTES;
        int body = image.getInt(FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        boolean noBackReferences = (flags & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0;
        if (!checked && types > 0 && types <= LEAST_MOST_TYPES_BYTES && body <= LEAST_MOST_BODY_BYTES) {
            int least = LEAST
                    | (noBackReferences ? LEAST_NO_BACK_REFERENCES : 0)
                    | types - 1 << LEAST_TYPES_SHIFT
                    | body << LEAST_BODY_SHIFT;
            return new FramedGroup(
                    new byte[] {(byte) (least >>> 24), (byte) (least >>> 16)}, image.position(TYPES_BEHIND_IDENTITY));
        }
        byte[] head = new byte[SHORT_HEAD_BYTES];
        ByteBuffer.wrap(head)
                .putInt(SHORT | (noBackReferences ? NO_BACK_REFERENCES : 0) | types << TYPES_SHIFT | body)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(image.getInt(FRAME + ImageFormat.FRAME_CRC_OFFSET));
        return new FramedGroup(head, image.position(TYPES_BEHIND_IDENTITY));
    }

    /** The flags of an image that can be short, or a negative number. */
    private static int flags(ByteBuffer image, @Nullable UUID registry) {
        if (registry == null
                || image.remaining() < TYPES_BEHIND_IDENTITY
                || image.getInt(0) != ImageFormat.MAGIC
                || image.get(ImageFormat.VERSION_OFFSET) != ImageFormat.VERSION
                || image.get(ImageFormat.ENCODING_OFFSET) != ImageFormat.ENCODING_COMPACT) {
            return -1;
        }
        int flags = image.getShort(ImageFormat.FLAGS_OFFSET);
        long types = image.getInt(FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        long body = image.getInt(FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        boolean fits = (flags & ~ImageFormat.FLAG_NO_BACK_REFERENCES) == FLAGS
                && TYPES + types + body == image.remaining()
                && types >= ImageFormat.REGISTRY_ID_BYTES
                && types - ImageFormat.REGISTRY_ID_BYTES <= MOST_TYPES_BYTES
                && body >= 0
                && body <= MOST_BODY_BYTES
                && image.getLong(TYPES) == registry.getMostSignificantBits()
                && image.getLong(TYPES + Long.BYTES) == registry.getLeastSignificantBits();
        return fits ? flags : -1;
    }

    /** What it takes in the stream. */
    long sizeBytes() {
        return head.length + (long) content.remaining();
    }

    void writeTo(OutputStream target) throws IOException {
        target.write(head, 0, head.length);
        target.write(content.array(), content.arrayOffset() + content.position(), content.remaining());
    }

    /** Writes it as the last group of its stream, and the end of the stream. */
    void writeLastTo(OutputStream target) throws IOException {
        if (head.length == SHORT_HEAD_BYTES) {
            head[0] |= LAST >>> 24;
            writeTo(target);
        } else if (head.length == LEAST_HEAD_BYTES) {
            head[0] |= LEAST_LAST >>> 24;
            writeTo(target);
        } else {
            writeTo(target);
            GroupFraming.writeEnd(target);
        }
    }

    /** Whether the first bytes of a group, as the upper ones of a big-endian number, are those of the short or the least form. */
    static boolean isShort(int prefix) {
        return (prefix & SHORT_MASK) == SHORT || isLeast(prefix);
    }

    /** Whether the first byte of a group is that of the least form, which has a head of two bytes. */
    static boolean isLeastFirstByte(int first) {
        return isLeast(first << LEAST_TYPES_SHIFT);
    }

    private static boolean isLeast(int prefix) {
        // Marks have the same upper bits.
        return (prefix & LEAST_MASK) == LEAST && (prefix >>> LEAST_TYPES_SHIFT & 3) < LEAST_MOST_TYPES_BYTES;
    }

    /** Whether the stream ends behind a short group. */
    static boolean isLast(int prefix) {
        return (prefix & (isLeast(prefix) ? LEAST_LAST : LAST)) != 0;
    }

    private static boolean hasNoBackReferences(int prefix) {
        return (prefix & (isLeast(prefix) ? LEAST_NO_BACK_REFERENCES : NO_BACK_REFERENCES)) != 0;
    }

    /** What a short group has behind the bytes of its prefix. */
    static int followingBytes(int prefix) {
        return (isLeast(prefix) ? 0 : Integer.BYTES) + typesBytes(prefix) + bodyBytes(prefix);
    }

    /** What a short group takes in the stream. */
    static int sizeBytes(int prefix) {
        return (isLeast(prefix) ? LEAST_HEAD_BYTES : GroupFraming.LENGTH_BYTES) + followingBytes(prefix);
    }

    private static int typesBytes(int prefix) {
        return isLeast(prefix) ? (prefix >>> LEAST_TYPES_SHIFT & 3) + 1 : prefix >>> TYPES_SHIFT & MOST_TYPES_BYTES;
    }

    private static int bodyBytes(int prefix) {
        return isLeast(prefix) ? prefix >>> LEAST_BODY_SHIFT & LEAST_MOST_BODY_BYTES : prefix & MOST_BODY_BYTES;
    }

    /** The length of the image that a short group stands for. */
    static int imageBytes(int prefix) {
        return TYPES_BEHIND_IDENTITY + typesBytes(prefix) + bodyBytes(prefix);
    }

    /**
     * Makes the image that a short group stands for.
     *
     * @param image takes it, from its beginning; at least {@link #imageBytes} long
     * @param registry identity of the registry
     * @param source stands behind the bytes of the prefix
     * @return how many bytes of {@link #followingBytes} there were; fewer where the source has ended
     */
    static int readImage(int prefix, UUID registry, InputStream source, byte[] image) throws IOException {
        int flags = FLAGS | (hasNoBackReferences(prefix) ? ImageFormat.FLAG_NO_BACK_REFERENCES : 0);
        int checksum = FRAME + ImageFormat.FRAME_CRC_OFFSET;
        int checksumBytes = Integer.BYTES;
        if (isLeast(prefix)) {
            flags &= ~ImageFormat.FLAG_CHECKSUM;
            checksumBytes = 0;
            Arrays.fill(image, checksum, checksum + Integer.BYTES, (byte) 0);
        }
        int count = source.readNBytes(image, checksum, checksumBytes);
        ByteBuffer.wrap(image)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, ImageFormat.MAGIC)
                .put(ImageFormat.VERSION_OFFSET, (byte) ImageFormat.VERSION)
                .put(ImageFormat.ENCODING_OFFSET, (byte) ImageFormat.ENCODING_COMPACT)
                .putShort(ImageFormat.FLAGS_OFFSET, (short) flags)
                .putInt(FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes(prefix))
                .putInt(
                        FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET,
                        ImageFormat.REGISTRY_ID_BYTES + typesBytes(prefix))
                .putLong(TYPES, registry.getMostSignificantBits())
                .putLong(TYPES + Long.BYTES, registry.getLeastSignificantBits());
        return count < checksumBytes
                ? count
                : count + source.readNBytes(image, TYPES_BEHIND_IDENTITY, typesBytes(prefix) + bodyBytes(prefix));
    }
}
