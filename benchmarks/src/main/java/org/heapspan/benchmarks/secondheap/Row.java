package org.heapspan.benchmarks.secondheap;

import java.io.Serializable;
import java.util.Arrays;

/** What is cached: a point with a name, as jobs of machine learning have. */
final class Row implements Serializable {
    private static final long serialVersionUID = 1L;

    /** How many make a block, the unit in which they are stored. */
    static final int BLOCK = 100_000;

    long id;
    double[] features;
    String name;
    int clicks;

    /** For Kryo. */
    @SuppressWarnings("NullAway") // Whoever makes it so fills its fields.
    Row() {}

    Row(long id) {
        this.id = id;
        features = new double[10];
        Arrays.setAll(features, i -> id + i / 10.0);
        name = "row " + id;
        clicks = (int) (id % 97);
    }

    static Row[] block(int number) {
        Row[] rows = new Row[BLOCK];
        Arrays.setAll(rows, i -> new Row((long) number * BLOCK + i));
        return rows;
    }
}
