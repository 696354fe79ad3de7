package org.heapspan.image.format;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.heapspan.image.memory.LargerStack;

/** Bytes of a stream; reads no more than asked for. */
public final class StreamSource implements FrameSource {
    private static final int FIRST_STEP_BYTES = 64 << 10;
    private static final int LARGEST_STEP_BYTES = 16 << 20;

    private final InputStream stream;
    /** What was read ahead of its use, in portions: together they may exceed an array. */
    private final ArrayDeque<byte[]> ahead = new ArrayDeque<>(0);

    private int aheadPosition;
    private long aheadBytes;

    private final boolean endsWithStream;

    /**
     * Bytes of a stream.
     *
     * @param endsWithStream whether the end of the stream may be that of the image, which was in memory then: it has no end frame
     */
    public StreamSource(InputStream stream, boolean endsWithStream) {
        this.stream = new OfCaller(stream);
        this.endsWithStream = endsWithStream;
    }

    /** Reads the stream on the thread that has asked for the graph, whatever thread reads the graph. */
    private static final class OfCaller extends InputStream {
        private final InputStream stream;

        OfCaller(InputStream stream) {
            this.stream = stream;
        }

        @Override
        public int read() throws IOException {
            return LargerStack.isCurrent() ? (int) LargerStack.transfer(stream::read) : stream.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return LargerStack.isCurrent()
                    ? (int) LargerStack.transfer(() -> stream.read(bytes, offset, length))
                    : stream.read(bytes, offset, length);
        }

        @Override
        public int available() throws IOException {
            return LargerStack.isCurrent() ? (int) LargerStack.transfer(stream::available) : stream.available();
        }
    }

    @Override
    public boolean endsHere() throws IOException {
        return endsWithStream && bytesAhead(1) == 0;
    }

    @Override
    public void readFully(byte[] target, int offset, int length) throws IOException {
        int done = 0;
        while (done < length && aheadBytes > 0) {
            byte[] first = ahead.getFirst();
            int portion = Math.min(length - done, first.length - aheadPosition);
            System.arraycopy(first, aheadPosition, target, offset + done, portion);
            done += portion;
            skip(portion);
        }
        try {
            while (done < length) {
                int count = stream.read(target, offset + done, length - done);
                if (count < 0) {
                    throw new EOFException(length + " bytes expected, the stream ended after " + done);
                }
                done += count;
            }
        } catch (IOException e) {
            takeBack(target, offset, done);
            throw e;
        }
    }

    @Override
    public void takeBack(byte[] bytes, int offset, int length) {
        if (aheadPosition >= length) {
            // They are still there.
            aheadPosition -= length;
            aheadBytes += length;
            return;
        }
        if (aheadPosition > 0) {
            byte[] first = ahead.removeFirst();
            ahead.addFirst(Arrays.copyOfRange(first, aheadPosition, first.length));
            aheadPosition = 0;
        }
        if (length > 0) {
            ahead.addFirst(Arrays.copyOfRange(bytes, offset, offset + length));
            aheadBytes += length;
        }
    }

    @Override
    public long bytesAhead(long wanted) throws IOException {
        // In steps that grow with what has come: a false claim costs no more memory than bytes that were sent.
        int step = FIRST_STEP_BYTES;
        while (aheadBytes < wanted) {
            byte[] portion = new byte[(int) Math.min(step, wanted - aheadBytes)];
            if (!readAhead(portion)) {
                break;
            }
            step = Math.min(step * 2, LARGEST_STEP_BYTES);
        }
        return aheadBytes;
    }

    /** Reads a portion ahead; whether the stream went on so far. */
    private boolean readAhead(byte[] portion) throws IOException {
        int count = 0;
        try {
            while (count < portion.length) {
                int read = stream.read(portion, count, portion.length - count);
                if (read < 0) {
                    return false;
                }
                count += read;
            }
            return true;
        } finally {
            add(portion, count);
        }
    }

    private void add(byte[] portion, int count) {
        if (count > 0) {
            ahead.addLast(count == portion.length ? portion : Arrays.copyOf(portion, count));
            aheadBytes += count;
        }
    }

    /** Whether the next bytes were read ahead and lie in one array. */
    public boolean isInPlace(int length) {
        return length <= aheadBytes && length <= ahead.getFirst().length - aheadPosition;
    }

    /** The array in which the next bytes lie; see {@link #isInPlace}. */
    public byte[] array() {
        return ahead.getFirst();
    }

    /** Where the next bytes begin in {@link #array}. */
    public int position() {
        return aheadPosition;
    }

    /** Moves behind bytes that were read in place. */
    public void skip(int sizeBytes) {
        aheadPosition += sizeBytes;
        aheadBytes -= sizeBytes;
        if (aheadPosition == ahead.getFirst().length) {
            ahead.removeFirst();
            aheadPosition = 0;
        }
    }

    @Override
    public boolean hasFrame() throws IOException {
        if (!fetch(ImageFormat.FRAME_HEADER_BYTES)) {
            return false;
        }
        byte[] header = new byte[ImageFormat.FRAME_HEADER_BYTES];
        readFully(header, 0, header.length);
        takeBack(header, 0, header.length);
        int bodyBytes = (int) ImageFormat.INT.get(header, ImageFormat.FRAME_BODY_BYTES_OFFSET);
        int typesBytes = (int) ImageFormat.INT.get(header, ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        long frameBytes = header.length + Integer.toUnsignedLong(bodyBytes) + Integer.toUnsignedLong(typesBytes);
        // The reader refuses one that is too long without reading it.
        return frameBytes > ImageFormat.FRAME_LIMIT_BYTES + (long) header.length || fetch(frameBytes);
    }

    /** Reads ahead what the stream gives without waiting, up to the number wanted; whether that many bytes are there now. */
    public boolean fetch(long wanted) throws IOException {
        while (aheadBytes < wanted && stream.available() > 0) {
            byte[] portion = new byte[(int) Math.min(FIRST_STEP_BYTES, wanted - aheadBytes)];
            int count = 0;
            try {
                int ready;
                while (count < portion.length && (ready = stream.available()) > 0) {
                    int read = stream.read(portion, count, Math.min(ready, portion.length - count));
                    if (read <= 0) {
                        return false;
                    }
                    count += read;
                }
            } finally {
                add(portion, count);
            }
        }
        return aheadBytes >= wanted;
    }
}
