package org.heapspan.benchmarks.data;

import java.util.List;
import java.util.TreeMap;

/** The tree map of the global heap paper (HotCloud'16): {@value DataSet#CHUNK_RECORDS} maps of 64 entries. */
final class TreeMapSet implements DataSet {
    private static final int ENTRIES = 64;

    @Override
    public String name() {
        return "treemap";
    }

    @Override
    public String title() {
        return "TreeMap<Integer, String> of " + ENTRIES;
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            TreeMap<Integer, String> map = new TreeMap<>();
            for (int j = 0; j < ENTRIES; j++) {
                map.put(1000 + j * (i + 1), "value-" + (i * ENTRIES + j));
            }
            records[i] = map;
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(TreeMap.class);
    }
}
