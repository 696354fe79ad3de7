package org.heapspan.image.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageReader;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the bodies of an image's frames to {@link InspectWalk} through a window of bounded size, and keeps account of the
 * frames: their sizes, whether their checksums match. Frames of any length take no more memory than the window.
 */
final class InspectSource {
    /** Takes notice of the types that a frame describes. */
    interface TypesListener {
        void describe(byte[] types);
    }

    private static final int WINDOW_BYTES = 64 << 10;
    /** A thousandth of it is plenty; what is decoded from it takes some thirty times as much memory. */
    private static final int TYPES_LIMIT_BYTES = 8 << 20;

    private static final int FRAMES_KEPT = 1000;

    private final InputStream stream;
    private final TypesListener listener;
    private final byte[] head = new byte[ImageFormat.FRAME_HEADER_BYTES];
    private final CRC32C crc = new CRC32C();

    private byte[] window = new byte[WINDOW_BYTES];
    private int position;
    private int end;
    /** Bytes of the current frame's body that are not in the window yet. */
    private int left;

    private long bytesRead;
    private long bodyLoaded;
    private boolean ended;
    private @Nullable HeapspanException truncation;

    private int version;
    private boolean raw;
    private int flags;
    private final List<InspectedImage.Frame> frames = new ArrayList<>();
    private long frameCount;
    private long mismatchCount;
    private long typesBytes;
    private long bodyBytes;
    private boolean endFrame;
    private long trailingBytes;

    // The current frame.
    private long frameOffset;
    private int frameBodyBytes;
    private int frameTypesBytes;
    private int frameCrc;

    InspectSource(InputStream stream, TypesListener listener) {
        this.stream = stream;
        this.listener = listener;
    }

    // ---------------------------------------------------------------- header and frames

    /** Reads the image header; refuses what {@link ImageReader} refuses. */
    void begin() throws IOException {
        int have = read(head, 0, ImageFormat.IMAGE_HEADER_BYTES);
        int magic = (int) ImageFormat.INT.get(head, 0);
        if (have < 4 || magic != ImageFormat.MAGIC) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    have < 4
                            ? "these bytes are not an object image: there are " + have + " of them, expected at least "
                                    + ImageFormat.IMAGE_HEADER_BYTES
                            : String.format(
                                    "these bytes are not an object image: they begin with 0x%08x, expected 0x%08x"
                                            + " (\"HSPI\")",
                                    Integer.reverseBytes(magic), Integer.reverseBytes(ImageFormat.MAGIC)));
        }
        if (have < ImageFormat.IMAGE_HEADER_BYTES) {
            throw truncated(ImageFormat.IMAGE_HEADER_BYTES, have);
        }
        version = head[ImageFormat.VERSION_OFFSET] & 0xFF;
        if (version != ImageFormat.VERSION) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has format version " + version + ", this release reads version " + ImageFormat.VERSION
                            + "; inspect it with the release that wrote it");
        }
        int encoding = head[ImageFormat.ENCODING_OFFSET] & 0xFF;
        raw = encoding == ImageFormat.ENCODING_RAW;
        if (!raw && encoding != ImageFormat.ENCODING_COMPACT) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has encoding " + encoding + ", this release knows compact ("
                            + ImageFormat.ENCODING_COMPACT + ") and raw (" + ImageFormat.ENCODING_RAW + ")");
        }
        flags = (short) ImageFormat.SHORT.get(head, ImageFormat.FLAGS_OFFSET) & 0xFFFF;
        if ((flags & ~ImageFormat.KNOWN_FLAGS) != 0) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has flags 0x" + Integer.toHexString(flags) + ", of which this release knows 0x"
                            + Integer.toHexString(ImageFormat.KNOWN_FLAGS));
        }
    }

    boolean isRaw() {
        return raw;
    }

    /** How many bytes of the current frame's body have not been consumed. */
    long frameBytesLeft() {
        return (long) left + (end - position);
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    InspectedImage.Header header(@Nullable UUID registry) {
        return new InspectedImage.Header(
                version, has(ImageFormat.FLAG_CHECKSUM), scope(), has(ImageFormat.FLAG_CLONE), registry, "");
    }

    /** How far identity reaches. */
    InspectedImage.Scope scope() {
        if (has(ImageFormat.FLAG_RECORD_SCOPE)) {
            return InspectedImage.Scope.RECORD;
        }
        return has(ImageFormat.FLAG_GROUP_SCOPE) ? InspectedImage.Scope.GROUP : InspectedImage.Scope.STREAM;
    }

    InspectedImage.Frames frames() {
        return new InspectedImage.Frames(
                frameCount, mismatchCount, typesBytes, bodyBytes, endFrame, trailingBytes, List.copyOf(frames));
    }

    long bytesRead() {
        return bytesRead;
    }

    /** Whether nothing follows. */
    boolean atEnd() throws IOException {
        while (position == end && left == 0) {
            if (truncation != null) {
                throw truncation;
            }
            if (ended || !loadFrame()) {
                return true;
            }
        }
        return false;
    }

    /** Reads the rest of the image only to check its frames. */
    void drain() throws IOException {
        while (!ended) {
            position = end;
            while (left > 0) {
                fill();
                position = end;
            }
            if (!loadFrame()) {
                return;
            }
        }
    }

    private boolean loadFrame() throws IOException {
        frameOffset = bytesRead;
        int have = read(head, 0, ImageFormat.FRAME_HEADER_BYTES);
        if (have == 0) {
            // An image in memory has no end frame: its length is known.
            ended = true;
            return false;
        }
        if (have < ImageFormat.FRAME_HEADER_BYTES) {
            ended = true;
            throw truncated(ImageFormat.FRAME_HEADER_BYTES, have);
        }
        int body = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_BODY_BYTES_OFFSET);
        int types = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        if (body == 0 && types == 0) {
            ended = true;
            endFrame = true;
            trailingBytes = stream.transferTo(java.io.OutputStream.nullOutputStream());
            bytesRead += trailingBytes;
            return false;
        }
        if (body < 0 || types < 0 || (long) body + types > ImageFormat.FRAME_LIMIT_BYTES) {
            ended = true;
            throw malformed("a frame claims " + Integer.toUnsignedString(body) + " bytes of body and "
                    + Integer.toUnsignedString(types) + " of types, the limit is " + ImageFormat.FRAME_LIMIT_BYTES);
        }
        typesBytes += types;
        if (typesBytes > TYPES_LIMIT_BYTES) {
            ended = true;
            throw new HeapspanException(
                    Category.LIMIT,
                    "the type descriptions have more than " + TYPES_LIMIT_BYTES + " bytes, the limit of the inspector");
        }
        frameCount++;
        bodyBytes += body;
        frameBodyBytes = body;
        frameTypesBytes = types;
        frameCrc = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_CRC_OFFSET);
        crc.reset();
        left = 0;
        byte[] descriptions = readTypes(types);
        crc.update(descriptions, 0, types);
        left = body;
        if (body == 0) {
            endOfFrame();
        }
        listener.describe(descriptions);
        return true;
    }

    /** Reads in growing steps, so that a false length costs no more memory than bytes that came. */
    private byte[] readTypes(int sizeBytes) throws IOException {
        byte[] bytes = new byte[Math.min(sizeBytes, WINDOW_BYTES)];
        int have = 0;
        while (have < sizeBytes) {
            if (have == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(sizeBytes, have * 2L));
            }
            int count = read(bytes, have, bytes.length - have);
            if (count < bytes.length - have) {
                ended = true;
                throw truncated(sizeBytes, have + count);
            }
            have += count;
        }
        return bytes;
    }

    private void endOfFrame() {
        boolean matches = frameCrc == (has(ImageFormat.FLAG_CHECKSUM) ? (int) crc.getValue() : 0);
        if (!matches) {
            mismatchCount++;
        }
        if (frames.size() < FRAMES_KEPT) {
            frames.add(new InspectedImage.Frame(frameOffset, frameTypesBytes, frameBodyBytes, frameCrc, matches));
        }
    }

    /** Moves what is unread to the front of the window and fills the rest of it from the frame. */
    private void fill() throws IOException {
        System.arraycopy(window, position, window, 0, end - position);
        end -= position;
        position = 0;
        int wanted = Math.min(left, window.length - end);
        int count = read(window, end, wanted);
        crc.update(window, end, count);
        end += count;
        left -= count;
        bodyLoaded += count;
        if (count < wanted) {
            // What came can still be read; the failure is for the first who needs more.
            truncation = truncated(frameBodyBytes, frameBodyBytes - left);
            left = 0;
            ended = true;
            return;
        }
        if (left == 0) {
            endOfFrame();
        }
    }

    private int read(byte[] target, int offset, int length) throws IOException {
        int count = stream.readNBytes(target, offset, length);
        bytesRead += count;
        return count;
    }

    // ---------------------------------------------------------------- values

    /** How many bytes of all bodies have been consumed. */
    long bodyPosition() {
        return bodyLoaded - (end - position);
    }

    /** Makes bytes of the current frame addressable; a frame boundary never tears them apart. */
    private int require(int sizeBytes) throws IOException {
        if (sizeBytes <= end - position) {
            return position;
        }
        if (atEnd()) {
            throw malformed("the image ends where more of it is needed");
        }
        if (sizeBytes > end - position && left > 0) {
            fill();
        }
        if (sizeBytes > end - position) {
            throw truncation != null ? truncation : malformed("a value reaches beyond the end of its frame");
        }
        return position;
    }

    int readByte() throws IOException {
        int p = require(1);
        position = p + 1;
        return window[p];
    }

    short readShort() throws IOException {
        int p = require(2);
        position = p + 2;
        return (short) ImageFormat.SHORT.get(window, p);
    }

    int readInt() throws IOException {
        int p = require(4);
        position = p + 4;
        return (int) ImageFormat.INT.get(window, p);
    }

    long readLong() throws IOException {
        int p = require(8);
        position = p + 8;
        return (long) ImageFormat.LONG.get(window, p);
    }

    /** Reads a signed little-endian number of 1 to 8 bytes. */
    long readSigned(int sizeBytes) throws IOException {
        int p = require(sizeBytes);
        position = p + sizeBytes;
        long value = window[p + sizeBytes - 1];
        for (int i = sizeBytes - 2; i >= 0; i--) {
            value = value << 8 | window[p + i] & 0xFF;
        }
        return value;
    }

    byte[] readBytes(int sizeBytes) throws IOException {
        byte[] bytes = new byte[sizeBytes];
        int done = 0;
        while (done < sizeBytes) {
            require(1);
            int portion = Math.min(sizeBytes - done, end - position);
            System.arraycopy(window, position, bytes, done, portion);
            position += portion;
            done += portion;
        }
        return bytes;
    }

    long readNumber() throws IOException {
        int p = require(1);
        int first = window[p] & 0xFF;
        if (first == 0) {
            p = require(ImageFormat.NUMBER_LIMIT_BYTES);
            position = p + ImageFormat.NUMBER_LIMIT_BYTES;
            return (long) ImageFormat.LONG.get(window, p + 1);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        p = require(sizeBytes);
        long value = 0;
        for (int i = sizeBytes - 1; i >= 0; i--) {
            value = value << 8 | window[p + i] & 0xFF;
        }
        position = p + sizeBytes;
        return value >>> sizeBytes;
    }

    long readSignedNumber() throws IOException {
        return ImageFormat.unzigzag(readNumber());
    }

    int readCount() throws IOException {
        long value = readNumber();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw malformed("a count is " + value + ", expected 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /** Skips contents, which frame boundaries may tear apart. */
    void skip(long sizeBytes) throws IOException {
        long rest = sizeBytes;
        while (rest > 0) {
            if (position == end) {
                if (atEnd()) {
                    throw malformed(
                            "contents of " + sizeBytes + " bytes are announced, " + (sizeBytes - rest) + " follow");
                }
                fill();
            }
            int portion = (int) Math.min(rest, (long) end - position);
            position += portion;
            rest -= portion;
        }
    }

    /**
     * Reads a string whose header has been read.
     *
     * @param form {@code bytes << 1 | coder}
     * @param limitChars how many of its first characters are wanted
     */
    String readText(long form, int limitChars) throws IOException {
        long sizeBytes = form >>> 1;
        boolean wide = (form & 1) != 0;
        if (form < 0 || sizeBytes > Integer.MAX_VALUE - 16 || (wide && (sizeBytes & 1) != 0)) {
            throw malformed("a string has " + sizeBytes + " bytes, expected a length within an array"
                    + (wide ? ", even for UTF-16" : ""));
        }
        int charBytes = wide ? 2 : 1;
        int prefixBytes = (int) Math.min(sizeBytes, (long) limitChars * charBytes);
        byte[] prefix = readBytes(prefixBytes);
        skip(sizeBytes - prefixBytes);
        StringBuilder text = new StringBuilder(prefixBytes / charBytes);
        for (int i = 0; i < prefixBytes; i += charBytes) {
            text.append(wide ? (char) (short) ImageFormat.SHORT.get(prefix, i) : (char) (prefix[i] & 0xFF));
        }
        if (prefixBytes < sizeBytes) {
            text.append(InspectText.ELLIPSIS);
        }
        return text.toString();
    }

    // ---------------------------------------------------------------- failures

    HeapspanException malformed(String what) {
        return new HeapspanException(
                Category.MALFORMED, "the image is malformed near byte " + (bytesRead - (end - position)) + ": " + what);
    }

    private HeapspanException truncated(int expected, int have) {
        return new HeapspanException(
                Category.MALFORMED,
                "the image is truncated: " + expected + " bytes expected at offset " + (bytesRead - have) + ", " + have
                        + " left; it must be transferred or stored in full");
    }
}
