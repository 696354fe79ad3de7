package org.heapspan.spark.nativerdd;

import org.jspecify.annotations.Nullable;
import scala.Option;

/** Values that may be missing: null or an Option. */
final class MaybeColumn implements ValueColumn {
    private final BoolColumn present = new BoolColumn();
    private final ValueColumn values;

    MaybeColumn(ValueColumn values) {
        this.values = values;
    }

    @Override
    public void add(@Nullable Object value) {
        Object given = value instanceof Option<?> option ? option.isEmpty() ? null : option.get() : value;
        present.addBit(given != null);
        if (given == null) {
            values.addNothing();
        } else {
            values.add(given);
        }
    }

    /** Which values there are. */
    BoolColumn present() {
        return present;
    }

    ValueColumn values() {
        return values;
    }

    /** Says that the next value of {@link #values} is there. */
    void addPresence() {
        present.addBit(true);
    }

    @Override
    public void addNothing() {
        present.addBit(false);
        values.addNothing();
    }

    @Override
    public int rows() {
        return present.rows();
    }

    @Override
    public long sizeBytes() {
        return present.sizeBytes() + values.sizeBytes();
    }

    @Override
    public void clear() {
        present.clear();
        values.clear();
    }

    @Override
    public void write(BatchParts.Writer target) {
        present.write(target);
        values.write(target);
    }

    @Override
    public void read(BatchParts.Reader source, int rows) {
        present.read(source, rows);
        values.read(source, rows);
    }

    @Override
    public Object get(int row) {
        return Option.apply(present.bit(row) ? values.get(row) : null);
    }
}
