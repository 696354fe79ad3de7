package org.heapspan.spark.nativerdd;

/** Where each of a sequence of strings or arrays ends in the contents; as in layout.h. Not thread-safe. */
final class Offsets {
    private final GrowingBytes offsets = new GrowingBytes();

    void addEnd(int end) {
        if (offsets.size() == 0) {
            offsets.room(Integer.BYTES).putInt(0);
        }
        offsets.room(Integer.BYTES).putInt(end);
    }

    int rows() {
        return Math.max(offsets.size() / Integer.BYTES - 1, 0);
    }

    long sizeBytes() {
        return offsets.size();
    }

    void clear() {
        offsets.clear();
    }

    void write(BatchParts.Writer target) {
        target.add(offsets);
    }

    /** Returns the end of the last one. */
    int read(BatchParts.Reader source, int count) {
        if (count == 0) {
            source.takeAny();
            offsets.clear();
            return 0;
        }
        offsets.show(source.take((count + 1L) * Integer.BYTES));
        int last = begin(0);
        boolean ordered = last == 0;
        for (int i = 1; i <= count; i++) {
            int next = begin(i);
            ordered &= last <= next;
            last = next;
        }
        if (!ordered) {
            throw BatchParts.damaged();
        }
        return last;
    }

    int begin(int row) {
        return offsets.bytes().getInt(row * Integer.BYTES);
    }

    int end(int row) {
        return begin(row + 1);
    }
}
