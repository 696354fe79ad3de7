package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.spark.CacheReport;
import org.heapspan.benchmarks.spark.SparkReport;

/** All sections of the documentation that show figures. */
final class Publications {
    private Publications() {}

    static List<Publication> all() {
        List<Publication> all = new ArrayList<>(CodecReport.PUBLICATIONS);
        all.add(SparkReport.PUBLICATION);
        all.add(CacheReport.PUBLICATION);
        return all;
    }
}
