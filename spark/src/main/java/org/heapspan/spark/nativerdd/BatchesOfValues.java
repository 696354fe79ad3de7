package org.heapspan.spark.nativerdd;

import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.heapspan.nativerdd.NativeProgramException;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Puts values of Scala, Java or SQL into batches. */
final class BatchesOfValues extends AbstractIterator<RddBatch> {
    private static final int BATCH_BYTES = 1 << 20;

    private final String name;
    private final ValueType type;
    private final Iterator<?> values;
    private final ValueColumn column;

    /**
     * Values for a program.
     *
     * @param name what the program calls them
     */
    BatchesOfValues(String name, ValueType type, Iterator<?> values) {
        this.name = name;
        this.type = type;
        this.values = values;
        column = ValueColumn.of(type);
    }

    @Override
    public boolean hasNext() {
        return values.hasNext();
    }

    @Override
    public RddBatch next() {
        if (!values.hasNext()) {
            throw new NoSuchElementException("no more values");
        }
        column.clear();
        while (values.hasNext() && column.sizeBytes() < BATCH_BYTES) {
            Object value = values.next();
            if (value instanceof Row row && row.size() == 1 && !(type instanceof ValueType.Tuple)) {
                // A table of one column.
                value = row.get(0);
            }
            try {
                column.add(value);
            } catch (NativeProgramException e) {
                throw new NativeProgramException(
                        "the program reads " + name + " as values of the type " + type + ": " + e.getMessage(), e);
            }
        }
        return BatchParts.Writer.write(column);
    }
}
