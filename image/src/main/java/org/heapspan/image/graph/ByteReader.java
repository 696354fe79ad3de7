package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of the format from the body of the current frame. {@link FrameReader} gets the next frame.
 *
 * <p>Callers ask for bytes in {@link #block blocks}. A block is a unit of {@link ByteWriter}, or a part of one. Numbers of a fixed size are
 * little endian. Every byte is checked, because it may come from an attacker. Not thread-safe.
 */
public abstract class ByteReader {
    static final byte[] NO_BYTES = new byte[0];

    private static final int PADDING_BYTES = 1 << 10;

    /** Has the body of the current frame, from {@link #position} to {@link #limit}. */
    public byte[] buffer = NO_BYTES;

    public int position;
    public int limit;

    /** Takes the last bytes of a frame where code wants to read beyond them; kept, because small images are all edge. */
    private byte[] edge = NO_BYTES;

    ByteReader() {}

    /**
     * Makes the next frame current whose body has bytes.
     *
     * @throws HeapspanException if there is none
     */
    abstract void nextFrame();

    /**
     * Copies the whole next frame to an array, if that saves a copy.
     *
     * @param offset in the array, as for raw access
     * @return how many bytes; 0 if the frame must be read, or there is none
     */
    abstract int copyFrame(Object array, long offset, long mostBytes);

    /**
     * Makes a number of bytes addressable from the returned position. They may reach beyond the data; {@link #advance} finds
     * out whether more was used than there is.
     */
    public int block(int sizeBytes) {
        int p = position;
        if (p < limit && sizeBytes <= buffer.length - p) {
            return p;
        }
        return blockAtEdge(sizeBytes);
    }

    private int blockAtEdge(int sizeBytes) {
        if (position == limit && sizeBytes > 0) {
            nextFrame();
        }
        if (sizeBytes > buffer.length - position) {
            int rest = limit - position;
            byte[] padded = edge;
            if (buffer == padded || padded.length < rest + sizeBytes) {
                padded = new byte[rest + sizeBytes + PADDING_BYTES];
                if (padded.length <= 4 * PADDING_BYTES) {
                    edge = padded;
                }
            }
            System.arraycopy(buffer, position, padded, 0, rest);
            buffer = padded;
            position = 0;
            limit = rest;
        }
        return position;
    }

    /** Moves behind what was read. */
    public void advance(int newPosition) {
        if (newPosition > limit) {
            throw truncated();
        }
        position = newPosition;
    }

    private HeapspanException truncated() {
        return malformed("a value reaches beyond the end of its frame");
    }

    /** How many of the wanted bytes lie at {@link #position}, at least one. */
    public int portion(long wanted) {
        if (position == limit) {
            nextFrame();
        }
        return (int) Math.min(wanted, (long) limit - position);
    }

    /** Reads the tag of a type or of a reference. */
    public int readTag() {
        int p = position;
        if (p < limit) {
            int first = RawBytes.getByte(buffer, p);
            if ((first & 1) != 0) {
                position = p + 1;
                return (first & 0xFF) >>> 1;
            }
        }
        return readCount();
    }

    public int readByte() {
        int p = block(1);
        int value = RawBytes.getByte(buffer, p);
        advance(p + 1);
        return value;
    }

    public int readInt() {
        int p = block(4);
        int value = RawBytes.getInt(buffer, p);
        advance(p + 4);
        return value;
    }

    public long readLong() {
        int p = block(8);
        long value = RawBytes.getLong(buffer, p);
        advance(p + 8);
        return value;
    }

    public long readNumber() {
        int p = block(NUMBER_LIMIT_BYTES);
        byte[] bytes = buffer;
        int first = RawBytes.getByte(bytes, p);
        if ((first & 1) != 0) {
            advance(p + 1);
            return (first & 0xFFL) >>> 1;
        }
        if (first == 0) {
            advance(p + NUMBER_LIMIT_BYTES);
            return RawBytes.getLong(bytes, p + 1);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        advance(p + sizeBytes);
        return RawBytes.getLong(bytes, p) << 64 - 8 * sizeBytes >>> 64 - 7 * sizeBytes;
    }

    public long readSignedNumber() {
        return ImageFormat.unzigzag(readNumber());
    }

    /** Reads a number that must fit an {@code int} and not be negative. */
    public int readCount() {
        long value = readNumber();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw malformed("a count is " + value + ", expected 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    public void readBytes(byte[] target, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = portion(length - done);
            System.arraycopy(buffer, position, target, offset + done, portion);
            position += portion;
            done += portion;
        }
    }

    /** Reads the elements of a primitive array, little endian. */
    public void readElements(Object array, long sizeBytes) {
        if (array instanceof byte[] bytes && (Access.RAW == null || sizeBytes <= limit - position)) {
            readBytes(bytes, 0, bytes.length);
            return;
        }
        if (Access.RAW == null) {
            PortableElements.read(this, array);
            return;
        }
        long base = Access.RAW.arrayBaseOffset(array.getClass());
        long done = 0;
        while (done < sizeBytes) {
            int copied = position == limit ? copyFrame(array, base + done, sizeBytes - done) : 0;
            if (copied > 0) {
                done += copied;
                continue;
            }
            int portion = portion(sizeBytes - done);
            Access.RAW.copyMemory(buffer, PortableElements.BYTES_BASE + position, array, base + done, portion);
            position += portion;
            done += portion;
        }
    }

    public HeapspanException malformed(String what) {
        return malformed(what, null);
    }

    public HeapspanException malformed(String what, @Nullable Throwable cause) {
        return new HeapspanException(
                Category.MALFORMED,
                "the image is malformed near byte " + position + " of the current frame: " + what,
                cause);
    }
}
