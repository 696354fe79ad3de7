package org.heapspan.spark.record;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose bytes are all in buffers, and which has one record: {@link GroupInput} decodes it where it is. Not thread-safe.
 */
public final class BufferInput extends InputStream {
    private final ByteBuffer[] buffers;
    private int current;

    /**
     * A stream over buffers, which stay as they are.
     *
     * @param buffers in order
     */
    public BufferInput(List<? extends ByteBuffer> buffers) {
        this.buffers = buffers.stream().map(ByteBuffer::duplicate).toArray(ByteBuffer[]::new);
    }

    /** The buffer with the next byte; null at the end. */
    private @Nullable ByteBuffer next() {
        while (current < buffers.length) {
            if (buffers[current].hasRemaining()) {
                return buffers[current];
            }
            current++;
        }
        return null;
    }

    @Override
    public int read() {
        ByteBuffer next = next();
        return next == null ? -1 : next.get() & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        ByteBuffer next = next();
        if (next == null) {
            return -1;
        }
        int count = Math.min(length, next.remaining());
        next.get(target, offset, count);
        return count;
    }

    /** The next bytes, without a copy; null if they are not in one buffer. */
    @Nullable
    ByteBuffer take(int length) {
        ByteBuffer next = next();
        if (next == null || next.remaining() < length) {
            return null;
        }
        ByteBuffer taken = next.slice(next.position(), length);
        next.position(next.position() + length);
        return taken;
    }
}
