package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupted thread of a client of several servers ends only its own call. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class InterruptedClientTest {
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
