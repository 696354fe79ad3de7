package org.heapspan.replication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;

/** Three servers in this JVM. */
final class Peers implements AutoCloseable {
    private static final int COUNT = 3;

    private final Path base;
    private final String prefix = "p" + UUID.randomUUID().toString().substring(0, 8);
    private final List<@Nullable ExchangeServer> servers = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Peers(Path base) throws IOException {
        this.base = base;
        for (int i = 0; i < COUNT; i++) {
            servers.add(null);
            start(i);
        }
    }

    String url() {
        return "heapspan-local://" + prefix + "-0," + prefix + "-1," + prefix + "-2";
    }

    String url(int peer) {
        return "heapspan-local://" + prefix + "-" + peer;
    }

    void start(int peer) throws IOException {
        servers.set(
                peer,
                ExchangeServer.start(ExchangeServerOptions.inProcess(prefix + "-" + peer)
                        .withDirectory(base.resolve("peer-" + peer))
                        .withMemory(64 << 20)
                        .withTimeout(Duration.ofSeconds(5))
                        .replicating(url())));
    }

    /** Starts all that were stopped. */
    void startStopped() throws IOException {
        for (int i = 0; i < COUNT; i++) {
            if (servers.get(i) == null) {
                start(i);
            }
        }
    }

    /** Stops servers at the same time: each takes a second until its log is closed. */
    void stop(int... stopped) {
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (int peer : stopped) {
            ExchangeServer server = servers.set(peer, null);
            if (server != null) {
                closing.add(CompletableFuture.runAsync(() -> close(server), threads));
            }
        }
        closing.forEach(CompletableFuture::join);
    }

    private static void close(ExchangeServer server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ExchangeServer server(int peer) {
        ExchangeServer server = servers.get(peer);
        if (server == null) {
            throw new IllegalStateException("server " + peer + " was stopped");
        }
        return server;
    }

    GlobalHeap connect() {
        return GlobalHeap.connect(
                url(), GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS)));
    }

    /** The number of the server that leads. */
    int leader() throws Exception {
        int[] leader = {-1};
        Eventually.holds("a server leads", () -> {
            for (int i = 0; i < COUNT && leader[0] < 0; i++) {
                if (servers.get(i) != null && leads(i)) {
                    leader[0] = i;
                }
            }
            return leader[0] >= 0;
        });
        return leader[0];
    }

    private boolean leads(int peer) {
        try (GlobalHeap heap =
                GlobalHeap.connect(url(peer), GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(2)))) {
            heap.list("");
            return true;
        } catch (ExchangeException e) {
            return false;
        }
    }

    @Override
    public void close() {
        stop(0, 1, 2);
        threads.shutdownNow();
    }
}
