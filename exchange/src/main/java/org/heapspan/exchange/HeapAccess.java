package org.heapspan.exchange;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.exchange.client.CommitTerms;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.GroupBytes;
import org.heapspan.exchange.client.ImageBytes;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.client.Reservation;
import org.heapspan.exchange.client.Stored;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** What {@link GlobalHeap}, {@link GObject} and {@link GroupHandle} do with the client: objects instead of bytes, one kind of exception. Thread-safe. */
final class HeapAccess {
    private static final int MOST_TYPE_CHARACTERS = 256;

    private final ExchangeClient client;
    private final GlobalHeapOptions options;
    private final Heapspan heapspan;

    HeapAccess(ExchangeClient client, GlobalHeapOptions options) {
        this.client = client;
        this.options = options;
        heapspan = options.heapspan();
    }

    ExchangeClient client() {
        return client;
    }

    GlobalHeapOptions options() {
        return options;
    }

    private Deadline timeout() {
        return Deadline.after(options.timeout());
    }

    /** A call of the client. */
    interface Call<T> {
        T run() throws IOException, RefusedException;
    }

    /** Runs a call, and turns its failures into the exceptions of this package. */
    <T> T run(String action, Call<T> call) {
        String whole = action + " at " + client.server();
        try {
            return call.run();
        } catch (RefusedException e) {
            throw ExchangeException.of(whole, e);
        } catch (IOException e) {
            throw ExchangeException.of(whole, e);
        }
    }

    // Writing

    Encoding encoding() {
        return options.encoding() == Encoding.RAW && client.hasSecret() && client.mapsFiles()
                ? Encoding.RAW
                : Encoding.COMPACT;
    }

    /** An image in memory. */
    record Encoded(ImageBytes bytes, Encoding encoding, String typeName) {
        CommitTerms terms(String key, long replacedVersion, boolean handOver) {
            return new CommitTerms(encoding == Encoding.RAW, handOver, key, replacedVersion, typeName);
        }
    }

    Encoded encode(@Nullable Object value) {
        ImageBytes bytes = new ImageBytes();
        Encoding encoding = encoding();
        try {
            heapspan.encodeTo(value, encoding, bytes);
        } catch (IOException e) {
            throw new IllegalStateException("memory does not fail", e);
        }
        return encoded(
                bytes, encoding, value == null ? "null" : value.getClass().getName());
    }

    static Encoded encoded(ImageBytes bytes, Encoding encoding, String typeName) {
        return new Encoded(bytes, encoding, shortened(typeName));
    }

    static String shortened(String typeName) {
        return typeName.length() <= MOST_TYPE_CHARACTERS ? typeName : typeName.substring(0, MOST_TYPE_CHARACTERS);
    }

    /** Stores an image in all three stages. */
    Stored store(String action, Encoded image, CommitTerms terms, Collection<? extends GroupHandle<?>> needed) {
        try {
            long[] addresses = needed.stream().mapToLong(GroupHandle::address).toArray();
            return run(action, () -> client.store(image.bytes(), terms, addresses, timeout()));
        } finally {
            Reference.reachabilityFence(needed);
        }
    }

    /** Stores a compact image that is read from a stream meanwhile. */
    Stored store(String action, ImageStream image, CommitTerms terms) throws IOException {
        try {
            return run(action, () -> client.store(image, terms, timeout()));
        } catch (ExchangeException e) {
            image.throwFailureOfStream();
            throw e;
        }
    }

    Reservation reserve(String action, long sizeBytes) {
        return run(action, () -> client.reserve(sizeBytes, timeout()));
    }

    /** Writes an image into its space and commits it. The space is released if that fails. */
    long commit(String action, Reservation reservation, Encoded image, CommitTerms terms) {
        return run(action, () -> client.commit(reservation, image.bytes(), terms, timeout()));
    }

    Lease publish(String action, @Nullable Object value, Collection<? extends GroupHandle<?>> needed) {
        Encoded image = encode(value);
        CommitTerms terms = image.terms("", 0, false);
        return client.leaseOf(store(action, image, terms, needed), image.bytes(), terms);
    }

    // Reading

    Lease locate(String action, String key, Duration wait) {
        return run(
                action + " with a deadline of " + wait.toMillis() + " ms",
                () -> client.locate(key, Deadline.after(wait)));
    }

    Lease locate(String action, long address, boolean take) {
        return run(action, () -> client.locate(new Request.LocateAddress(address, take), timeout()));
    }

    <T> @Nullable T read(String action, Lease lease, Class<T> type) {
        boolean raw = lease.group().raw();
        if (raw && !(client.hasSecret() && client.mapsFiles())) {
            throw ExchangeException.of(
                    ExchangeException.Reason.RAW,
                    action + " at " + client.server(),
                    "its image is raw, which only clients with the secret on the host of the server read; let its writer use"
                            + " Encoding.COMPACT");
        }
        return run(action, () -> client.read(lease, new Decoding<>(type, raw))).orElse(null);
    }

    private final class Decoding<T> implements GroupBytes<T> {
        private final Class<T> type;
        private final boolean raw;

        Decoding(Class<T> type, boolean raw) {
            this.type = type;
            this.raw = raw;
        }

        @Override
        public @Nullable T from(ByteBuffer[] pieces) {
            return raw ? heapspan.decodeTrustedFrom(pieces, type) : heapspan.decodeFrom(pieces, type);
        }
    }

    <R extends Reply> R call(String action, Request request, Class<R> type) {
        return run(action, () -> client.call(request, type, timeout()));
    }
}
