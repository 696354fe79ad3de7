package org.heapspan.exchange.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.exchange.server.Traffic;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class TrafficHistoryTest {
    /** A server that gets a request each second, and cannot be asked in some. */
    private static final class Asked implements TrafficHistory.Source {
        private final int[] failing;
        private final boolean byError;
        private final AtomicInteger second = new AtomicInteger();

        Asked(boolean byError, int... failing) {
            this.failing = failing;
            this.byError = byError;
        }

        @Override
        public Traffic.Totals totals() {
            return new Traffic.Totals(second.getAndIncrement(), 0, 0, 0, 0);
        }

        @Override
        public long usedBytes() {
            int number = second.get() - 1;
            if (Arrays.stream(failing).anyMatch(each -> each == number)) {
                if (byError) {
                    throw new OutOfMemoryError("expected by the test");
                }
                throw new IllegalStateException("expected by the test");
            }
            return 100L * number;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSampleThatFailsIsASecondWhoseTrafficTheNextOneHas(boolean byError) {
        TrafficHistory history = new TrafficHistory(new Asked(byError, 1, 4, 5));
        for (int i = 0; i < 7; i++) {
            history.run();
        }
        assertThat(history.line(second -> second.added().requests())).containsExactly(0L, 2L, 1L, 0L, 0L, 3L, 1L);
        assertThat(history.line(TrafficHistory.Second::usedBytes))
                .containsExactly(0L, 200L, 300L, 300L, 300L, 600L, 700L);
    }

    @Test
    void theClockGoesOnBehindASampleThatFails() throws Exception {
        TrafficHistory history = new TrafficHistory(new Asked(false, 2));
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try {
            ScheduledFuture<?> unused = clock.scheduleAtFixedRate(history, 1, 1, TimeUnit.MILLISECONDS);
            Eventually.holds(
                    "six seconds",
                    () -> history.line(TrafficHistory.Second::usedBytes).size() > 5);
        } finally {
            clock.shutdownNow();
        }
        assertThat(history.line(TrafficHistory.Second::usedBytes)).startsWith(100L, 100L, 300L);
    }

    @Test
    void onlyTheLatestSecondsStay() {
        TrafficHistory history = new TrafficHistory(new Asked(false));
        for (int i = 0; i < TrafficHistory.SECONDS + 3; i++) {
            history.run();
        }
        assertThat(history.line(TrafficHistory.Second::usedBytes))
                .hasSize(TrafficHistory.SECONDS)
                .startsWith(400L)
                .endsWith(100L * (TrafficHistory.SECONDS + 3));
    }
}
