package org.heapspan.spark.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The finished groups of a reducer that gets few records at a time, one behind the other in one array. A group that stays open takes many
 * times the memory of such records. More can be added as long as nothing else is behind them. Not thread-safe.
 */
final class ParkedGroups extends OutputStream implements PartitionedGroups.Stored {
    /** Of this object, its array without what is in it, and its place in a list. */
    static final long OBJECT_BYTES = 64;

    private byte[] bytes = {};
    private int count;

    /** Adds a group. */
    void add(FramedGroup group) {
        reserve(Math.toIntExact(group.sizeBytes()));
        try {
            group.writeTo(this);
        } catch (IOException e) {
            throw new IllegalStateException("an array of " + bytes.length + " bytes cannot be written to", e);
        }
    }

    private void reserve(int moreBytes) {
        int needed = Math.addExact(count, moreBytes);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length + bytes.length / 2));
        }
    }

    @Override
    public void write(int one) {
        reserve(1);
        bytes[count++] = (byte) one;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        reserve(length);
        System.arraycopy(source, offset, bytes, count, length);
        count += length;
    }

    /** How many bytes the groups have. */
    int sizeBytes() {
        return count;
    }

    /** How much memory they take. */
    long memoryBytes() {
        return OBJECT_BYTES + bytes.length;
    }

    @Override
    public void writeTo(OutputStream target) throws IOException {
        target.write(bytes, 0, count);
    }
}
