package org.heapspan.spark.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A set, compared with one of Java's. */
@Tag("once")
final class VisitedPlacesTest {
    private static final long MOST_PLACE = (1L << 44) - 1;

    private final VisitedPlaces places = new VisitedPlaces();

    @ParameterizedTest
    @ValueSource(longs = {100, 50_000, 10_000_000, MOST_PLACE})
    void holdsWhatWasAddedInThisWalk(long span) {
        Random random = new Random(span);
        for (int count : new int[] {1, 10, 300, 40_000, 7, 2_000, 0, 100_000}) {
            places.startOver();
            Set<Long> expected = new HashSet<>();
            for (int i = 0; i < count; i++) {
                long place = random.nextLong() >>> 1;
                place = 1 + place % span;
                assertThat(places.add(place))
                        .as("place %d of a walk over %d", place, count)
                        .isEqualTo(expected.add(place));
            }
        }
    }

    @Test
    void aLargeTableIsDroppedAfterItsWalk() {
        for (long place = 1; place <= 1_000_000; place++) {
            places.add(place * 1000);
        }
        assertThat(places.tableLength()).isGreaterThan(1 << 20);
        places.dropLargeTable();
        assertThat(places.tableLength()).isLessThan(1 << 10);
        assertThat(places.add(1000)).as("a new walk").isTrue();
        assertThat(places.add(1000)).isFalse();
    }

    @Test
    void neighboursAreApart() {
        for (long place = 1; place < 10_000; place++) {
            assertThat(places.add(place)).isTrue();
        }
        for (long place = 9_999; place > 0; place--) {
            assertThat(places.add(place)).isFalse();
        }
        assertThat(places.add(MOST_PLACE)).isTrue();
        assertThat(places.add(MOST_PLACE)).isFalse();
    }

    /** Numbers of walks begin anew after 2^26 of them, when the tables still hold what the first ones left. */
    @Test
    void numbersOfWalksMayBeginAnew() {
        places.add(4711);
        for (long i = 0; i < 1L << 26; i++) {
            places.startOver();
            if (i % (1 << 20) == 0) {
                assertThat(places.add(4712)).isTrue();
            }
        }
        assertThat(places.add(4711)).isTrue();
        assertThat(places.add(4711)).isFalse();
    }
}
