package org.heapspan.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.heapspan.exchange.client.GroupBytes;
import org.jspecify.annotations.Nullable;

/** Copies the bytes of a group to a stream. Remembers whether it was the stream that failed. For one thread. */
final class ImageCopy implements GroupBytes<Void> {
    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream target;
    private @Nullable IOException failure;

    ImageCopy(OutputStream target) {
        this.target = target;
    }

    @Override
    public @Nullable Void fromMemory(ByteBuffer[] pieces) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (ByteBuffer piece : pieces) {
            while (piece.hasRemaining()) {
                int count = Math.min(buffer.length, piece.remaining());
                piece.get(buffer, 0, count);
                write(buffer, count);
            }
        }
        return null;
    }

    @Override
    public @Nullable Void fromStream(InputStream stream) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
            write(buffer, count);
        }
        return null;
    }

    private void write(byte[] buffer, int count) throws IOException {
        try {
            target.write(buffer, 0, count);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    void throwFailureOfTarget() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }
}
