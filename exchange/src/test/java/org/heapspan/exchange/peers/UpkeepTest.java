package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a server does now and then is done again, whatever has happened to it. */
@Tag("once")
final class UpkeepTest {
    @Test
    void theWorkIsDoneAgainAfterAnError() throws InterruptedException {
        CountDownLatch left = new CountDownLatch(4);
        try (Upkeep upkeep = new Upkeep("heapspan-test", 1, () -> {
            left.countDown();
            if (left.getCount() == 3) {
                throw new OutOfMemoryError("once");
            } else if (left.getCount() == 2) {
                throw new IllegalStateException("once");
            }
        })) {
            upkeep.start();
            assertThat(left.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }
}
