package org.heapspan.spark.nativerdd;

import java.lang.reflect.Array;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Arrays of any type but bytes: arrays and collections of Java or Scala, which become arrays. */
final class SequenceColumn implements ValueColumn {
    private final ValueType element;
    private final Offsets offsets = new Offsets();
    private final ValueColumn values;

    SequenceColumn(ValueType element) {
        this.element = element;
        values = ValueColumn.of(element);
    }

    @Override
    public void add(@Nullable Object value) {
        if (value != null && value.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                values.add(Array.get(value, i));
            }
        } else if (value instanceof scala.collection.Iterable<?> all) {
            addAll(CollectionConverters.asJava(all.iterator()));
        } else if (value instanceof Iterable<?> all) {
            addAll(all.iterator());
        } else {
            throw ValueColumn.misfit(value, "an array, Seq or List for [" + element + "]");
        }
        addEnd();
    }

    ValueColumn values() {
        return values;
    }

    /** Ends an array: it has the values that were added since the one before. */
    void addEnd() {
        offsets.addEnd(values.rows());
    }

    private void addAll(Iterator<?> all) {
        while (all.hasNext()) {
            values.add(all.next());
        }
    }

    @Override
    public void addNothing() {
        addEnd();
    }

    @Override
    public int rows() {
        return offsets.rows();
    }

    @Override
    public long sizeBytes() {
        return offsets.sizeBytes() + values.sizeBytes();
    }

    @Override
    public void clear() {
        offsets.clear();
        values.clear();
    }

    @Override
    public void write(BatchParts.Writer target) {
        offsets.write(target);
        values.write(target);
    }

    @Override
    public void read(BatchParts.Reader source, int rows) {
        values.read(source, offsets.read(source, rows));
    }

    int begin(int row) {
        return offsets.begin(row);
    }

    int count(int row) {
        return offsets.end(row) - offsets.begin(row);
    }

    @Override
    public Object get(int row) {
        int begin = begin(row);
        Object array = Array.newInstance(element.valueClass(), count(row));
        for (int i = 0; i < count(row); i++) {
            Array.set(array, i, values.get(begin + i));
        }
        return array;
    }
}
