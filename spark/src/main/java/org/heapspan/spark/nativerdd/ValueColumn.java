package org.heapspan.spark.nativerdd;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.nativerdd.NativeProgramException;
import org.jspecify.annotations.Nullable;

/** Values of one type in the layout that native programs have for them (layout.h): to be written as a batch, or read from one. Not thread-safe. */
interface ValueColumn {
    /** Adds a value of Scala or Java, if it is of the type. */
    void add(@Nullable Object value);

    /** Adds what stands where a value is missing. */
    void addNothing();

    int rows();

    long sizeBytes();

    void clear();

    void write(BatchParts.Writer target);

    void read(BatchParts.Reader source, int rows);

    /** A value that was read, as Scala has it. */
    Object get(int row);

    static ValueColumn of(ValueType type) {
        if (type == ValueType.Simple.BOOL) {
            return new BoolColumn();
        }
        if (type == ValueType.Simple.STRING) {
            return new BytesColumn(true);
        }
        if (type instanceof ValueType.Simple number) {
            return new NumberColumn(number);
        }
        if (type instanceof ValueType.Maybe maybe) {
            return new MaybeColumn(of(maybe.value()));
        }
        if (type instanceof ValueType.Sequence sequence) {
            return sequence.element() == ValueType.Simple.INT8
                    ? new BytesColumn(false)
                    : new SequenceColumn(sequence.element());
        }
        List<ValueColumn> columns = new ArrayList<>();
        type.columns().forEach(each -> columns.add(of(each)));
        return new TupleColumn(columns);
    }

    /** For a value that is not of the type. */
    static NativeProgramException misfit(@Nullable Object value, String expected) {
        String found =
                value == null ? "null" : value.getClass().getName() + (value instanceof Number ? " " + value : "");
        return new NativeProgramException("found " + found + ", expected " + expected);
    }
}
