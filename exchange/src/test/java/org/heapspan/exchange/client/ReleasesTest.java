package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything that is given back reaches the server, whatever goes wrong meanwhile. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ReleasesTest {
    private interface Use {
        void use(ExchangeServer server, ExchangeClient client, ServerSession session) throws Exception;
    }

    private static void with(Use use) throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(0).withLease(Duration.ofSeconds(2));
        try (ExchangeServer server = ExchangeServer.start(options);
                ExchangeClient client = new ExchangeClient(settings(server.url()))) {
            ServerSession session = client.connections().session();
            assertThat(session).isNotNull();
            use.use(server, client, session);
        }
    }

    private static ClientSettings settings(String url) {
        Duration timeout = Duration.ofSeconds(Eventually.MOST_SECONDS);
        return new ClientSettings(List.of(Endpoint.parse(url)), null, null, timeout, 4, true, false);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    @Test
    void anErrorDoesNotEndTheirThread() throws Exception {
        with((server, client, session) -> {
            long first = client.reserve(100, soon()).address();
            long second = client.reserve(100, soon()).address();
            Releases releases = new Releases(client.connections(), () -> {});
            // Longer than a message may be, which is an exception in each turn.
            releases.abandon(session, new byte[1 << 20], 0);
            releases.add(session, first);
            releases.start();
            Eventually.holds("the first is released", () -> server.status().groups() == 1);
            releases.add(session, second);
            Eventually.holds("the second is released", () -> server.status().groups() == 0);
            releases.close();
        });
    }

    /** Several leases of one group, more than go into one message, and reservations. */
    @Test
    void manyAreToldInSeveralMessages() throws Exception {
        with((server, client, session) -> {
            long reserved = client.reserve(100, soon()).address();
            ImageBytes image = new ImageBytes();
            image.write(new byte[100]);
            CommitTerms terms = new CommitTerms(false, false, "", 0, "");
            Lease published = client.leaseOf(client.store(image, terms, new long[0], soon()), image, terms);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                leases.add(client.locate(
                        new Request.LocateAddress(published.group().address(), false), soon()));
            }
            Releases releases = new Releases(client.connections(), () -> {});
            releases.add(session, reserved);
            leases.forEach(releases::add);
            for (int i = 0; i < 10_000; i++) {
                releases.add(session, 1);
            }
            releases.flush();
            assertThat(server.status().groups()).isEqualTo(1);
            releases.add(published);
            releases.flush();
            assertThat(server.status().groups()).isEqualTo(0);
        });
    }
}
