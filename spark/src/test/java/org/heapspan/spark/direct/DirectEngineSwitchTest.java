package org.heapspan.spark.direct;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Applications of one JVM, one after the other. */
@Tag("once")
final class DirectEngineSwitchTest {
    private static final String PROPERTY = "heapspan.direct";

    private final @Nullable String before = System.getProperty(PROPERTY);

    @BeforeEach
    void begin() {
        System.clearProperty(PROPERTY);
    }

    @AfterEach
    void end() {
        if (before == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, before);
        }
    }

    private static void apply(String value) {
        DirectEngineSwitch.apply(HeapspanConfiguration.of(new SparkConf(false).set("spark.heapspan.direct", value)));
    }

    @Test
    void theNextApplicationHasItsOwnValue() {
        apply("false");
        assertThat(System.getProperty(PROPERTY)).isEqualTo("false");
        apply("true");
        assertThat(System.getProperty(PROPERTY)).isEqualTo("true");
        DirectEngineSwitch.apply(HeapspanConfiguration.of(new SparkConf(false)));
        assertThat(System.getProperty(PROPERTY)).isEqualTo("true");
    }

    @Test
    void thePropertyOfTheUserIsLeftAlone() {
        System.setProperty(PROPERTY, "force");
        apply("false");
        apply("true");
        assertThat(System.getProperty(PROPERTY)).isEqualTo("force");
    }
}
