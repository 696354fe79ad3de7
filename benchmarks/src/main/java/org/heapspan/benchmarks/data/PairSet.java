package org.heapspan.benchmarks.data;

import java.util.List;

/** {@value DataSet#CHUNK_RECORDS} pairs; no long is one of the boxes that the JDK keeps in its cache. */
final class PairSet implements DataSet {
    @Override
    public String name() {
        return "pair";
    }

    @Override
    public String title() {
        return "pair (Long, Double)";
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            records[i] = new Pair(1000L + i * 977L, i / 7.0);
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(Pair.class);
    }
}
