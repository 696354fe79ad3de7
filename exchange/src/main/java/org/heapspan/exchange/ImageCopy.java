package org.heapspan.exchange;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.heapspan.exchange.client.ByteTarget;
import org.jspecify.annotations.Nullable;

/** Copies the bytes of a group to a stream. Remembers whether it was the stream that failed. For one thread. */
final class ImageCopy implements ByteTarget {
    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream target;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private @Nullable IOException failure;

    ImageCopy(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(ByteBuffer piece) throws IOException {
        while (piece.hasRemaining()) {
            int count = Math.min(buffer.length, piece.remaining());
            piece.get(buffer, 0, count);
            try {
                target.write(buffer, 0, count);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    void throwFailureOfTarget() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }
}
