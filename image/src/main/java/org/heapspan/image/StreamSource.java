package org.heapspan.image;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;

/** Bytes of a stream; reads no more than asked for. */
final class StreamSource implements FrameSource {
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
    StreamSource(InputStream stream, boolean endsWithStream) {
        this.stream = stream;
        this.endsWithStream = endsWithStream;
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
            aheadPosition += portion;
            aheadBytes -= portion;
            if (aheadPosition == first.length) {
                ahead.removeFirst();
                aheadPosition = 0;
            }
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
            byte[] portion = stream.readNBytes((int) Math.min(step, wanted - aheadBytes));
            if (portion.length == 0) {
                break;
            }
            ahead.addLast(portion);
            aheadBytes += portion.length;
            step = Math.min(step * 2, LARGEST_STEP_BYTES);
        }
        return aheadBytes;
    }
}
