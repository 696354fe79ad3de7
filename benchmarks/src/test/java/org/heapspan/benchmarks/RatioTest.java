package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RatioTest {
    @Test
    void theRangeIsThatOfTheMediansOfJvms() {
        Measurement heapspan =
                of(List.of(List.of(10.0, 11.0, 900.0), List.of(9.0, 9.0, 9.0)), List.of(List.of(10.0), List.of(9.0)));
        Measurement rival = of(List.of(List.of(20.0), List.of(22.0)), List.of(List.of(21.0), List.of(23.0)));
        Ratio ratio = Ratio.of(heapspan, rival);
        // Heapspan's JVMs: 9 + 9 to 11 + 10; the rival's: 20 + 21 to 22 + 23; the single slow iteration does not count.
        assertThat(ratio.lowest()).isEqualTo(41.0 / 21);
        assertThat(ratio.highest()).isEqualTo(45.0 / 18);
        assertThat(ratio.factor()).isBetween(ratio.lowest(), ratio.highest());
        assertThat(ratio.jvms()).isEqualTo(2);
        assertThat(ratio.toString()).endsWith("x (1.95 to 2.50)");
    }

    @Test
    void oneJvmGivesNoRange() {
        List<List<Double>> one = List.of(List.of(1.0, 2.0, 3.0));
        assertThat(Ratio.of(of(one, one), of(List.of(List.of(4.0), List.of(4.0)), one)))
                .hasToString("1.50x");
    }

    private static Measurement of(List<List<Double>> encode, List<List<Double>> decode) {
        Measurement measurement = new Measurement();
        measurement.encode = encode;
        measurement.decode = decode;
        return measurement;
    }
}
