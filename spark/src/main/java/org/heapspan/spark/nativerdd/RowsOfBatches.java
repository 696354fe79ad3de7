package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.heapspan.nativerdd.NativeBatch;
import scala.collection.AbstractIterator;
import scala.runtime.AbstractFunction1;

/** The values in batches of a native program as rows of Spark SQL: views of columns, which are the same object again and again. */
final class RowsOfBatches
        extends AbstractFunction1<scala.collection.Iterator<RddBatch>, scala.collection.Iterator<InternalRow>>
        implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ValueType type;

    RowsOfBatches(ValueType type) {
        this.type = type;
    }

    @Override
    public scala.collection.Iterator<InternalRow> apply(scala.collection.Iterator<RddBatch> batches) {
        ValueColumn column = ValueColumn.of(type);
        List<BatchVector> vectors = column instanceof TupleColumn tuple
                ? tuple.vectors((ValueType.Tuple) type)
                : List.of(BatchVector.of(type, column));
        ColumnarBatch table = new ColumnarBatch(vectors.toArray(ColumnVector[]::new));
        return new AbstractIterator<>() {
            private Iterator<InternalRow> rows = List.<InternalRow>of().iterator();

            @Override
            public boolean hasNext() {
                while (!rows.hasNext() && batches.hasNext()) {
                    BatchParts.Reader.read(column, bytes(batches.next()));
                    table.setNumRows(column.rows());
                    rows = table.rowIterator();
                }
                return rows.hasNext();
            }

            @Override
            public InternalRow next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no more rows");
                }
                return rows.next();
            }
        };
    }

    /** The contents of a batch that an iterator has just delivered, which is given back. */
    static byte[] bytes(RddBatch delivered) {
        RddBatch batch = BatchLoan.take(delivered);
        try {
            return NativeBatch.bytesAt(batch.memory().address(), batch.memory().sizeBytes());
        } finally {
            BatchLoan.giveBack(batch);
        }
    }
}
