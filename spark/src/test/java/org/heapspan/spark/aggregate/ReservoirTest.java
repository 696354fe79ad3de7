package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ReservoirTest {
    private static final int SIZE = 100;

    private static Reservoir of(int elements, long seed) {
        Reservoir reservoir = new Reservoir(SIZE, seed);
        for (int i = 0; i < elements; i++) {
            reservoir.offer(i);
        }
        return reservoir;
    }

    @Test
    void fewElementsAreAllThere() {
        assertThat(of(0, 1).sample()).isEmpty();
        assertThat(of(SIZE, 1).sample()).hasSize(SIZE).doesNotHaveDuplicates();
        assertThat(of(37, 1).offered()).isEqualTo(37);
    }

    @Test
    void eachElementHasTheSameChance() {
        int elements = 10_000;
        int samples = 300;
        int[] tenths = new int[10];
        for (int seed = 0; seed < samples; seed++) {
            for (Object element : of(elements, seed).sample()) {
                tenths[(Integer) element / (elements / 10)]++;
            }
        }
        // 3000 expected in each tenth; the deviation is 52.
        for (int tenth : tenths) {
            assertThat(tenth).isCloseTo(samples * SIZE / 10, within(300));
        }
    }
}
