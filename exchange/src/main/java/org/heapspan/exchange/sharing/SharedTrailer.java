package org.heapspan.exchange.sharing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * What follows an image that refers to shared values: the groups that have them ({@code docs/formats/exchange-protocol.md}).
 *
 * @param parts ascending by their first numbers
 */
public record SharedTrailer(List<Part> parts) {
    /** So many groups can one group refer to. */
    public static final int MOST_PARTS = 64;

    private static final int MAGIC = 0x48585356;
    private static final int PART_BYTES = 16;
    private static final int END_BYTES = 8;

    /**
     * A group whose values an image refers to.
     *
     * @param address of the group
     * @param first number of its first value in the image
     * @param count how many values it has
     */
    public record Part(long address, int first, int count) {}

    /**
     * A group as it is stored.
     *
     * @param image the bytes of the image alone
     * @param trailer what follows it
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    public record Split(ByteBuffer[] image, SharedTrailer trailer) {}

    /** The bytes that follow the image. */
    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(parts.size() * PART_BYTES + END_BYTES);
        for (Part part : parts) {
            bytes.putLong(part.address).putInt(part.first).putInt(part.count);
        }
        return bytes.putInt(parts.size()).putInt(MAGIC).array();
    }

    /**
     * Separates an image from what follows it.
     *
     * @param pieces all bytes of a group
     * @return null if the image refers to no shared values, so that nothing follows it
     * @throws HeapspanException of category MALFORMED if it does, and the bytes at the end are no trailer
     */
    public static @Nullable Split of(ByteBuffer[] pieces) {
        long sizeBytes = 0;
        for (ByteBuffer piece : pieces) {
            sizeBytes += piece.remaining();
        }
        ImageHeader header = ImageHeader.of(copy(pieces, 0, ImageHeader.BYTES));
        if (header == null || !header.refersToSharedValues()) {
            return null;
        }
        long left = sizeBytes - ImageHeader.BYTES - END_BYTES;
        if (left < 0) {
            throw malformed("it ends early");
        }
        ByteBuffer end = copy(pieces, sizeBytes - END_BYTES, END_BYTES);
        int count = end.getInt();
        int magic = end.getInt();
        if (magic != MAGIC) {
            throw malformed(String.format("the last four bytes are 0x%08x, expected 0x%08x (\"HXSV\")", magic, MAGIC));
        }
        if (count < 0 || count > MOST_PARTS || count * (long) PART_BYTES > left) {
            throw malformed("it names " + count + " groups, expected 0 to " + MOST_PARTS);
        }
        int trailerBytes = count * PART_BYTES + END_BYTES;
        return new Split(
                first(pieces, sizeBytes - trailerBytes),
                new SharedTrailer(parts(copy(pieces, sizeBytes - trailerBytes, trailerBytes), count)));
    }

    private static List<Part> parts(ByteBuffer bytes, int count) {
        List<Part> parts = new ArrayList<>(count);
        long next = 0;
        for (int i = 0; i < count; i++) {
            Part part = new Part(bytes.getLong(), bytes.getInt(), bytes.getInt());
            if (part.first < next || part.count <= 0) {
                throw malformed(
                        "the values from " + part.first + " on, " + part.count + " of them, follow value " + next);
            }
            next = (long) part.first + part.count;
            parts.add(part);
        }
        return parts;
    }

    private static HeapspanException malformed(String why) {
        return new HeapspanException(
                Category.MALFORMED, "what follows an image with shared values is malformed: " + why);
    }

    /** The bytes from an offset on, which may be in several pieces. */
    private static ByteBuffer copy(ByteBuffer[] pieces, long offset, int length) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        long skip = offset;
        for (ByteBuffer piece : pieces) {
            int remaining = piece.remaining();
            if (skip < remaining && copy.hasRemaining()) {
                int count = (int) Math.min(remaining - skip, copy.remaining());
                copy.put(piece.slice(piece.position() + (int) skip, count));
                skip = 0;
            } else {
                skip = Math.max(0, skip - remaining);
            }
        }
        return copy.flip();
    }

    private static ByteBuffer[] first(ByteBuffer[] pieces, long sizeBytes) {
        List<ByteBuffer> first = new ArrayList<>();
        long left = sizeBytes;
        for (ByteBuffer piece : pieces) {
            if (left > 0) {
                ByteBuffer part = piece.duplicate();
                part.limit(part.position() + (int) Math.min(left, part.remaining()));
                left -= part.remaining();
                first.add(part);
            }
        }
        return first.toArray(ByteBuffer[]::new);
    }
}
