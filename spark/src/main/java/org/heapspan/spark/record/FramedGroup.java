package org.heapspan.spark.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/**
 * A group as it lies in a stream ({@link GroupFraming}). A group whose classes are numbers of the application's registry, and whose types and
 * body are short, has a short form: without the image header and without the identity of the registry, which its reader knows. That saves 36
 * bytes of 44 for each block of a shuffle.
 *
 * <pre>
 *    0        4        8
 *   +--------+--------+-------------------+------------ - -
 *   |  head  | crc32c | types without the |    body
 *   |        |        | identity          |
 *   +--------+--------+-------------------+------------ - -
 *     big-endian: 110 last:1 noBackReferences:1 typesBytes:11 bodyBytes:16
 * </pre>
 *
 * <p>{@code last} stands for the mark of the stream's end behind this group. The checksum is that of the whole frame, with the identity: it does
 * not hold where the reader has another registry.
 *
 * @param head what is before the content
 * @param content the rest, from its position to its limit
 */
record FramedGroup(byte[] head, ByteBuffer content) {
    static final int SHORT_HEAD_BYTES = 8;

    private static final int SHORT = 0xC000_0000;
    private static final int SHORT_MASK = 0xE000_0000;
    private static final int LAST = 0x1000_0000;
    private static final int NO_BACK_REFERENCES = 0x0800_0000;
    private static final int TYPES_SHIFT = 16;
    private static final int MOST_TYPES_BYTES = 0x7FF;
    private static final int MOST_BODY_BYTES = 0xFFFF;

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
     */
    static FramedGroup of(ByteBuffer group, @Nullable UUID registry) {
        ByteBuffer image = group.slice().order(ByteOrder.LITTLE_ENDIAN);
        int flags = flags(image, registry);
        if (flags < 0) {
            return new FramedGroup(GroupFraming.prefix(image.remaining()), image);
        }
        int types = image.getInt(FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET) - ImageFormat.REGISTRY_ID_BYTES;
        int body = image.getInt(FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        boolean noBackReferences = (flags & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0;
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

    private boolean isShort() {
        return head.length == SHORT_HEAD_BYTES;
    }

    void writeTo(OutputStream target) throws IOException {
        target.write(head, 0, head.length);
        target.write(content.array(), content.arrayOffset() + content.position(), content.remaining());
    }

    /** Writes it as the last group of its stream, and the end of the stream. */
    void writeLastTo(OutputStream target) throws IOException {
        if (isShort()) {
            head[0] |= LAST >>> 24;
            writeTo(target);
        } else {
            writeTo(target);
            GroupFraming.writeEnd(target);
        }
    }

    /** Whether the first four bytes of a group, as a big-endian number, are those of the short form. */
    static boolean isShort(int prefix) {
        return (prefix & SHORT_MASK) == SHORT;
    }

    /** Whether a short group ends its stream. */
    static boolean isLast(int prefix) {
        return (prefix & LAST) != 0;
    }

    /** How many bytes follow the first four of a short group. */
    static int followingBytes(int prefix) {
        return Integer.BYTES + typesBytes(prefix) + bodyBytes(prefix);
    }

    private static int typesBytes(int prefix) {
        return prefix >>> TYPES_SHIFT & MOST_TYPES_BYTES;
    }

    private static int bodyBytes(int prefix) {
        return prefix & MOST_BODY_BYTES;
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
     * @param source stands behind the first four bytes
     * @return how many bytes of {@link #followingBytes} there were; fewer where the source has ended
     */
    static int readImage(int prefix, UUID registry, InputStream source, byte[] image) throws IOException {
        int flags = FLAGS | ((prefix & NO_BACK_REFERENCES) != 0 ? ImageFormat.FLAG_NO_BACK_REFERENCES : 0);
        int checksum = FRAME + ImageFormat.FRAME_CRC_OFFSET;
        int count = source.readNBytes(image, checksum, Integer.BYTES);
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
        return count < Integer.BYTES
                ? count
                : count + source.readNBytes(image, TYPES_BEHIND_IDENTITY, typesBytes(prefix) + bodyBytes(prefix));
    }
}
