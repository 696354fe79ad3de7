package org.heapspan.spark.nativerdd;

import org.jspecify.annotations.Nullable;

/** Truth values, and which values of another column are there: a bit for each. */
final class BoolColumn implements ValueColumn {
    private static final int WORD_BITS = Long.SIZE;

    private final GrowingBytes words = new GrowingBytes();
    private int rows;

    @Override
    public void add(@Nullable Object value) {
        if (!(value instanceof Boolean bit)) {
            throw ValueColumn.misfit(value, "bool");
        }
        addBit(bit);
    }

    void addBit(boolean bit) {
        if (rows % WORD_BITS == 0) {
            words.room(Long.BYTES).putLong(0);
        }
        if (bit) {
            int word = rows / WORD_BITS * Long.BYTES;
            words.bytes().putLong(word, words.bytes().getLong(word) | (1L << (rows % WORD_BITS)));
        }
        rows++;
    }

    @Override
    public void addNothing() {
        addBit(false);
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public long sizeBytes() {
        return words.size();
    }

    @Override
    public void clear() {
        words.clear();
        rows = 0;
    }

    @Override
    public void write(BatchParts.Writer target) {
        target.add(words);
    }

    @Override
    public void read(BatchParts.Reader source, int count) {
        words.show(source.take((count + WORD_BITS - 1L) / WORD_BITS * Long.BYTES));
        rows = count;
    }

    boolean bit(int row) {
        return ((words.bytes().getLong(row / WORD_BITS * Long.BYTES) >>> (row % WORD_BITS)) & 1) != 0;
    }

    @Override
    public Object get(int row) {
        return bit(row);
    }
}
