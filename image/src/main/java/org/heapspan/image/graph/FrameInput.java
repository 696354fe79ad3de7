package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.IMAGE_HEADER_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameChecksum;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.StreamSource;
import org.heapspan.image.memory.KeptBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames from a source: their headers, their bytes and their number. Frames that lie in an array are read in place. Errors are
 * reported through a {@link FrameReader}. Not thread-safe.
 */
final class FrameInput {
    private static final byte[] NO_BYTES = {};
    private static final FrameSource NO_SOURCE = new FrameSource.OfArray(NO_BYTES, 0, 0);
    private static final int FIRST_STEP_BYTES = 1 << 20;

    /** Behind a frame in an array of its own, for code that reads beyond the end. */
    private static final int PADDING_BYTES = 1 << 10;

    private final FrameReader reader;
    private final long maxBytes;
    private final byte[] ownHead = new byte[FRAME_HEADER_BYTES];
    private final FrameChecksum crc = new FrameChecksum();
    private FrameSource source = NO_SOURCE;
    private boolean ended;
    private long bytesRead;
    private int framesRead;

    /** Has the latest header. */
    private byte[] head = NO_BYTES;

    // The latest frame: types, then the body.
    private byte[] bytes = NO_BYTES;
    private int start;
    private int typesBytes;
    private int bodyBytes;
    private int expectedCrc;

    /** Has the latest frame of a source that is no array, and may have the next one, also of another image. */
    private byte[] own = NO_BYTES;

    private boolean reusesArrays;

    FrameInput(FrameReader reader, long maxBytes) {
        this.reader = reader;
        this.maxBytes = maxBytes;
    }

    /**
     * Begins an image: reads its header.
     *
     * @return where it begins in {@link #head}
     */
    int begin(FrameSource newSource) {
        source = newSource;
        ended = false;
        bytesRead = 0;
        framesRead = 0;
        try {
            return readHead(IMAGE_HEADER_BYTES);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
    }

    /** Goes on with a frame of the same types, whose body the caller has, as if nothing had come before it. */
    void beginBody(int sizeBytes) {
        bytesRead = sizeBytes;
        if (sizeBytes > maxBytes) {
            throw tooManyBytes();
        }
    }

    /** Whether a frame may take the array of the one before it: only where nobody needs that one any more. */
    void reuseArrays(boolean reuse) {
        reusesArrays = reuse;
        if (!reuse) {
            own = NO_BYTES;
        }
    }

    /** Lets go of everything that belongs to the image, but for an array that has room for most frames of the next one. */
    void release() {
        if (own.length > KeptBuffer.SMALL_BYTES) {
            own = NO_BYTES;
        }
        source = NO_SOURCE;
        head = NO_BYTES;
        bytes = NO_BYTES;
    }

    byte[] head() {
        return head;
    }

    /**
     * Reads a header, in place where the source is an array: what has just been copied would keep the processor waiting.
     *
     * @return where it begins in {@link #head}
     */
    private int readHead(int sizeBytes) throws IOException {
        if (source instanceof FrameSource.OfArray array && sizeBytes <= array.bytesAhead(sizeBytes)) {
            int at = array.position();
            head = array.array();
            array.skip(sizeBytes);
            return at;
        }
        head = ownHead;
        source.readFully(ownHead, 0, sizeBytes);
        return 0;
    }

    /** Whether the image has ended, or ends here without an end frame. */
    boolean isAtEnd() {
        try {
            return ended || source.endsHere();
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
    }

    /** Whether the end frame has come. */
    boolean ended() {
        return ended;
    }

    /** Whether a frame can be read without waiting for the source. */
    boolean hasFrame() throws IOException {
        return source.hasFrame();
    }

    /**
     * Reads the next frame.
     *
     * @return false if it is the end frame
     */
    boolean next() {
        long bytesBefore = bytesRead;
        try {
            int at = readHead(FRAME_HEADER_BYTES);
            framesRead++;
            bodyBytes = (int) ImageFormat.INT.get(head, at + ImageFormat.FRAME_BODY_BYTES_OFFSET);
            typesBytes = (int) ImageFormat.INT.get(head, at + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
            expectedCrc = (int) ImageFormat.INT.get(head, at + ImageFormat.FRAME_CRC_OFFSET);
            if (bodyBytes == 0 && typesBytes == 0) {
                ended = true;
                return false;
            }
            checkSize();
            int total = typesBytes + bodyBytes;
            if (source instanceof FrameSource.OfArray array) {
                bytes = array.array();
                start = array.position();
                array.skip(total);
            } else if (source instanceof StreamSource stream && stream.isInPlace(total)) {
                bytes = stream.array();
                start = stream.position();
                stream.skip(total);
            } else {
                bytes = source instanceof FrameSource.InMemory ? copyFrame(total) : readFrame(total, at);
                start = 0;
            }
            return true;
        } catch (IOException e) {
            bytesRead = bytesBefore;
            throw FrameSource.failure(e);
        }
    }

    private void checkSize() {
        if (bodyBytes < 0 || typesBytes < 0 || (long) bodyBytes + typesBytes > ImageFormat.FRAME_LIMIT_BYTES) {
            throw reader.malformed("a frame claims " + Integer.toUnsignedString(bodyBytes) + " bytes of body and "
                    + Integer.toUnsignedString(typesBytes) + " of types, the limit is "
                    + ImageFormat.FRAME_LIMIT_BYTES);
        }
        bytesRead += (long) bodyBytes + typesBytes;
        if (bytesRead > maxBytes) {
            throw tooManyBytes();
        }
        if (source instanceof FrameSource.InMemory memory && bodyBytes + typesBytes > memory.bytesLeft()) {
            throw reader.malformed("a frame of " + (bodyBytes + typesBytes) + " bytes is announced, "
                    + memory.bytesLeft() + " follow: the image is truncated");
        }
    }

    /** Copies a frame whose bytes are there for certain. */
    private byte[] copyFrame(int total) throws IOException {
        byte[] frame = own;
        if (frame.length < total + PADDING_BYTES) {
            // Raw frames end with zeros.
            frame = reusesArrays ? KeptBuffer.newArray(total + PADDING_BYTES) : new byte[total + PADDING_BYTES];
        }
        source.readFully(frame, 0, total);
        own = reusesArrays ? frame : NO_BYTES;
        return frame;
    }

    /** Reads a frame from a stream in growing steps, so that a false length costs no more memory than bytes that came. */
    private byte[] readFrame(int total, int headAt) throws IOException {
        int first = Math.min(total, FIRST_STEP_BYTES) + PADDING_BYTES;
        byte[] frame = own.length < first ? new byte[first] : own;
        int have = 0;
        while (true) {
            int step = Math.min(total, frame.length - PADDING_BYTES) - have;
            try {
                source.readFully(frame, have, step);
            } catch (IOException e) {
                // The whole frame is read again, should the source have more to give by then.
                source.takeBack(frame, 0, have);
                source.takeBack(head, headAt, FRAME_HEADER_BYTES);
                framesRead--;
                throw e;
            }
            have += step;
            if (have == total) {
                own = reusesArrays ? frame : NO_BYTES;
                return frame;
            }
            frame = Arrays.copyOf(frame, (int) Math.min((long) total, have * 2L) + PADDING_BYTES);
        }
    }

    /**
     * Compares the checksum of the latest frame.
     *
     * @param wanted whether the image's header says that frames have one
     * @param types what is known of the frame's types, or null
     */
    void checkChecksum(boolean wanted, @Nullable DescribedTypes types) {
        int total = typesBytes + bodyBytes;
        if (!wanted) {
            checkNoChecksum(expectedCrc);
        } else if (types != null && FrameChecksum.CONTINUES) {
            compare(crc.continued(types.checksum, bytes, start + typesBytes, bodyBytes), expectedCrc, total);
        } else {
            compare(crc.of(bytes, start, total), expectedCrc, total);
        }
    }

    private void compare(int found, int expected, int sizeBytes) {
        if (found != expected) {
            throw reader.malformed(String.format(
                    "the checksum of a frame of %d bytes is 0x%08x, expected 0x%08x: the bytes were altered on the way",
                    sizeBytes, found, expected));
        }
    }

    /** Else one bit of the header, altered on the way, would leave the frames unchecked. */
    private void checkNoChecksum(int found) {
        if (found != 0) {
            throw reader.malformed(String.format(
                    "a frame has the checksum 0x%08x, and the image's header says that there are none", found));
        }
    }

    /**
     * Copies the body of the next frame to an array, if the source has it outside the Java heap and it is no more than wanted: a large array
     * is not copied twice. The latest frame stays.
     *
     * @param offset in the array, as for raw access
     * @param checksum whether the image's header says that frames have one
     * @return the length of the body; 0 if the frame must be read
     */
    int copyBody(Object array, long offset, long mostBytes, boolean checksum) {
        if (!(source instanceof FrameSource.OfBuffers buffers)) {
            return 0;
        }
        ByteBuffer buffer = buffers.outsideHeap(FRAME_HEADER_BYTES);
        if (buffer == null) {
            return 0;
        }
        int at = buffer.position();
        int body = buffer.getInt(at + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        if (buffer.getInt(at + ImageFormat.FRAME_TYPES_BYTES_OFFSET) != 0
                || body <= 0
                || body > mostBytes
                || body > buffer.remaining() - FRAME_HEADER_BYTES) {
            return 0;
        }
        int expected = buffer.getInt(at + ImageFormat.FRAME_CRC_OFFSET);
        bytesRead += body;
        if (bytesRead > maxBytes) {
            throw tooManyBytes();
        }
        framesRead++;
        buffers.skip(FRAME_HEADER_BYTES);
        if (checksum) {
            compare(crc.of(buffer.slice(at + FRAME_HEADER_BYTES, body)), expected, body);
        } else {
            checkNoChecksum(expected);
        }
        buffers.copy(array, offset, body);
        return body;
    }

    /** The array with the latest frame. */
    byte[] bytes() {
        return bytes;
    }

    /** Where the types of the latest frame begin in {@link #bytes}, with its body behind them. */
    int start() {
        return start;
    }

    int typesBytes() {
        return typesBytes;
    }

    int bodyBytes() {
        return bodyBytes;
    }

    /** How many bytes of types and bodies have come. */
    long bytesRead() {
        return bytesRead;
    }

    /** How many bytes the image has, as far as it has come, with all headers. */
    long imageBytes() {
        return IMAGE_HEADER_BYTES + bytesRead + (long) framesRead * FRAME_HEADER_BYTES;
    }

    /**
     * How many bytes an image lacks that has to go on up to a position.
     *
     * @param end in bytes of types and bodies; beyond the latest frame
     * @param believed whether it is known to go on so far; then no stream is read ahead, which would take as much memory as the contents
     */
    long missingBytes(long end, boolean believed) {
        if (end > maxBytes) {
            throw tooManyBytes();
        }
        if (believed && !(source instanceof FrameSource.InMemory)) {
            return 0;
        }
        long known = bytesRead;
        try {
            known += source.bytesAhead(end - known);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
        return Math.max(end - known, 0);
    }

    private HeapspanException tooManyBytes() {
        return new HeapspanException(
                Category.LIMIT, "the image has more than " + maxBytes + " bytes, the limit of this reader (maxBytes)");
    }
}
