package org.heapspan.spark.tab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class AmountsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.00 KiB",
        "15000, 14.6 KiB",
        "1610612736, 1.50 GiB",
        "9223372036854775807, 8.00 EiB",
    })
    void bytesHaveTheirUnit(long bytes, String text) {
        assertThat(Amounts.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "999999, < 1 ms",
        "12300000, 12 ms",
        "3450000000, 3.5 s",
        "150000000000, 2.5 min",
        "9000000000000, 2.5 h",
    })
    void timesHaveTheirUnit(long nanos, String text) {
        assertThat(Amounts.time(nanos)).isEqualTo(text);
    }

    @Test
    void speedsAndSharesOfNothingAreEmpty() {
        assertThat(Amounts.speed(3_000_000_000L, 2_000_000_000L)).isEqualTo("1.50 GB/s");
        assertThat(Amounts.speed(2_000, 5_000)).isEqualTo("400 MB/s");
        assertThat(Amounts.speed(2, 5_000)).isEqualTo("0.4 MB/s");
        assertThat(Amounts.speed(5, 0)).isEmpty();
        assertThat(Amounts.speed(0, 5)).isEmpty();
        assertThat(Amounts.share(1, 8)).isEqualTo("12.5 %");
        assertThat(Amounts.share(1, 0)).isEmpty();
        assertThat(Amounts.count(1234567)).isEqualTo("1,234,567");
    }
}
