package org.heapspan.benchmarks.spark;

import java.util.List;
import org.heapspan.benchmarks.Publication;

/** The sections of the documentation that show figures of Spark. */
final class SparkPublications {
    private SparkPublications() {}

    static List<Publication> all() {
        return List.of(
                SparkReport.PUBLICATION,
                SparkReport.GROUPS,
                BlockSizeReport.PUBLICATION,
                CacheReport.PUBLICATION,
                SparkStartUpReport.PUBLICATION,
                NativeReport.PUBLICATION);
    }
}
