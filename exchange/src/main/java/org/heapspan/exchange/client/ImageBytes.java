package org.heapspan.exchange.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/** An image in memory, of any length, with its checksum. For one thread. */
public final class ImageBytes extends OutputStream implements ByteSource {
    private static final int FIRST_BLOCK_BYTES = 4 << 10;
    private static final int MOST_BLOCK_BYTES = 256 << 10;

    private final List<ByteBuffer> full = new ArrayList<>();
    private final CRC32C checksum = new CRC32C();
    private ByteBuffer block = ByteBuffer.allocate(FIRST_BLOCK_BYTES);
    private long sizeBytes;

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checksum.update(bytes, offset, length);
        sizeBytes += length;
        int at = offset;
        int left = length;
        while (left > 0) {
            if (!block.hasRemaining()) {
                full.add(block.flip());
                block = ByteBuffer.allocate(Math.min(MOST_BLOCK_BYTES, 4 * block.capacity()));
            }
            int count = Math.min(left, block.remaining());
            block.put(bytes, at, count);
            at += count;
            left -= count;
        }
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public int checksum() {
        return (int) checksum.getValue();
    }

    /** All bytes in one buffer, for few of them. */
    ByteBuffer whole() {
        ByteBuffer whole = ByteBuffer.allocate(Math.toIntExact(sizeBytes));
        full.forEach(each -> whole.put(each.duplicate()));
        whole.put(block.duplicate().flip());
        return whole.flip();
    }

    @Override
    public void forEachBlock(ByteTarget target) throws IOException {
        for (ByteBuffer each : full) {
            target.write(each.duplicate());
        }
        target.write(block.duplicate().flip());
    }
}
