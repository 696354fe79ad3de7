package org.heapspan.cli;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.jspecify.annotations.Nullable;

/** Which server a command talks to. */
final class HeapServer {
    static final String DEFAULT_URL = "heapspan://127.0.0.1:7077";

    private final String url;
    private final @Nullable String secretFile;
    private final @Nullable String tlsTrust;

    HeapServer(Options options) throws Failure {
        String named = options.value("--server");
        url = named == null ? DEFAULT_URL : named;
        secretFile = options.value("--secret-file");
        tlsTrust = options.value("--tls-trust");
    }

    /** What a command does with the heap. */
    interface Use {
        void use(GlobalHeap heap) throws Failure, IOException;
    }

    /** Connects, and turns failures into one line. */
    void use(Use use) throws Failure {
        try (GlobalHeap heap = GlobalHeap.connect(url, options())) {
            use.use(heap);
        } catch (ExchangeException e) {
            throw Failure.of(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw Failure.of("input or output failed: " + Failure.reason(e));
        } catch (IllegalArgumentException e) {
            throw Failure.ofUsage(String.valueOf(e.getMessage()));
        }
    }

    private GlobalHeapOptions options() throws IOException {
        GlobalHeapOptions options = GlobalHeapOptions.defaults();
        if (tlsTrust != null) {
            options = options.withTlsTrust(path(tlsTrust));
        }
        return secretFile == null ? options : options.withSecretFile(path(secretFile));
    }

    static Path path(String text) throws IOException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
