package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.util.SizeEstimator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Objects that all refer to a large one, which counts once. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class WalkedBytesTest {
    private final byte[] shared = new byte[1 << 20];
    private final long sharedBytes = SizeEstimator.estimate(shared);
    private final long ownBytes = SizeEstimator.estimate(new Object[2]);
    private final WalkedBytes walked = new WalkedBytes(SizeEstimator::estimate);

    private List<Object> objects(int count) {
        List<Object> objects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            objects.add(new Object[] {shared, null});
        }
        return objects;
    }

    @Test
    void moreObjectsThanSparkVisitsInAnArray() {
        for (int count : new int[] {0, 1, 400, 401, 1000}) {
            assertThat(walked.of(objects(count)))
                    .as("%d objects", count)
                    .isEqualTo(count == 0 ? 0 : sharedBytes + count * ownBytes);
        }
    }

    @Test
    void knownObjectsAndASample() {
        for (int known : new int[] {0, 1, 384}) {
            for (int sampled : new int[] {0, 2, 3, 100}) {
                int all = 10 * sampled;
                assertThat(walked.extrapolated(objects(known), objects(sampled), 1, all))
                        .as("%d known, %d of %d others", known, sampled, all)
                        .isEqualTo(known + all == 0 ? 0 : sharedBytes + (known + all) * ownBytes);
            }
        }
    }

    @Test
    void knownObjectsAndOneOther() {
        assertThat(walked.extrapolated(objects(128), objects(1), 1, 3)).isEqualTo(sharedBytes + 131 * ownBytes);
    }
}
