package org.heapspan.exchange;

import java.io.IOException;

/** The ways from a client to a server. Each is another path through the code. */
enum Place {
    /** Connections within this JVM, bytes in shared memory. */
    IN_PROCESS,
    /** TCP, bytes in shared memory. */
    SAME_HOST,
    /** TCP, bytes through the connection, as from another host. */
    OTHER_HOST;

    ExchangeServerOptions server() {
        // Small chunks, so that groups cross their borders.
        return (this == IN_PROCESS ? ExchangeServerOptions.inProcess("test") : ExchangeServerOptions.port(0))
                .withChunkBytes(1 << 20)
                .withMemory(64 << 20);
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

    GlobalHeap connect(ExchangeServer server) throws IOException {
        return GlobalHeap.connect(server.url(), client());
    }
}
