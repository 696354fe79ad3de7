package org.heapspan.exchange;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.heapspan.exchange.client.ByteSource;
import org.heapspan.exchange.client.ByteTarget;
import org.jspecify.annotations.Nullable;

/** An image that is read from a stream while it is stored. Remembers whether it was the stream that failed. For one thread, once. */
final class ImageStream implements ByteSource {
    private static final int BLOCK_BYTES = 256 << 10;

    private final InputStream stream;
    private final long sizeBytes;
    private final CRC32C checksum = new CRC32C();
    private @Nullable IOException failure;

    ImageStream(InputStream stream, long sizeBytes) {
        this.stream = stream;
        this.sizeBytes = sizeBytes;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Of what was read until now. */
    @Override
    public int checksum() {
        return (int) checksum.getValue();
    }

    @Override
    public void forEachBlock(ByteTarget target) throws IOException {
        byte[] block = new byte[(int) Math.min(BLOCK_BYTES, sizeBytes)];
        long left = sizeBytes;
        while (left > 0) {
            int length = (int) Math.min(block.length, left);
            if (read(block, length) < length) {
                throw failed(new EOFException("the image ends before the " + sizeBytes + " bytes that were announced"));
            }
            left -= length;
            checksum.update(block, 0, length);
            target.write(ByteBuffer.wrap(block, 0, length));
        }
        if (read(block, 1) > 0) {
            throw failed(new IOException("the image has more than the " + sizeBytes + " bytes that were announced"));
        }
    }

    private int read(byte[] block, int length) throws IOException {
        try {
            return stream.readNBytes(block, 0, length);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private IOException failed(IOException reason) {
        failure = reason;
        return reason;
    }

    void throwFailureOfStream() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }
}
