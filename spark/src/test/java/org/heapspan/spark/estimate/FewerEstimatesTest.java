package org.heapspan.spark.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.TrackedSize;
import org.apache.spark.util.SizeEstimator;
import org.apache.spark.util.collection.SizeTrackingAppendOnlyMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Function2;
import scala.runtime.AbstractFunction2;

/** A map asks as Spark's does, each time it has a tenth more values. What it is told is compared with a visit of all objects. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
@SuppressWarnings({"rawtypes", "unchecked"}) // With type parameters javac finds Scala's signatures contradictory.
final class FewerEstimatesTest {
    private static final int VALUES = 20_000;
    private static final long MEGABYTE = 1 << 20;

    private final SizeTrackingAppendOnlyMap map = new SizeTrackingAppendOnlyMap();
    private int measured;
    private int asked;
    private double least = Double.MAX_VALUE;
    private double most;

    private final FewerEstimates estimates = new FewerEstimates(object -> {
        measured++;
        return SizeEstimator.estimate(object);
    });

    /** Adds values to lists by key, and asks. */
    private void fill(int keys, int values, IntFunction<Object> value) {
        int next = asked == 0 ? 1 : 0;
        for (int i = 0; i < values; i++) {
            Object added = value.apply(i);
            map.changeValue(i % keys, adding(added));
            if (i >= next) {
                next = i + 1 + i / 10;
                compare();
            }
        }
    }

    private static Function2 adding(Object added) {
        return new AbstractFunction2<Object, Object, Object>() {
            @Override
            public Object apply(Object isThere, Object list) {
                List<Object> all = (boolean) isThere ? (List<Object>) list : new ArrayList<>();
                all.add(added);
                return all;
            }
        };
    }

    private void compare() {
        long told = estimates.applyAsLong(map);
        long truth = SizeEstimator.estimate(map);
        asked++;
        if (truth > MEGABYTE) {
            least = Math.min(least, (double) told / truth);
            most = Math.max(most, (double) told / truth);
        }
    }

    @Test
    void isCloseToAVisitOfAllObjectsAndVisitsSeldom() {
        fill(300, VALUES, i -> List.of("value " + i, i, new long[4]));
        assertThat(least).isGreaterThan(0.85);
        assertThat(most).isBetween(0.9, 1.15);
        assertThat(asked).isGreaterThan(70);
        assertThat(measured).isLessThan(asked / 3);
    }

    @Test
    void aGrowingTableCounts() {
        fill(VALUES, VALUES, i -> new long[i % 3]);
        assertThat(least).isGreaterThan(0.75);
        assertThat(most).isBetween(0.9, 1.25);
    }

    @Test
    void valuesThatBecomeLargeAreSeenAtOnce() {
        fill(50, 2000, i -> "value " + i);
        measured = 0;
        map.changeValue(1, adding(new long[1 << 20]));
        long told = estimates.applyAsLong(map);
        assertThat(measured).isEqualTo(1);
        assertThat(told).isGreaterThan(8 * MEGABYTE);
    }

    @Test
    void objectsThatWereThereBeforeAreSeenWhenTheUpdatesHaveDoubled() {
        Object[] before = new Object[4000];
        for (int i = 0; i < before.length; i++) {
            before[i] = new byte[4096];
        }
        fill(50, 2000, i -> "value " + i);
        fill(50, before.length, i -> before[i]);
        assertThat((double) estimates.applyAsLong(map) / SizeEstimator.estimate(map))
                .isBetween(0.5, 1.5);
    }

    @Test
    void allOtherObjectsAreMeasuredEachTime() {
        List<Object> object = List.of("one", 2);
        assertThat(TrackedSize.isOf(object)).isFalse();
        for (int i = 1; i <= 3; i++) {
            assertThat(estimates.applyAsLong(object)).isEqualTo(SizeEstimator.estimate(object));
            assertThat(measured).isEqualTo(i);
        }
    }

    @Test
    void whatCannotBeMeasuredIsLeftToSpark() {
        FewerEstimates givesUp = new FewerEstimates(object -> {
            measured++;
            return -1;
        });
        for (int i = 1; i <= 3; i++) {
            map.changeValue(i, adding(i));
            assertThat(givesUp.applyAsLong(map)).isEqualTo(-1);
            assertThat(measured).isEqualTo(i);
        }
    }

    /** More maps than it has notes of: each is measured, and none is taken for another. */
    @Test
    void mapsAreToldApart() {
        List<SizeTrackingAppendOnlyMap> maps = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            SizeTrackingAppendOnlyMap other = new SizeTrackingAppendOnlyMap();
            other.changeValue("key", adding(new long[10_000 * (i + 1)]));
            maps.add(other);
        }
        for (int round = 0; round < 2; round++) {
            for (SizeTrackingAppendOnlyMap each : maps) {
                assertThat(estimates.applyAsLong(each)).isEqualTo(SizeEstimator.estimate(each));
            }
        }
    }
}
