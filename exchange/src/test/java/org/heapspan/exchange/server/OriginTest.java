package org.heapspan.exchange.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class OriginTest {
    /** Its clients are not told that the server cannot be reached. */
    @Test
    void aKeeperThatUsesAllItsConnectionsIsBusy() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (ExchangeServer server = ExchangeServer.start(ExchangeServerOptions.port(0));
                GlobalHeap heap = GlobalHeap.connect(server.url());
                Origin origin = Origin.join(
                        new ClientSettings(
                                List.of(Endpoint.parse(server.url())),
                                null,
                                null,
                                Duration.ofSeconds(2),
                                1,
                                false,
                                true),
                        0)) {
            heap.put("k", "value");
            Lease lease = origin.locate(new Request.LocateKey("k", 0));
            Thread fetching = new Thread(() -> fetch(origin, lease, begun, goOn));
            fetching.start();
            begun.await();
            try {
                assertThatThrownBy(() -> origin.call(new Request.Ping(), Reply.Done.class))
                        .isInstanceOfSatisfying(
                                RefusedException.class,
                                e -> assertThat(e.code()).isEqualTo(RefusalCode.BUSY))
                        .hasMessageContaining("for too many clients at the same time: the only connection");
            } finally {
                goOn.countDown();
                fetching.join();
            }
        }
    }

    private static void fetch(Origin origin, Lease lease, CountDownLatch begun, CountDownLatch goOn) {
        try {
            origin.fetch(lease, List.of(), () -> piece -> {
                begun.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            });
        } catch (RefusedException e) {
            // What becomes of it is not looked at.
            return;
        }
    }
}
