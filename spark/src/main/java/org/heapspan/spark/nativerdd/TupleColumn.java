package org.heapspan.spark.nativerdd;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.Product;
import scala.Tuple2;
import scala.Tuple3;

/** Tuples: those and case classes of Scala, rows of tables, and arrays, which Spark makes of the tuples of Python. */
final class TupleColumn implements ValueColumn {
    private final List<ValueColumn> columns;

    TupleColumn(List<ValueColumn> columns) {
        this.columns = columns;
    }

    /** The parts as columns of Spark SQL. */
    List<BatchVector> vectors(ValueType.Tuple type) {
        List<BatchVector> vectors = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            vectors.add(BatchVector.of(type.fields().get(i), columns.get(i)));
        }
        return vectors;
    }

    ValueColumn column(int number) {
        return columns.get(number);
    }

    @Override
    public void add(@Nullable Object value) {
        int count = columns.size();
        if (value instanceof Row row && row.size() == count) {
            for (int i = 0; i < count; i++) {
                columns.get(i).add(row.get(i));
            }
        } else if (value instanceof Product product && product.productArity() == count) {
            for (int i = 0; i < count; i++) {
                columns.get(i).add(product.productElement(i));
            }
        } else if (value instanceof Object[] parts && parts.length == count) {
            for (int i = 0; i < count; i++) {
                columns.get(i).add(parts[i]);
            }
        } else {
            int found = fields(value);
            throw ValueColumn.misfit(
                    value, "a tuple, case class or Row of " + count + (found < 0 ? "" : " fields, not " + found));
        }
    }

    /** How many fields a value has; -1 if it is no tuple. */
    private static int fields(@Nullable Object value) {
        if (value instanceof Row row) {
            return row.size();
        }
        if (value instanceof Product product) {
            return product.productArity();
        }
        return value instanceof Object[] parts ? parts.length : -1;
    }

    @Override
    public void addNothing() {
        columns.forEach(ValueColumn::addNothing);
    }

    @Override
    public int rows() {
        return columns.get(0).rows();
    }

    @Override
    public long sizeBytes() {
        long size = 0;
        for (ValueColumn each : columns) {
            size += each.sizeBytes();
        }
        return size;
    }

    @Override
    public void clear() {
        columns.forEach(ValueColumn::clear);
    }

    @Override
    public void write(BatchParts.Writer target) {
        columns.forEach(each -> each.write(target));
    }

    @Override
    public void read(BatchParts.Reader source, int rows) {
        columns.forEach(each -> each.read(source, rows));
    }

    @Override
    public Object get(int row) {
        Object[] values = new Object[columns.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = columns.get(i).get(row);
        }
        if (values.length == 2) {
            return new Tuple2<>(values[0], values[1]);
        }
        if (values.length == 3) {
            return new Tuple3<>(values[0], values[1], values[2]);
        }
        try {
            // Each has one public constructor, which takes objects.
            return Class.forName("scala.Tuple" + values.length)
                    .getConstructors()[0]
                    .newInstance(values);
        } catch (ClassNotFoundException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
