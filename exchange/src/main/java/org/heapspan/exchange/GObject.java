package org.heapspan.exchange;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.client.Reservation;
import org.jspecify.annotations.Nullable;

/**
 * An object of the global heap that is made in three stages, or was opened (HotCloud'16, "Global heap architecture"): reserve, populate, commit.
 * Nobody sees it before it is committed, and nobody changes it afterwards. {@link #release} gives back what this client holds of it. Not
 * thread-safe.
 *
 * @param <T> class of the object
 */
public final class GObject<T> implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final HeapAccess access;
    private final String key;
    private final @Nullable Class<T> type;
    private final Held held;
    private final Cleaner.Cleanable cleanable;
    private HeapAccess.@Nullable Encoded image;
    private Stage stage;

    private enum Stage {
        RESERVED,
        POPULATED,
        COMMITTED,
        OPENED,
        RELEASED
    }

    /** What is given back: does not refer to the object. */
    private static final class Held implements Runnable {
        private final ExchangeClient client;
        private @Nullable Reservation reservation;
        private @Nullable Lease lease;

        Held(ExchangeClient client, @Nullable Reservation reservation, @Nullable Lease lease) {
            this.client = client;
            this.reservation = reservation;
            this.lease = lease;
        }

        synchronized @Nullable Reservation takeReservation() {
            Reservation taken = reservation;
            reservation = null;
            return taken;
        }

        synchronized @Nullable Lease lease() {
            return lease;
        }

        @Override
        public synchronized void run() {
            if (reservation != null) {
                client.release(reservation);
                reservation = null;
            }
            if (lease != null) {
                client.release(lease);
                lease = null;
            }
        }
    }

    private GObject(HeapAccess access, String key, @Nullable Class<T> type, Held held, Stage stage) {
        this.access = access;
        this.key = key;
        this.type = type;
        this.held = held;
        this.stage = stage;
        cleanable = CLEANER.register(this, held);
    }

    static <T> GObject<T> reserved(HeapAccess access, String key, Reservation reservation) {
        return new GObject<>(access, key, null, new Held(access.client(), reservation, null), Stage.RESERVED);
    }

    static <T> GObject<T> opened(HeapAccess access, String key, Lease lease, Class<T> type) {
        return new GObject<>(access, key, type, new Held(access.client(), null, lease), Stage.OPENED);
    }

    private ExchangeException wrongStage(String action, String expected) {
        return ExchangeException.of(
                ExchangeException.Reason.CLOSED,
                action + " of key '" + key + "'",
                "the object is " + stage + ", expected " + expected);
    }

    /**
     * The second stage: takes the object as it is now. Later changes of it are not seen. Can be repeated until the commit.
     *
     * @param value the object, or null
     * @throws org.heapspan.HeapspanException if it cannot be encoded, or was committed or released already
     */
    public void populate(@Nullable T value) {
        if (stage != Stage.RESERVED && stage != Stage.POPULATED) {
            throw wrongStage("population", "RESERVED");
        }
        image = access.encode(value);
        stage = Stage.POPULATED;
    }

    /**
     * The third stage: writes the object into its space, and lets others see it under a new key. If it is longer than the space, other space is
     * reserved first.
     *
     * @return the version of the key, 1
     * @throws ExchangeException among others if the key has been committed (KEY_EXISTS): the object is released then. If nothing was populated, or the
     *     object was committed or released already (CLOSED), nothing changes
     */
    public long commit() {
        return commitOver(0);
    }

    /**
     * The third stage for a key that exists: as {@link #commit()}, but the object replaces the one that the key has. Who reads the former one keeps it.
     *
     * @param version the version that is replaced; if the key has another one, its object stays
     * @return the new version
     * @throws ExchangeException as {@link #commit()}, but if the key has another version or does not exist, the reason is OTHER_VERSION
     * @throws IllegalArgumentException if the version is below 1; nothing changes
     */
    public long commit(long version) {
        GlobalHeap.checkVersion(version);
        return commitOver(version);
    }

    private long commitOver(long replacedVersion) {
        try {
            String action = "commit of key '" + key + "'";
            HeapAccess.Encoded populated = image;
            if (stage != Stage.POPULATED || populated == null) {
                throw wrongStage("commit", "POPULATED");
            }
            stage = Stage.RELEASED;
            image = null;
            Reservation reservation = held.takeReservation();
            long sizeBytes = populated.bytes().sizeBytes();
            if (reservation == null || reservation.sizeBytes() < sizeBytes) {
                if (reservation != null) {
                    access.client().release(reservation);
                }
                reservation = access.reserve(action, sizeBytes);
            }
            long version = access.commit(action, reservation, populated, populated.terms(key, replacedVersion, false));
            stage = Stage.COMMITTED;
            return version;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Reads an opened object.
     *
     * @return a copy that belongs to the caller, except for {@linkplain GlobalHeap#share shared values} in it; null if null was put
     * @throws ExchangeException among others if it was not opened by {@link GlobalHeap#open}, or was released
     */
    public @Nullable T read() {
        try {
            Lease lease = held.lease();
            if (lease == null || type == null) {
                throw wrongStage("read", "OPENED");
            }
            return access.read("read of key '" + key + "'", lease, type);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Gives back what this client holds: the space, if it was not committed, or the lease. A committed key stays. */
    public void release() {
        stage = Stage.RELEASED;
        image = null;
        cleanable.clean();
    }

    /** As {@link #release}. */
    @Override
    public void close() {
        release();
    }
}
