package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a keeper keeps, and when the device has them: before a change is answered, or some time later. The bytes of a group are forced before
 * the change that leads to it. Thread-safe.
 */
final class KeptKeys implements KeyLog, Closeable {
    /** After so many changes another attempt is made to write the journal anew, if one fails, for example because the device is full. */
    private static final int RETRY_CHANGES = 100_000;

    private final KeyJournal journal;
    private final Chunks chunks;
    private final ChunkForce force;
    private final Duration forceAfter;

    /** Chunks with bytes that may be in memory only. */
    private final Set<Long> unforced = new HashSet<>();

    private long lastForceNanos = System.nanoTime();

    private long nextAttempt;

    /** Forces the file of a chunk, if there is one. */
    interface ChunkForce {
        void force(long chunk) throws IOException;
    }

    /**
     * Begins with an open journal.
     *
     * @param forceAfter how long a change may be in memory only; zero: not at all once it is answered
     */
    KeptKeys(KeyJournal journal, Chunks chunks, ChunkForce force, Duration forceAfter) {
        this.journal = journal;
        this.chunks = chunks;
        this.force = force;
        this.forceAfter = forceAfter;
    }

    /** The keys that were kept; once. */
    Collection<KeyRecord> takeKept() {
        Collection<KeyRecord> kept = journal.kept();
        journal.forgetKept();
        return kept;
    }

    @Override
    public void written(long address, long sizeBytes, int checksum) throws IOException {
        long last = chunks.number(address + sizeBytes - 1);
        for (long chunk = chunks.number(address); chunk <= last; chunk++) {
            if (forceAfter.isZero()) {
                force(chunk);
            } else {
                synchronized (unforced) {
                    unforced.add(chunk);
                }
            }
        }
    }

    @Override
    public long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) throws IOException {
        if (change instanceof Change.OfKey key) {
            return journal.add(key.record(), former);
        }
        throw new IllegalArgumentException("only keys are kept: " + change);
    }

    @Override
    public void await(long change) throws IOException {
        if (forceAfter.isZero()) {
            journal.force(change);
        }
    }

    @Override
    public long last() {
        return journal.last();
    }

    @Override
    public boolean isSafe(long change) {
        return journal.forced() >= change;
    }

    /** Forces all changes that were made before. */
    private void forceAll() throws IOException {
        long change = journal.last();
        List<Long> taken;
        synchronized (unforced) {
            taken = List.copyOf(unforced);
            unforced.clear();
        }
        for (long chunk : taken) {
            force(chunk);
        }
        journal.force(change);
        lastForceNanos = System.nanoTime();
    }

    private void force(long chunk) throws IOException {
        try {
            force.force(chunk);
        } catch (IOException e) {
            // The system may forget what it could not write (fsync(2)), and say later that all is well.
            journal.fail(e);
            throw e;
        }
    }

    /**
     * Forces changes if it is time, and writes the journal anew if that pays. To be called by one thread, each second or more often.
     *
     * @param live the keys now, for {@link KeyJournal#compact}
     */
    void maintain(Supplier<Collection<KeyRecord>> live) throws IOException {
        if (System.nanoTime() - lastForceNanos >= forceAfter.toNanos()) {
            forceAll();
        }
        if (journal.isWasteful() && journal.last() >= nextAttempt) {
            nextAttempt = journal.last() + RETRY_CHANGES;
            journal.compact(live);
            nextAttempt = 0;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            forceAll();
        } finally {
            journal.close();
        }
    }
}
