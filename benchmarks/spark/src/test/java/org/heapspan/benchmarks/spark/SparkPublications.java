package org.heapspan.benchmarks.spark;

import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.spark.parts.BlockSizeReport;
import org.heapspan.benchmarks.spark.parts.CachedBlockReport;
import org.heapspan.benchmarks.spark.parts.SizeReport;

/** The sections of the documentation that show figures of Spark. */
final class SparkPublications {
    private SparkPublications() {}

    static List<Publication> all() {
        Stream<Publication> published = Stream.of(
                SparkReport.PUBLICATION,
                SparkReport.GROUPS,
                BlockSizeReport.PUBLICATION,
                CachedBlockReport.PUBLICATION,
                SizeReport.PUBLICATION,
                CacheReport.PUBLICATION,
                SparkStartUpReport.PUBLICATION,
                NativeReport.PUBLICATION);
        // Sections that have no figures yet.
        Stream<Publication> others = Stream.of(
                        SparkReport.KEYS,
                        SparkBroadcastReport.PUBLICATION,
                        NativeSizesReport.PUBLICATION,
                        NativeCompileReport.PUBLICATION)
                .filter(section -> Files.exists(section.publishedFigures(Repository.root())));
        return Stream.concat(published, others).toList();
    }
}
