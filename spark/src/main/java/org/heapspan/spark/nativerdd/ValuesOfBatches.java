package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.NoSuchElementException;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/** The values in batches of a native program, as Scala has them. */
final class ValuesOfBatches extends AbstractFunction1<Iterator<RddBatch>, Iterator<Object>> implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ValueType type;

    ValuesOfBatches(ValueType type) {
        this.type = type;
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
                    BatchParts.Reader.read(column, RowsOfBatches.bytes(batches.next()));
                    rows = column.rows();
                    next = 0;
                }
                return next < rows;
            }

            @Override
            public Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no more values");
                }
                return column.get(next++);
            }
        };
    }
}
