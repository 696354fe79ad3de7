package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** Connections to another peer: some for the consensus, which must not wait for bytes, and others for bytes. Thread-safe. */
final class PeerLink implements Closeable {
    /** A consensus that waits longer would look for another leader anyway. */
    private static final long ASK_MILLIS = 2_000;

    /** After a failure nobody waits for the peer for as long. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private static final int CONNECTIONS = 8;

    private final ClientSettings settings;
    private final Lazy asking = new Lazy();
    private final Lazy copying = new Lazy();
    private volatile long failedNanos = System.nanoTime() - PAUSE_NANOS;
    private volatile boolean closed;

    PeerLink(ClientSettings settings) {
        this.settings = settings;
    }

    /** A client connects when it is made, which fails while the peer is not there. */
    private final class Lazy {
        private @Nullable ExchangeClient client;

        synchronized ExchangeClient get() throws IOException, RefusedException {
            if (closed) {
                throw new IOException("this server is being closed");
            }
            ExchangeClient current = client;
            if (current == null) {
                current = new ExchangeClient(settings);
                client = current;
            }
            return current;
        }

        synchronized @Nullable ExchangeClient last() {
            return client;
        }
    }

    byte[] ask(byte[] message) throws IOException {
        try {
            ByteBuffer answer = asking.get()
                    .call(
                            new Request.AskPeer(ByteBuffer.wrap(message)),
                            Reply.PeerAnswer.class,
                            Deadline.afterMillis(ASK_MILLIS))
                    .message();
            byte[] bytes = new byte[answer.remaining()];
            answer.get(bytes);
            return bytes;
        } catch (RefusedException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    interface Use {
        void with(ExchangeClient client) throws IOException, RefusedException;
    }

    /** Whether the peer did not answer a moment ago. */
    boolean isPausing() {
        return System.nanoTime() - failedNanos < PAUSE_NANOS;
    }

    void copy(Use use) throws IOException, RefusedException {
        try {
            use.with(copying.get());
        } catch (FullException e) {
            // The peer has not failed: what it has sent has no room here.
            throw e;
        } catch (IOException e) {
            failedNanos = System.nanoTime();
            throw e;
        }
    }

    Deadline timeout() {
        return Deadline.after(settings.timeout());
    }

    static ClientSettings settings(PeerSettings settings, int peer) {
        return settings.client().at(settings.places().get(peer), CONNECTIONS);
    }

    @Override
    public void close() {
        closed = true;
        for (Lazy each : new Lazy[] {asking, copying}) {
            ExchangeClient client = each.last();
            if (client != null) {
                client.close();
            }
        }
    }
}
