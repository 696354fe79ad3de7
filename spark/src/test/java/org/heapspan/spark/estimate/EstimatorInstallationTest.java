package org.heapspan.spark.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.util.SizeEstimator;
import org.apache.spark.util.collection.SizeTrackingAppendOnlyMap;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who answers when a collection of Spark asks for its size: an object that was in memory before is seen at once, or later. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class EstimatorInstallationTest {
    private static final long LARGE_BYTES = 1 << 20;

    /** Fewer than make the table of the map grow. */
    private static final int SMALL_VALUES = 40;

    private static final int LARGE_VALUES = 4;

    @Test
    void collectionsThatFollowTheirSizeAreMeasuredLessOften() {
        assertThat(isEachValueSeenAtOnce("true")).isFalse();
    }

    @Test
    void withoutSizesOfCombinersTheyAreMeasuredEachTime() {
        assertThat(isEachValueSeenAtOnce("false")).isTrue();
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // With type parameters javac finds Scala's signatures contradictory.
    private static boolean isEachValueSeenAtOnce(String combinerSizes) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < SMALL_VALUES + LARGE_VALUES; i++) {
            values.add(i < SMALL_VALUES ? "value " + i : new byte[(int) LARGE_BYTES]);
        }
        HeapspanConfiguration configuration =
                HeapspanConfiguration.of(new SparkConf(false).set("spark.heapspan.combinerSizes", combinerSizes));
        try (EstimatorInstallation installation = EstimatorInstallation.install(configuration)) {
            assertThat(installation.part().isOn()).isTrue();
            SizeTrackingAppendOnlyMap map = new SizeTrackingAppendOnlyMap();
            boolean isEachSeen = true;
            for (int i = 0; i < values.size(); i++) {
                map.update(i, values.get(i));
                isEachSeen &= SizeEstimator.estimate(map) >= (i + 1 - SMALL_VALUES) * LARGE_BYTES;
            }
            return isEachSeen;
        }
    }
}
