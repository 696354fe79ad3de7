package org.heapspan.exchange.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ServerTest {
    private static final int MOST_CONNECTIONS = 4;

    @TempDir
    Path folder;

    private final AtomicInteger threadsThatFail = new AtomicInteger();

    private Thread thread(Runnable work) {
        return new Thread(work, "connection of a test") {
            @Override
            public synchronized void start() {
                if (threadsThatFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw new OutOfMemoryError("unable to create native thread, says the test");
                }
                super.start();
            }
        };
    }

    private ServerSettings settings() {
        return settings(Duration.ofSeconds(30));
    }

    private ServerSettings settings(Duration handOver) {
        return new ServerSettings(
                Endpoint.tcp("127.0.0.1", 0),
                folder,
                null,
                new Chunks(1 << 20),
                1 << 24,
                null,
                1 << 24,
                null,
                null,
                false,
                Duration.ofSeconds(30),
                handOver,
                Duration.ofSeconds(30),
                MOST_CONNECTIONS,
                MOST_CONNECTIONS,
                "",
                null,
                null);
    }

    private static Reply.Status ask(Server server) throws Exception {
        ClientSettings settings =
                new ClientSettings(List.of(server.endpoint()), null, null, Duration.ofSeconds(30), 1, false, false);
        try (ExchangeClient client = new ExchangeClient(settings)) {
            return client.call(
                    new Request.AskStatus(), Reply.Status.class, Deadline.afterMillis(Eventually.MOST_MILLIS));
        }
    }

    @Test
    void aServerThatCannotBeStartedLeavesNoFiles() {
        assertThatThrownBy(() -> Server.start(settings(ChronoUnit.FOREVER.getDuration())))
                .isInstanceOf(ArithmeticException.class);
        assertThat(folder).isEmptyDirectory();
    }

    /** As where the system allows no more threads for a while. Nothing stays of the connections that had none. */
    @Test
    void aServerServesAgainWhenThreadsCanBeStartedAgain() throws Exception {
        try (Server server = Server.start(settings(), this::thread)) {
            int failing = 2 * MOST_CONNECTIONS;
            threadsThatFail.set(failing);
            for (int i = 0; i < failing; i++) {
                assertThatThrownBy(() -> ask(server)).isInstanceOf(IOException.class);
            }
            assertThat(threadsThatFail).hasValue(0);
            assertThat(ask(server).connections()).isEqualTo(1);
            Eventually.holds("no connection is left", () -> server.status().connections() == 0);
        }
    }
}
