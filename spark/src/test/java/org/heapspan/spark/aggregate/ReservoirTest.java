package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(of(0, 1).sample(SIZE)).isEmpty();
        assertThat(of(SIZE, 1).sample(2 * SIZE)).hasSize(SIZE).doesNotHaveDuplicates();
        assertThat(of(37, 1).offered()).isEqualTo(37);
    }

    @Test
    void eachElementHasTheSameChance() {
        int elements = 10_000;
        int samples = 300;
        int[] tenths = new int[10];
        for (int seed = 0; seed < samples; seed++) {
            for (Object element : of(elements, seed).sample(SIZE)) {
                tenths[(Integer) element / (elements / 10)]++;
            }
        }
        // 3000 expected in each tenth; the deviation is 52.
        for (int tenth : tenths) {
            assertThat(tenth).isCloseTo(samples * SIZE / 10, within(300));
        }
    }

    /** Also while all elements are in the sample, in their order. */
    @ParameterizedTest
    @ValueSource(ints = {SIZE, 10_000})
    void eachElementHasTheSameChanceToBeInAPart(int elements) {
        int samples = 3000;
        int[] tenths = new int[10];
        for (int seed = 0; seed < samples; seed++) {
            Reservoir reservoir = of(elements, seed);
            assertThat(reservoir.sample(10)).hasSize(10).doesNotHaveDuplicates();
            for (Object element : reservoir.sample(10)) {
                tenths[(Integer) element / (elements / 10)]++;
            }
            assertThat(reservoir.sample(SIZE)).hasSize(SIZE).doesNotHaveDuplicates();
        }
        for (int tenth : tenths) {
            assertThat(tenth).isCloseTo(samples, within(300));
        }
    }
}
