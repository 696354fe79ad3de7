package org.heapspan.spark.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class LoggedOnceTest {
    private final LoggedOnce logged = new LoggedOnce();

    @Test
    void eachThingIsLoggedOnce() {
        assertThat(logged.isFirst("a")).isTrue();
        assertThat(logged.isFirst("a")).isFalse();
        assertThat(logged.isFirst("b")).isTrue();
        logged.startOver();
        assertThat(logged.isFirst("a")).isTrue();
    }

    @Test
    void whatIsKeptIsBounded() {
        for (int i = 0; i < LoggedOnce.MOST; i++) {
            assertThat(logged.isFirst("a " + i)).isTrue();
        }
        assertThat(logged.isFirst("one more")).isFalse();
        assertThat(logged.isFirst("a 0")).isFalse();
    }
}
