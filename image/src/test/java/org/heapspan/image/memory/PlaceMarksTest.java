package org.heapspan.image.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Marks of places against a set of them. */
@Tag("once")
final class PlaceMarksTest {
    private static final int PLACES_OF_BLOCK = Places.BLOCK_MASK + 1;

    private final PlaceMarks marks = new PlaceMarks();

    private static int bits(int place) {
        return place << Places.SHIFT;
    }

    @Test
    void placesOfABlockAreToldApart() {
        marks.beginTree();
        for (int place = 1; place < 4 * PLACES_OF_BLOCK; place++) {
            assertThat(marks.mark(bits(place))).as("place %d", place).isEqualTo(PlaceMarks.NEW);
            assertThat(marks.mark(bits(place))).as("place %d again", place).isEqualTo(PlaceMarks.SEEN);
        }
    }

    /** More records than there are generations. */
    @Test
    void eachRecordBeginsWithoutMarks() {
        for (int record = 0; record < 1_000; record++) {
            marks.beginTree();
            for (int place = 100; place < 100 + 2 * PLACES_OF_BLOCK; place += 7) {
                assertThat(marks.mark(bits(place)))
                        .as("record %d, place %d", record, place)
                        .isEqualTo(PlaceMarks.NEW);
            }
            assertThat(marks.mark(bits(107))).as("record %d", record).isEqualTo(PlaceMarks.SEEN);
        }
    }

    /** Blocks of earlier records do not fill the table. */
    @Test
    void manySmallRecordsNeedNoLargeTable() {
        for (int record = 0; record < 100_000; record++) {
            marks.beginTree();
            assertThat(marks.mark(bits((record + 1) * PLACES_OF_BLOCK))).isEqualTo(PlaceMarks.NEW);
        }
        assertThat(marks.isLarge()).isFalse();
    }

    /** Those of a tree that has outgrown a small table of numbers. */
    @Test
    void takesOverAllObjectsOfATree() {
        PlaceNumbers numbers = new PlaceNumbers();
        for (int image = 0; image < 3; image++) {
            numbers.beginTree();
            marks.beginTree();
            int place = 0;
            int known;
            do {
                place++;
                known = numbers.mark(bits(place));
            } while (known == PlaceNumbers.NEW);
            assertThat(known).isEqualTo(PlaceNumbers.OUTGROWN);
            assertThat(place).isGreaterThan(10_000);
            numbers.markAll(marks);
            for (int each = 1; each < place; each++) {
                assertThat(marks.mark(bits(each))).as("place %d", each).isEqualTo(PlaceMarks.SEEN);
            }
            assertThat(marks.mark(bits(place))).isEqualTo(PlaceMarks.NEW);
            numbers.endImage();
            marks.endImage();
        }
    }

    @Test
    void hasRoomForSoManyBlocks() {
        marks.beginTree();
        int blocks = 1 << 20;
        for (int block = 1; block <= blocks; block++) {
            assertThat(marks.mark(bits(block * PLACES_OF_BLOCK))).isEqualTo(PlaceMarks.NEW);
        }
        assertThat(marks.isLarge()).isTrue();
        assertThat(marks.mark(bits((blocks + 1) * PLACES_OF_BLOCK))).isEqualTo(PlaceMarks.FULL);
        assertThat(marks.mark(bits(PLACES_OF_BLOCK))).isEqualTo(PlaceMarks.SEEN);
    }

    /** Records of all sizes, dense and sparse, in images of several records. */
    @Test
    void marksAreThoseOfASet() {
        long seed = 20261126;
        Random random = new Random(seed);
        Set<Integer> seen = new HashSet<>();
        for (int image = 0; image < 400; image++) {
            int records = 1 + random.nextInt(8);
            for (int record = 0; record < records; record++) {
                marks.beginTree();
                seen.clear();
                int objects = 1 << random.nextInt(random.nextInt(20) == 0 ? 16 : 9);
                int range = Math.max(2, Math.min(objects << random.nextInt(8), 1 << 20));
                // Also those whose bits are negative.
                int highest = random.nextBoolean() ? (-1 >>> Places.SHIFT) - (1 << 22) : 0;
                int first = 1 + random.nextInt(1 << 20) + highest;
                for (int i = 0; i < objects; i++) {
                    int place = first + random.nextInt(range);
                    assertThat(marks.mark(bits(place)))
                            .as("seed %d, image %d, record %d, place %d", seed, image, record, place)
                            .isEqualTo(seen.add(place) ? PlaceMarks.NEW : PlaceMarks.SEEN);
                }
            }
            marks.endImage();
        }
    }
}
