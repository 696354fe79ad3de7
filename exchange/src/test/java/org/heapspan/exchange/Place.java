package org.heapspan.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;

/** The ways from a client to a server. Each is another path through the code. */
enum Place {
    /** Connections within this JVM, bytes in shared memory. */
    IN_PROCESS,
    /** TCP, bytes in shared memory. */
    SAME_HOST,
    /** TCP, bytes through the connection, as from another host. */
    OTHER_HOST,
    /** TCP, bytes in the shared memory of a keeper, which has joined a server. */
    JOINED;

    private static final List<ExchangeServer> ORIGINS = new ArrayList<>();

    ExchangeServerOptions server() {
        // Small chunks, so that groups cross their borders.
        ExchangeServerOptions options = (this == IN_PROCESS
                        ? ExchangeServerOptions.inProcess("test")
                        : ExchangeServerOptions.port(0))
                .withChunkBytes(1 << 20)
                .withMemory(64 << 20);
        return this == JOINED ? options.joining(origin(options)) : options;
    }

    /** Another server for each keeper. They run until {@link #closeOrigins}. */
    private static String origin(ExchangeServerOptions options) {
        try {
            ExchangeServer origin = ExchangeServer.start(options);
            synchronized (ORIGINS) {
                ORIGINS.add(origin);
            }
            return origin.url();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** After the last test with {@link #JOINED}. */
    static void closeOrigins() throws IOException {
        synchronized (ORIGINS) {
            for (ExchangeServer each : ORIGINS) {
                each.close();
            }
            ORIGINS.clear();
        }
    }

    GlobalHeapOptions client() {
        GlobalHeapOptions options = GlobalHeapOptions.defaults();
        return this == OTHER_HOST ? options.withoutMapping() : options;
    }

    interface Use {
        void use(ExchangeServer server, GlobalHeap heap) throws Exception;
    }

    void run(Use use) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(server());
                GlobalHeap heap = connect(server)) {
            use.use(server, heap);
        }
    }

    /** A client of a server that does not wait for long, or one that does not: on a busy machine the first greeting may come too late. */
    static GlobalHeap connectAtLast(String url, GlobalHeapOptions options) throws Exception {
        List<GlobalHeap> connected = new ArrayList<>();
        Eventually.holds("a client has greeted " + url + " in time", () -> {
            try {
                connected.add(GlobalHeap.connect(url, options));
                return true;
            } catch (ExchangeException e) {
                if (e.reason() != Reason.DEADLINE && e.reason() != Reason.UNREACHABLE) {
                    throw e;
                }
                return false;
            }
        });
        return connected.get(0);
    }

    GlobalHeap connect(ExchangeServer server) throws IOException {
        return GlobalHeap.connect(server.url(), client());
    }
}
