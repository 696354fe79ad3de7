package org.heapspan.exchange;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a group in the exchange space. If a program forgets to close it, the garbage collector does (ZCOT section 4.4). Releases are sent in
 * batches. Thread-safe.
 *
 * @param <T> class of the object
 */
public final class GroupHandle<T> implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final HeapAccess access;
    private final Held held;
    private final Cleaner.Cleanable cleanable;

    /** What is given back once: does not refer to the handle. */
    private static final class Held implements Runnable {
        final ExchangeClient client;
        final Lease lease;
        final AtomicBoolean released = new AtomicBoolean();

        Held(ExchangeClient client, Lease lease) {
            this.client = client;
            this.lease = lease;
        }

        @Override
        public void run() {
            if (released.compareAndSet(false, true)) {
                client.release(lease);
            }
        }
    }

    GroupHandle(HeapAccess access, Lease lease) {
        this.access = access;
        held = new Held(access.client(), lease);
        cleanable = CLEANER.register(this, held);
    }

    /**
     * Returns the address of the group, which other JVMs use in {@link GlobalHeap#at}.
     *
     * @return positive
     */
    public long address() {
        return held.lease.group().address();
    }

    /**
     * Returns the length of the image.
     *
     * @return bytes
     */
    public long sizeBytes() {
        return held.lease.group().sizeBytes();
    }

    /**
     * Reads the object.
     *
     * @param type class of the object
     * @return a copy that belongs to the caller, except for {@linkplain GlobalHeap#share shared values} in it; null if null was published
     * @throws ExchangeException among others if the handle is closed (CLOSED), or the server was restarted (GROUP_GONE)
     */
    public @Nullable T read(Class<T> type) {
        try {
            String action = "read at address 0x" + Long.toHexString(address());
            if (held.released.get()) {
                throw ExchangeException.of(ExchangeException.Reason.CLOSED, action, "the handle has been closed");
            }
            return access.read(action, held.lease, type);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Gives the group back, when all threads have finished that read it now. It is freed if nobody else keeps it. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
