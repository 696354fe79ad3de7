package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupted thread of a client of several servers ends only its own call. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class InterruptedClientTest {
    /** Its thread must not go on until the end of its time. */
    @Test
    void aReadIsNotRepeated() throws Exception {
        try (ExchangeServer one = ExchangeServer.start(Place.SAME_HOST.server());
                ExchangeServer other = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap = GlobalHeap.connect(
                        one.url() + "," + other.url().substring("heapspan://".length()),
                        GlobalHeapOptions.defaults().withTimeout(Duration.ofHours(1)))) {
            AtomicBoolean interrupted = new AtomicBoolean();
            Thread reader = new Thread(() -> {
                Thread.currentThread().interrupt();
                fails(Reason.UNREACHABLE, () -> heap.get("k", String.class));
                interrupted.set(Thread.interrupted());
            });
            reader.setDaemon(true);
            reader.start();
            reader.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(interrupted).isTrue();
        }
    }

    @Test
    void theOtherThreadsGoOnWithTheSameServer() throws Exception {
        try (ExchangeServer one = ExchangeServer.start(Place.SAME_HOST.server());
                ExchangeServer other = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap =
                        GlobalHeap.connect(one.url() + "," + other.url().substring("heapspan://".length()))) {
            GObject<String> reserved = heap.reserve("k", 100);
            Thread.currentThread().interrupt();
            fails(Reason.UNREACHABLE, heap::status);
            assertThat(Thread.interrupted()).isTrue();
            reserved.populate("v");
            assertThat(reserved.commit()).isEqualTo(1);
            assertThat(one.status().sessions() + other.status().sessions()).isEqualTo(1);
        }
    }
}
