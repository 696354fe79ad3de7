package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.IMAGE_HEADER_BYTES;

import org.heapspan.image.format.ImageFormat;

/**
 * Writes what precedes the body of a frame: the image header if it has not been written yet, the frame header, and the descriptions of
 * types that are new in the frame. Not thread-safe.
 */
final class FrameHead {
    private final OutputTypes types;
    private final BodyChecksum checksum;
    private int flags;
    private boolean headerWritten;

    FrameHead(OutputTypes types, BodyChecksum checksum) {
        this.types = types;
        this.checksum = checksum;
    }

    /** Begins an image with {@code ImageFormat.FLAG_*}. */
    void begin(int newFlags) {
        flags = newFlags;
        headerWritten = false;
    }

    /** Whether the image header has been put before a frame. */
    boolean headerWritten() {
        return headerWritten;
    }

    void setHeaderWritten(boolean written) {
        headerWritten = written;
    }

    /** Whether the image is one of records, which may say in its header that no object comes twice. */
    boolean isOfRecords() {
        return (flags & ImageFormat.RECORD_FLAGS) != 0;
    }

    /** The byte of the image header, at {@code ImageFormat.FLAGS_OFFSET}, that has the flags below 256. */
    byte lowFlags(int moreFlags) {
        return (byte) (flags | moreFlags);
    }

    /** How many bytes it has before the current frame. */
    int sizeBytes() {
        return (headerWritten ? 0 : IMAGE_HEADER_BYTES) + FRAME_HEADER_BYTES + types.frameBytes();
    }

    /**
     * Puts it in front of a body, which lies there already.
     *
     * @param start where it begins; the body begins {@link #sizeBytes} behind
     * @param encoding {@code ImageFormat.ENCODING_*}
     * @param moreFlags what is known of the image by now
     */
    void put(byte[] target, int start, int bodyBytes, int encoding, int moreFlags) {
        int frame = start;
        if (!headerWritten) {
            ImageFormat.putImageHeader(target, start, encoding, flags | moreFlags);
            headerWritten = true;
            frame += IMAGE_HEADER_BYTES;
        }
        int typesAt = frame + FRAME_HEADER_BYTES;
        int typesBytes = types.frameBytes();
        FrameTypes described = types.descriptions();
        described.copyTo(target, typesAt, typesBytes);
        int sum = checksum.of(described, typesBytes, target, typesAt, bodyBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET, typesBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_CRC_OFFSET, sum);
    }

    /** Where in a copied frame its body begins. */
    static int bodyOffset(byte[] frame, boolean withImageHeader) {
        int typesAt = (withImageHeader ? IMAGE_HEADER_BYTES : 0) + FRAME_HEADER_BYTES;
        int typesBytes =
                (int) ImageFormat.INT.get(frame, typesAt - FRAME_HEADER_BYTES + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        return typesAt + typesBytes;
    }
}
