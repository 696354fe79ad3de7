package org.heapspan.benchmarks.data;

import java.util.List;

/** {@value DataSet#CHUNK_RECORDS} points. */
final class PointSet implements DataSet {
    @Override
    public String name() {
        return "point";
    }

    @Override
    public String title() {
        return "point (two floats)";
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            records[i] = new Point(i * 0.37f, 1000 - i * 1.13f);
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(Point.class);
    }
}
