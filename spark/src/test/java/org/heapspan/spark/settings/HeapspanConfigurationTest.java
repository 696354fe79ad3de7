package org.heapspan.spark.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.spark.SparkConf;
import org.heapspan.Encoding;
import org.heapspan.spark.GeneratedTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class HeapspanConfigurationTest {
    private static HeapspanConfiguration with(String key, String value) {
        return HeapspanConfiguration.of(new SparkConf(false).set(key, value));
    }

    @Test
    void defaultsAreValid() {
        HeapspanConfiguration configuration = HeapspanConfiguration.of(new SparkConf(false));
        assertThat(configuration.get(HeapspanConfiguration.SERIALIZER)).isTrue();
        assertThat(configuration.get(HeapspanConfiguration.GROUP_BYTES)).isEqualTo(64 << 10);
        assertThat(configuration.get(HeapspanConfiguration.ENCODING)).isEqualTo(Encoding.COMPACT);
        assertThat(configuration.isGiven(HeapspanConfiguration.DIRECT)).isFalse();
    }

    @Test
    void valuesAreThoseOfTheUser() {
        assertThat(with("spark.heapspan.serializer", "false").get(HeapspanConfiguration.SERIALIZER))
                .isFalse();
        assertThat(with("spark.heapspan.groupBytes", "1m").get(HeapspanConfiguration.GROUP_BYTES))
                .isEqualTo(1 << 20);
        assertThat(with("spark.heapspan.encoding", "RAW").get(HeapspanConfiguration.ENCODING))
                .isEqualTo(Encoding.RAW);
        assertThat(with("spark.heapspan.direct", "force").get(HeapspanConfiguration.DIRECT))
                .isEqualTo("force");
        assertThat(with("spark.heapspan.verify", " 0.5 ").get(HeapspanConfiguration.VERIFY))
                .isEqualTo(0.5);
    }

    @ParameterizedTest
    @CsvSource({
        "spark.heapspan.serializer, yes",
        "spark.heapspan.groupBytes, 12",
        "spark.heapspan.groupBytes, 1g",
        "spark.heapspan.groupBytes, many",
        "spark.heapspan.encoding, dense",
        "spark.heapspan.direct, 1",
        "spark.heapspan.verify, 2",
        "spark.heapspan.verify, NaN",
        "spark.heapspan.h2.capacity, 1k",
        "spark.heapspan.h2.capacity, 16383k",
        "spark.heapspan.h2.capacity, -1",
        "spark.heapspan.h2.capacity, much",
        "spark.heapspan.h2.regionSize, 3m",
        "spark.heapspan.h2.regionSize, 512k",
        "spark.heapspan.h2.regionSize, 512m",
        "spark.heapspan.h2.encryption, true",
        "spark.heapspan.h2.keptFraction, -0.1",
        "spark.heapspan.h2.keptFraction, 0.6",
        "spark.heapspan.h2.keptFraction, NaN",
        "spark.heapspan.h2.keptFraction, 64m",
    })
    void wrongValuesAreErrorsThatSayWhatToDo(String key, String value) {
        assertThatThrownBy(() -> with(key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key + " is '" + value + "', expected ")
                .hasMessageContaining("correct ")
                .hasMessageContaining("remove ")
                .satisfies(e -> assertThat(e.getMessage())
                        .doesNotContain("regionBytes", "capacityBytes", "builder")
                        .containsOnlyOnce("expected "));
    }

    @Test
    void capacityHoldsARegionAtLeast() {
        assertThatThrownBy(() -> with("spark.heapspan.h2.capacity", "1k"))
                .hasMessage(
                        "spark.heapspan.h2.capacity is '1k', expected at least one region, spark.heapspan.h2.regionSize is"
                                + " 16m; correct one of them, or remove spark.heapspan.h2.capacity to let the free space decide");
        assertThat(with("spark.heapspan.h2.capacity", "16m").get(HeapspanConfiguration.H2_CAPACITY))
                .isEqualTo(16 << 20);
        assertThatThrownBy(() -> with("spark.heapspan.h2.capacity", "8191p"))
                .hasMessageContaining("expected at most 1073741824 regions");
    }

    @Test
    void unknownKeysAreErrorsThatNameTheKnownOnes() {
        assertThatThrownBy(() -> with("spark.heapspan.serialiser", "true"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.heapspan.serialiser is not a key")
                .hasMessageContaining("spark.heapspan.serializer, ");
    }

    @Test
    void theTableOfThePageIsMadeFromTheKeys() throws IOException {
        GeneratedTable.check("spark.md", "HeapspanConfiguration", HeapspanConfiguration.table());
    }

    @Test
    void everyKeyHasAllThatTheTableSays() {
        assertThat(HeapspanConfiguration.keys()).isNotEmpty().allSatisfy(key -> {
            assertThat(key.name()).startsWith(HeapspanConfiguration.PREFIX);
            assertThat(key.fallback()).isNotNull();
            assertThat(key.values()).isNotEmpty();
            assertThat(key.meaning()).isNotEmpty().doesNotContain("|");
        });
    }
}
