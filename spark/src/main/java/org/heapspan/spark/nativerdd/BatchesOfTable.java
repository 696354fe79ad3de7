package org.heapspan.spark.nativerdd;

import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.heapspan.nativerdd.NativeProgramException;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Puts a table into batches. Its elements are what Spark computes tables with: rows, or batches of columns. */
final class BatchesOfTable extends AbstractIterator<RddBatch> {
    private static final int BATCH_BYTES = 1 << 20;

    private final String name;
    private final ValueType type;
    private final Iterator<?> elements;
    private final ValueColumn target;
    private final TableColumn[] columns;

    /**
     * A table for a program.
     *
     * @param name what the program calls it
     * @param table its columns
     * @throws NativeProgramException if the program expects other columns
     */
    BatchesOfTable(String name, ValueType type, StructType table, Iterator<?> elements) {
        this.name = name;
        this.type = type;
        this.elements = elements;
        target = ValueColumn.of(type);
        if (table.length() != type.columns().size()) {
            throw unsuitable(new NativeProgramException("found " + table.length() + " columns, expected "
                    + type.columns().size()));
        }
        try {
            columns = target instanceof TupleColumn tuple
                    ? TableColumn.ofFields(type, table, tuple)
                    : new TableColumn[] {
                        TableColumn.named(table.fields()[0].name(), type, table.fields()[0].dataType(), target)
                    };
        } catch (NativeProgramException e) {
            throw unsuitable(e);
        }
    }

    private NativeProgramException unsuitable(NativeProgramException cause) {
        return new NativeProgramException(
                "the program reads " + name + " as values of the type " + type + ": " + cause.getMessage(), cause);
    }

    @Override
    public boolean hasNext() {
        return elements.hasNext();
    }

    @Override
    public RddBatch next() {
        if (!elements.hasNext()) {
            throw new NoSuchElementException("no more rows");
        }
        target.clear();
        try {
            // Spark uses the memory of an element again for the next one.
            while (elements.hasNext() && target.sizeBytes() < BATCH_BYTES) {
                Object element = elements.next();
                if (element instanceof ColumnarBatch batch) {
                    add(batch);
                } else {
                    add((InternalRow) element);
                }
            }
        } catch (NativeProgramException e) {
            throw unsuitable(e);
        }
        return BatchParts.Writer.write(target);
    }

    private void add(ColumnarBatch batch) {
        int rows = batch.numRows();
        for (int i = 0; i < columns.length; i++) {
            ColumnarArray column = new ColumnarArray(batch.column(i), 0, rows);
            for (int row = 0; row < rows; row++) {
                columns[i].add(column, row);
            }
        }
    }

    private void add(InternalRow row) {
        for (int i = 0; i < columns.length; i++) {
            columns[i].add(row, i);
        }
    }
}
