package org.heapspan.exchange.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.heapspan.image.format.FrameSink;

/** An image in memory, of any length. Its writer can take it back while it is not complete, as if it was an array. For one thread. */
public final class ImageBytes extends OutputStream implements ByteSource, FrameSink {
    private static final int FIRST_BLOCK_BYTES = 4 << 10;
    private static final int MOST_BLOCK_BYTES = 256 << 10;

    private final List<ByteBuffer> full = new ArrayList<>();
    private ByteBuffer block = ByteBuffer.allocate(FIRST_BLOCK_BYTES);
    private long sizeBytes;
    private int checksum;

    /** How many bytes the checksum is of; -1 if it is of other bytes. */
    private long summedBytes;

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
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
        if (summedBytes != sizeBytes) {
            CRC32C sum = new CRC32C();
            full.forEach(each -> sum.update(each.duplicate()));
            sum.update(block.duplicate().flip());
            checksum = (int) sum.getValue();
            summedBytes = sizeBytes;
        }
        return checksum;
    }

    @Override
    public boolean holdsImage() {
        return true;
    }

    @Override
    public void takeBack() {
        full.clear();
        block.clear();
        sizeBytes = 0;
        summedBytes = 0;
        checksum = 0;
    }

    @Override
    public void replace(int at, byte value) {
        int left = at;
        for (ByteBuffer each : full) {
            if (left < each.limit()) {
                each.put(left, value);
                summedBytes = -1;
                return;
            }
            left -= each.limit();
        }
        block.put(left, value);
        summedBytes = -1;
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
