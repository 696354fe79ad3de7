package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class FrequentKeysTest {
    @Test
    void whatIsMoreThanAHundredthIsAmongThem() {
        FrequentKeys frequent = new FrequentKeys();
        Random random = new Random(5);
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            int draw = random.nextInt(100);
            frequent.add(draw < 1 ? "one in a hundred" : draw < 3 ? null : "rare " + i);
        }
        assertThat(frequent.keys()).contains("one in a hundred", null).hasSizeLessThanOrEqualTo(128);
    }
}
