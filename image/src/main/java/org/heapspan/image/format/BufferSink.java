package org.heapspan.image.format;

import java.nio.ByteBuffer;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** Fills one buffer after another with an image. Not thread-safe. */
public final class BufferSink implements FrameSink {
    private final ByteBuffer[] targets;
    private final int[] positions;
    private final long roomBytes;
    private int current;
    private long sizeBytes;

    public BufferSink(ByteBuffer... targets) {
        this.targets = targets;
        positions = new int[targets.length];
        long room = 0;
        for (int i = 0; i < targets.length; i++) {
            positions[i] = targets[i].position();
            room += targets[i].remaining();
        }
        roomBytes = room;
    }

    /** Takes bytes; those for which there is no room are only counted, so that the failure can say how many there are. */
    @Override
    public void write(byte[] bytes, int offset, int length) {
        sizeBytes += length;
        if (sizeBytes > roomBytes) {
            return;
        }
        int done = 0;
        while (done < length) {
            ByteBuffer target = targets[current];
            int portion = Math.min(length - done, target.remaining());
            target.put(bytes, offset + done, portion);
            done += portion;
            if (!target.hasRemaining()) {
                current++;
            }
        }
    }

    /**
     * Ends the image.
     *
     * @return how many bytes it has
     * @throws HeapspanException if there was no room for all of them
     */
    public long end() {
        if (sizeBytes > roomBytes) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image has " + sizeBytes + " bytes, the "
                            + (targets.length == 1 ? "buffer has" : targets.length + " buffers have") + " room for "
                            + roomBytes + "; use a larger buffer, or more of them");
        }
        return sizeBytes;
    }

    @Override
    public boolean holdsImage() {
        return true;
    }

    /** Moves the buffers back to where they were. */
    @Override
    public void takeBack() {
        for (int i = 0; i < targets.length; i++) {
            targets[i].position(positions[i]);
        }
        current = 0;
        sizeBytes = 0;
    }

    @Override
    public void replace(int at, byte value) {
        int left = at;
        for (int i = 0; i < targets.length; i++) {
            int written = targets[i].position() - positions[i];
            if (left < written) {
                targets[i].put(positions[i] + left, value);
                return;
            }
            left -= written;
        }
    }
}
