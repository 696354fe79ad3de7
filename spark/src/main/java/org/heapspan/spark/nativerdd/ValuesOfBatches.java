package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.NoSuchElementException;
import org.apache.spark.sql.RowFactory;
import org.heapspan.nativerdd.NativeBatch;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/** The values in batches of a native program, as Scala has them, or as rows of a table. */
final class ValuesOfBatches extends AbstractFunction1<Iterator<RddBatch>, Iterator<Object>> implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ValueType type;
    private final boolean asRows;

    ValuesOfBatches(ValueType type, boolean asRows) {
        this.type = type;
        this.asRows = asRows;
    }

    @Override
    public Iterator<Object> apply(Iterator<RddBatch> batches) {
        ValueColumn column = ValueColumn.of(type);
        return new AbstractIterator<>() {
            private int rows;
            private int next;

            @Override
            public boolean hasNext() {
                while (next == rows && batches.hasNext()) {
                    RddBatch batch = BatchLoan.take(batches.next());
                    try {
                        NativeBatch memory = batch.memory();
                        BatchParts.Reader.read(column, NativeBatch.bytesAt(memory.address(), memory.sizeBytes()));
                    } finally {
                        BatchLoan.giveBack(batch);
                    }
                    rows = column.rows();
                    next = 0;
                }
                return next < rows;
            }

            @Override
            public @Nullable Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no more values");
                }
                Object value = column.get(next++, asRows);
                return asRows && !(type instanceof ValueType.Tuple) ? RowFactory.create(value) : value;
            }
        };
    }
}
