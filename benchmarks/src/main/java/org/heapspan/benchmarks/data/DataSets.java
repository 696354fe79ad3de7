package org.heapspan.benchmarks.data;

import java.util.List;

/** The data sets by name. */
public final class DataSets {
    private static final List<DataSet> ALL = List.of(
            new MediaSet(false),
            new MediaSet(true),
            new PointSet(),
            new PairSet(),
            new HashMapSet(),
            new TreeMapSet(),
            new WebhookSet(),
            new StructSet(),
            new LinkedListSet("list", 20, 1000),
            new LinkedListSet("longlist", 1, 100_000),
            new RingSet(),
            new DoubleArraySet());

    private DataSets() {}

    /** All data sets in the order of the report. */
    public static List<DataSet> all() {
        return ALL;
    }

    /**
     * The data set of this name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static DataSet named(String name) {
        for (DataSet set : ALL) {
            if (set.name().equals(name)) {
                return set;
            }
        }
        throw new IllegalArgumentException("no data set '" + name + "'; there are "
                + ALL.stream().map(DataSet::name).toList());
    }
}
