package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;

import java.lang.reflect.Array;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;

/**
 * A buffer that grows, with methods that write the values of the format. {@link FrameWriter} decides what happens when the buffer is full.
 *
 * <p>Callers ask for bytes in {@link #reserve units}. A unit is never split between two frames. Readers ask for the same units, or for
 * parts of them. Numbers of a fixed size are little endian. Not thread-safe.
 */
public abstract class ByteWriter {
    static final byte[] NO_BYTES = new byte[0];

    /** Made by the first write: a stream or group that is only open needs none. */
    public byte[] buffer = NO_BYTES;

    /** Where the next byte goes in the {@link #buffer}. */
    public int position;

    ByteWriter() {}

    /**
     * Makes room for a unit for which the buffer has none left.
     *
     * @return the position to write at
     */
    abstract int makeRoom(int sizeBytes);

    /**
     * Makes room for as many of the bytes as fit well, at least one, where the buffer has no room for all of them.
     *
     * @return how many may be written at {@link #position}
     */
    abstract int makeRoomForSome(long wanted);

    /** How much of a portion of a large array is to be written at once, before {@link #pieceWritten} is called. */
    abstract int pieceOf(int portion);

    /** Called behind each piece of an array; nothing before the position may change any more. */
    abstract void pieceWritten(int pieceBytes);

    /**
     * Makes room for a unit.
     *
     * @return the position to write at; the caller sets {@link #position} behind what it wrote
     */
    public int reserve(int sizeBytes) {
        int p = position;
        return sizeBytes <= buffer.length - p ? p : makeRoom(sizeBytes);
    }

    /**
     * As {@link #reserve}, for callers that keep the position to themselves meanwhile: in a register, where the JIT would have to
     * load {@link #position} again after each raw read of a slot.
     *
     * @param p where the caller is
     * @return the position to write at
     */
    public final int reserveAt(int p, int sizeBytes) {
        if (sizeBytes <= buffer.length - p) {
            return p;
        }
        position = p;
        return makeRoom(sizeBytes);
    }

    /** Makes room for as many of the bytes as fit well, at least one. */
    int portion(long wanted) {
        return wanted <= buffer.length - position ? (int) wanted : makeRoomForSome(wanted);
    }

    public final void writeTagByte(int tag) {
        int p = reserve(1);
        RawBytes.putByte(buffer, p, tag << 1 | 1);
        position = p + 1;
    }

    public void writeByte(int value) {
        int p = reserve(1);
        RawBytes.putByte(buffer, p, value);
        position = p + 1;
    }

    public void writeInt(int value) {
        int p = reserve(4);
        RawBytes.putInt(buffer, p, value);
        position = p + 4;
    }

    public void writeLong(long value) {
        int p = reserve(8);
        RawBytes.putLong(buffer, p, value);
        position = p + 8;
    }

    public void writeNumber(long value) {
        int p = reserve(NUMBER_LIMIT_BYTES);
        position = ImageFormat.putNumber(buffer, p, value);
    }

    /** As {@link #writeNumber}, at the caller's position; returns the position behind it. */
    public final int writeNumberAt(int p, long value) {
        int start = reserveAt(p, NUMBER_LIMIT_BYTES);
        return ImageFormat.putNumber(buffer, start, value);
    }

    public void writeSignedNumber(long value) {
        writeNumber(ImageFormat.zigzag(value));
    }

    /** Writes a text of the format itself (a name), which has no identity. */
    public void writeName(String name) {
        StringForm.write(this, name);
    }

    /** Writes bytes that the reader may take in other portions. */
    public void writeBytes(byte[] bytes, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = pieceOf(portion(length - done));
            System.arraycopy(bytes, offset + done, buffer, position, portion);
            position += portion;
            done += portion;
            pieceWritten(portion);
        }
    }

    /** Writes the elements of a primitive array, little endian. */
    public void writeElements(Object array, int elementSizeBytes) {
        RawMemory raw = Access.RAW;
        int length = Array.getLength(array);
        if (array instanceof byte[] bytes) {
            writeBytes(bytes, 0, length);
            return;
        }
        long sizeBytes = (long) length * elementSizeBytes;
        if (raw == null) {
            PortableElements.write(this, array);
            return;
        }
        long base = raw.arrayBaseOffset(array.getClass());
        long done = 0;
        while (done < sizeBytes) {
            int portion = pieceOf(portion(sizeBytes - done));
            raw.copyMemory(array, base + done, buffer, PortableElements.BYTES_BASE + position, portion);
            position += portion;
            done += portion;
            pieceWritten(portion);
        }
    }
}
