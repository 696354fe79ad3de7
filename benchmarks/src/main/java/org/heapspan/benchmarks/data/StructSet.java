package org.heapspan.benchmarks.data;

import java.util.List;
import java.util.Random;

/** {@value DataSet#CHUNK_RECORDS} structs of a hundred primitive fields. */
final class StructSet implements DataSet {
    @Override
    public String name() {
        return "struct";
    }

    @Override
    public String title() {
        return "struct of 100 primitives (Fory's)";
    }

    @Override
    public Object[] records() {
        Random random = new Random(17);
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            records[i] = new Struct(random);
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(Struct.class);
    }
}
