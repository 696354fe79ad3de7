package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class StatisticsTest {
    @Test
    void theMedianOfAnOddNumberIsTheMiddleValue() {
        assertThat(Statistics.median(new double[] {9, 1, 2})).isEqualTo(2);
        assertThat(Statistics.median(List.of(7.0))).isEqualTo(7);
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoMiddleValues() {
        assertThat(Statistics.median(new double[] {9, 1, 2, 4})).isEqualTo(3);
        assertThat(Statistics.median(List.of(4.0, 1.0))).isEqualTo(2.5);
    }

    @Test
    void valuesStayInTheirOrder() {
        double[] values = {3, 1, 2};
        Statistics.median(values);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(Statistics.median(new double[0])).isNaN();
        assertThat(Statistics.median(List.of())).isNaN();
        assertThat(Statistics.spread(new double[0])).isNaN();
    }

    @Test
    void theSpreadIsHalfTheDistanceOfTheQuartilesRelativeToTheMedian() {
        assertThat(Statistics.spread(new double[] {1, 8, 10, 12, 30})).isEqualTo(0.2);
    }
}
