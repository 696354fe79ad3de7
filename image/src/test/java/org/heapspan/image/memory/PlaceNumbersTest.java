package org.heapspan.image.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Numbers of objects against a map of them. */
@Tag("once")
final class PlaceNumbersTest {
    /** Half of the entries of the largest table. */
    private static final int MOST_OBJECTS = 1 << 18;

    private final PlaceNumbers numbers = new PlaceNumbers();

    private static int bits(int place) {
        return place << Places.SHIFT;
    }

    /** Objects at some distance from one another, in the order in which they are first seen. */
    private void track(int objects) {
        for (int number = 0; number < objects; number++) {
            int known = numbers.track(bits(3 * number + 1));
            if (known != PlaceNumbers.NEW) {
                assertThat(known).as("object %d", number).isEqualTo(PlaceNumbers.NEW);
            }
        }
    }

    @Test
    void objectsKeepTheirNumbersWhenTheTableGrows() {
        numbers.beginRecord();
        int before = 0;
        int tables = 0;
        for (int number = 0; number < MOST_OBJECTS; number++) {
            assertThat(numbers.track(bits(3 * number + 1))).isEqualTo(PlaceNumbers.NEW);
            if (numbers.table().length != before) {
                before = numbers.table().length;
                tables++;
                for (int each = 0; each <= number; each++) {
                    int known = numbers.track(bits(3 * each + 1));
                    if (known != each) {
                        assertThat(known)
                                .as("object %d after %d, in a table of %d", each, number, before)
                                .isEqualTo(each);
                    }
                }
            }
        }
        assertThat(tables).isGreaterThan(4);
        assertThat(numbers.track(bits(3 * MOST_OBJECTS + 1))).isEqualTo(PlaceNumbers.FULL);
        assertThat(numbers.track(bits(1))).isZero();
    }

    @Test
    void theNextImagesBeginWithTheTableThatWasNeeded() {
        numbers.beginRecord();
        assertThat(numbers.isLarge()).isFalse();
        track(100_000);
        int needed = numbers.table().length;
        assertThat(numbers.isLarge()).isTrue();
        for (int image = 0; image < 16; image++) {
            numbers.endImage();
            numbers.beginRecord();
            assertThat(numbers.table()).as("image %d", image).hasSize(needed);
            track(10);
        }
        numbers.endImage();
        numbers.beginRecord();
        assertThat(numbers.isLarge()).isFalse();
        track(10);
    }

    /** Records of all sizes, dense and sparse, in images of several records. */
    @Test
    void numbersAreThoseOfAMap() {
        long seed = 20261128;
        Random random = new Random(seed);
        Map<Integer, Integer> seen = new HashMap<>();
        for (int image = 0; image < 400; image++) {
            int records = 1 + random.nextInt(8);
            for (int record = 0; record < records; record++) {
                numbers.beginRecord();
                seen.clear();
                int objects = 1 << random.nextInt(random.nextInt(20) == 0 ? 17 : 9);
                int range = Math.max(2, Math.min(objects << random.nextInt(8), 1 << 20));
                // Also those whose bits are negative.
                int highest = random.nextBoolean() ? (-1 >>> Places.SHIFT) - (1 << 22) : 0;
                int first = 1 + random.nextInt(1 << 20) + highest;
                for (int i = 0; i < objects; i++) {
                    int place = first + random.nextInt(range);
                    Integer known = seen.putIfAbsent(place, seen.size());
                    int expected = known == null ? PlaceNumbers.NEW : known;
                    int found = numbers.track(bits(place));
                    if (found != expected) {
                        assertThat(found)
                                .as("seed %d, image %d, record %d, place %d", seed, image, record, place)
                                .isEqualTo(expected);
                    }
                }
            }
            numbers.endImage();
        }
    }
}
