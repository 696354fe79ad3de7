package org.heapspan.benchmarks.data;

import java.util.HashMap;
import java.util.List;

/** {@value DataSet#CHUNK_RECORDS} hash maps of 64 entries. */
final class HashMapSet implements DataSet {
    private static final int ENTRIES = 64;

    @Override
    public String name() {
        return "hashmap";
    }

    @Override
    public String title() {
        return "HashMap<Integer, String> of " + ENTRIES;
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            HashMap<Integer, String> map = new HashMap<>();
            for (int j = 0; j < ENTRIES; j++) {
                map.put(1000 + j * (i + 1), "value-" + (i * ENTRIES + j));
            }
            records[i] = map;
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(HashMap.class);
    }
}
