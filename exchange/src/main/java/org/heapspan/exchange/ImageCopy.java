package org.heapspan.exchange;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.heapspan.exchange.client.ByteTarget;

/** Copies the bytes of a group to a stream. For one thread. */
final class ImageCopy implements ByteTarget {
    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream target;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    /** The stream has failed, and not the transfer. */
    static final class TargetException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final IOException failure;

        TargetException(IOException failure) {
            super(failure);
            this.failure = failure;
        }

        IOException failure() {
            return failure;
        }
    }

    ImageCopy(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(ByteBuffer piece) {
        while (piece.hasRemaining()) {
            int count = Math.min(buffer.length, piece.remaining());
            piece.get(buffer, 0, count);
            try {
                target.write(buffer, 0, count);
            } catch (IOException e) {
                throw new TargetException(e);
            }
        }
    }
}
