package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ConnectionsTest {
    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    private static Reply ask(Connections connections, Request request) throws Exception {
        return connections.call(request, Reply.class, soon());
    }

    /** The server may be closing the connection over which it was told to end the session. */
    private static boolean begins(Connections connections, ServerSession former) {
        try {
            connections.call(new Request.Ping(), Reply.Done.class, soon());
        } catch (IOException | RefusedException e) {
            return false;
        }
        return connections.session() != former;
    }

    /** Another session begins while a thread uses a connection of the former one. */
    @Test
    void aConnectionOfAFormerSessionIsNotUsedAgain() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(ExchangeServerOptions.port(0))) {
            ClientSettings settings = new ClientSettings(
                    List.of(Endpoint.parse(server.url())),
                    null,
                    null,
                    Duration.ofSeconds(Eventually.MOST_SECONDS),
                    4,
                    true,
                    false);
            Connections connections = new Connections(settings, (session, nonce, replies) -> {});
            connections.connect();
            ServerSession former = connections.session();
            ServerSession present = connections.use(soon(), (connection, session) -> {
                connections.call(new Request.Goodbye(), Reply.Done.class, soon());
                while (!begins(connections, session)) {
                    Thread.onSpinWait();
                }
                return connections.session();
            });
            assertThat(present).isNotSameAs(former);
            for (int i = 0; i < 3; i++) {
                assertThat(ask(connections, new Request.StatKey("k"))).isInstanceOf(Reply.Keys.class);
            }
            assertThat(connections.session()).isSameAs(present);
            connections.disconnect();
        }
    }
}
