package org.heapspan.exchange;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.client.CommitTerms;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.Found;
import org.heapspan.exchange.client.GroupBytes;
import org.heapspan.exchange.client.ImageBytes;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.client.Reservation;
import org.heapspan.exchange.client.Stored;
import org.heapspan.exchange.sharing.ImageHeader;
import org.heapspan.exchange.sharing.ScopeUse;
import org.heapspan.exchange.sharing.SharedTrailer;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** What {@link GlobalHeap}, {@link GObject} and {@link GroupHandle} do with the client: objects instead of bytes, one kind of exception. Thread-safe. */
final class HeapAccess {
    private static final int MOST_TYPE_CHARACTERS = 256;

    /** Between two attempts. */
    private static final long PAUSE_NANOS = 50_000_000;

    private static final long[] NOTHING_NEEDED = {};

    private final ExchangeClient client;
    private final GlobalHeapOptions options;
    private final Heapspan heapspan;
    private final Sharing sharing;

    HeapAccess(ExchangeClient client, GlobalHeapOptions options) {
        this.client = client;
        this.options = options;
        heapspan = options.heapspan();
        sharing = new Sharing(this, options.deduplicated());
    }

    Sharing sharing() {
        return sharing;
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
        try {
            return call.run();
        } catch (RefusedException e) {
            throw ExchangeException.of(atServer(action), e);
        } catch (IOException e) {
            throw ExchangeException.of(atServer(action), e);
        }
    }

    private String atServer(String action) {
        return action + " at " + client.server();
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

    /** Encodes an object with all its values. */
    Encoded encode(@Nullable Object value) {
        Encoding encoding = encoding();
        return encode(value, encoding, bytes -> heapspan.encodeTo(value, encoding, bytes));
    }

    private Encoded encode(Object value, ScopeUse shared) {
        return encode(value, Encoding.COMPACT, bytes -> {
            heapspan.encodeTo(value, shared, bytes);
            bytes.write(new SharedTrailer(shared.parts()).toBytes());
        });
    }

    private interface Encoder {
        void encodeTo(ImageBytes bytes) throws IOException;
    }

    private static Encoded encode(@Nullable Object value, Encoding encoding, Encoder encoder) {
        ImageBytes bytes = new ImageBytes();
        try {
            encoder.encodeTo(bytes);
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

    /**
     * Where an object goes.
     *
     * @param key its key, empty for none
     * @param replacedVersion the version of the key that it replaces, or 0
     * @param handOver whether it waits for one reader
     */
    record Target(String key, long replacedVersion, boolean handOver) {
        /** A group without a key. */
        static final Target PUBLISHED = new Target("", 0, false);
    }

    /** An object that is stored. */
    record Written(Stored stored, Encoded image, CommitTerms terms) {}

    /** Encodes an object and stores it, with references to shared values where it can have them. */
    Written write(String action, @Nullable Object value, Target target, Collection<? extends GroupHandle<?>> needed) {
        boolean withKey = !target.key().isEmpty();
        ScopeUse shared = value == null || encoding() == Encoding.RAW ? null : sharing.begin(withKey);
        if (value == null || shared == null) {
            return write(action, encode(value), target, needed, List.of());
        }
        try {
            Written written = write(action, encode(value, shared), target, needed, shared.parts());
            sharing.stored(shared);
            return written;
        } catch (ExchangeException e) {
            if (!Sharing.canDoWithout(shared, e.reason())) {
                throw e;
            }
            Written written = write(action, encode(value), target, needed, List.of());
            sharing.didWithout(shared, e.reason(), withKey && needed.isEmpty());
            return written;
        }
    }

    private Written write(
            String action,
            Encoded image,
            Target target,
            Collection<? extends GroupHandle<?>> needed,
            List<SharedTrailer.Part> shared) {
        CommitTerms terms = image.terms(target.key(), target.replacedVersion(), target.handOver());
        try {
            long[] addresses = needed.isEmpty() && shared.isEmpty() ? NOTHING_NEEDED : addresses(needed, shared);
            return new Written(
                    run(action, () -> client.store(image.bytes(), terms, addresses, timeout())), image, terms);
        } finally {
            Reference.reachabilityFence(needed);
        }
    }

    private static long[] addresses(Collection<? extends GroupHandle<?>> needed, List<SharedTrailer.Part> shared) {
        return LongStream.concat(
                        needed.stream().mapToLong(GroupHandle::address),
                        shared.stream().mapToLong(SharedTrailer.Part::address))
                .toArray();
    }

    /** Stores an image that exists already under a new key. */
    Stored storeImage(String action, String key, ImageBytes image, String typeName) {
        Encoded encoded = encoded(image, Encoding.COMPACT, typeName);
        return write(action, encoded, new Target(key, 0, false), List.of(), List.of())
                .stored();
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
        return leaseOf(write(action, value, Target.PUBLISHED, needed));
    }

    /** Publishes an object with all its values. */
    Lease publishPlain(String action, Object value) {
        return leaseOf(write(action, encode(value), Target.PUBLISHED, List.of(), List.of()));
    }

    private Lease leaseOf(Written written) {
        return client.leaseOf(written.stored(), written.image().bytes(), written.terms());
    }

    // Reading

    Lease locate(String action, String key, Duration wait) {
        Deadline deadline = Deadline.after(wait);
        return run(within(action, deadline), () -> client.locate(key, deadline));
    }

    private static String within(String action, Deadline deadline) {
        return action + " with a deadline of " + deadline.allowedMillis() + " ms";
    }

    <T> @Nullable T get(String action, String key, Duration wait, Class<T> type) {
        Deadline deadline = Deadline.after(wait);
        Found found = run(within(action, deadline), () -> client.find(key, deadline));
        Lease lease = found.lease();
        if (lease == null) {
            ByteBuffer[] image = {found.bytes()};
            if (SharedTrailer.of(image) == null) {
                return heapspan.decodeFrom(image, type);
            }
            // A lease keeps the shared values that it refers to.
            lease = locate(action, key, wait);
        }
        try {
            return read(action, lease, type);
        } finally {
            client.release(lease);
        }
    }

    Lease locate(String action, long address) {
        return run(action, () -> client.locate(address, timeout()));
    }

    Lease take(String action, long address) {
        return run(action, () -> client.take(address, timeout()));
    }

    /** A read that may find another server than before. */
    interface Read<T> {
        @Nullable
        T run();
    }

    /** Reads again if the one of several servers that was asked does not lead any more, or has gone with the bytes. */
    <T> @Nullable T repeat(Read<T> read) {
        Deadline deadline = timeout();
        while (true) {
            try {
                return read.run();
            } catch (ExchangeException e) {
                boolean another = switch (e.reason()) {
                    case UNREACHABLE, DEADLINE, GROUP_GONE, DAMAGED -> true;
                    default -> false;
                };
                // An interrupt has no reason of its own. Each further attempt would meet it.
                if (!another
                        || !client.repeats()
                        || deadline.hasPassed()
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    <T> @Nullable T read(String action, Lease lease, Class<T> type) {
        return read(action, lease, new Decoding<>(type, lease.group().raw(), sharing));
    }

    /** Reads a group that refers to no shared values. */
    <T> @Nullable T readPlain(String action, Lease lease, Class<T> type) {
        return read(action, lease, new Decoding<>(type, lease.group().raw(), null));
    }

    private <T> @Nullable T read(String action, Lease lease, Decoding<T> decoding) {
        boolean raw = lease.group().raw();
        if (raw && !(client.hasSecret() && client.mapsFiles())) {
            throw ExchangeException.of(
                    ExchangeException.Reason.RAW,
                    atServer(action),
                    "its image is raw, which only clients with the secret on the host of the server read; let its writer use"
                            + " Encoding.COMPACT");
        }
        return run(action, () -> client.read(lease, decoding)).orElse(null);
    }

    private final class Decoding<T> implements GroupBytes<T> {
        private final Class<T> type;
        private final boolean raw;
        private final @Nullable Sharing sharing;

        Decoding(Class<T> type, boolean raw, @Nullable Sharing sharing) {
            this.type = type;
            this.raw = raw;
            this.sharing = sharing;
        }

        @Override
        public @Nullable T from(ByteBuffer[] pieces) {
            if (raw) {
                return heapspan.decodeTrustedFrom(pieces, type);
            }
            if (sharing != null) {
                SharedTrailer.Split split = SharedTrailer.of(pieces);
                if (split != null) {
                    return heapspan.decodeFrom(split.image(), sharing.objects(split.trailer()), type);
                }
            }
            return heapspan.decodeFrom(pieces, type);
        }

        /** Shared values are named at the end. The decoder trusts no bytes, so that it need not wait for their checksum. */
        @Override
        public boolean needsAll(ByteBuffer first) {
            ImageHeader header = ImageHeader.of(first);
            return raw || header == null || header.refersToSharedValues();
        }

        @Override
        public @Nullable T from(ReadableByteChannel arriving) throws IOException {
            T value = heapspan.decodeFrom(arriving, type);
            if (arriving.read(ByteBuffer.allocate(1)) > 0) {
                throw new HeapspanException(
                        HeapspanException.Category.MALFORMED, "bytes follow the image, expected the end of the group");
            }
            return value;
        }
    }

    <R extends Reply> R call(String action, Request request, Class<R> type) {
        return run(action, () -> client.call(request, type, timeout()));
    }
}
