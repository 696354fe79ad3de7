package org.heapspan.exchange.peers;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.KeyChange;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/**
 * The time in which this server leads, from the begin of its run until it loses the lead. A change is visible to others only when a majority has
 * confirmed it; what depends on it waits. Thread-safe.
 */
public final class Leadership implements KeyLog {
    private final Replica replica;
    private final long run;
    private final Duration timeout;
    private final List<KeyRecord> keys;
    private final Map<UUID, Long> outcomes = new ReplicatedKeys.Outcomes();

    /** Changes that were confirmed before one that was made earlier. */
    private final Set<Long> early = new HashSet<>();

    private long last;
    private long confirmed;
    private @Nullable String lost;

    Leadership(Replica replica, long run, Duration timeout, List<KeyRecord> keys) {
        this.replica = replica;
        this.run = run;
        this.timeout = timeout;
        this.keys = keys;
    }

    long run() {
        return run;
    }

    /** The keys with which it has begun. */
    public List<KeyRecord> keys() {
        return keys;
    }

    @Override
    public void written(long address, long sizeBytes, int checksum) throws IOException {
        replica.replicate(run, address, sizeBytes, checksum);
    }

    @Override
    public void abandoned(long address) {
        replica.abandon(run, address);
    }

    @Override
    public synchronized @Nullable Long outcome(UUID number) {
        Long own = outcomes.get(number);
        return own == null ? replica.outcome(number) : own;
    }

    @Override
    public synchronized long add(KeyRecord record, @Nullable KeyRecord former, @Nullable UUID number)
            throws IOException {
        check();
        long change = last + 1;
        CompletableFuture<Boolean> made =
                replica.consensus().propose(new KeyChange(run, change, number, record).write());
        last = change;
        if (number != null) {
            outcomes.put(number, record.group() == null ? 0 : record.group().version());
        }
        var unused = made.whenComplete((counts, failure) -> {
            if (failure == null && counts) {
                confirm(change);
            } else {
                lose(failure == null ? "another server leads" : "the change was not confirmed: " + failure);
            }
        });
        return change;
    }

    private synchronized void confirm(long change) {
        early.add(change);
        while (early.remove(confirmed + 1)) {
            confirmed++;
        }
        notifyAll();
    }

    private void check() throws NotLeaderException {
        if (lost != null) {
            throw new NotLeaderException(replica.leaderText());
        }
    }

    /** Ends it, once. */
    synchronized void lose(String why) {
        if (lost == null) {
            lost = why;
            notifyAll();
        }
    }

    /** Waits until it has ended, and says why. */
    public synchronized String awaitEnd() throws InterruptedException {
        while (lost == null) {
            wait();
        }
        return lost;
    }

    @Override
    public synchronized void await(long change) throws IOException {
        Deadline deadline = Deadline.after(timeout);
        try {
            while (confirmed < change) {
                check();
                if (deadline.hasPassed()) {
                    lose("no majority of the servers has confirmed a change for " + timeout.toMillis() + " ms");
                }
                wait(Math.max(1, deadline.remainingMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NotLeaderException("the wait for a majority of the servers was interrupted");
        }
    }

    /**
     * Returns if this server still led after the call, and all changes that anybody may have seen before it are confirmed: an answer that was found
     * after them may be given.
     */
    public void confirm() throws NotLeaderException {
        try {
            await(last());
            replica.consensus().confirm().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (replica.run() == run) {
                synchronized (this) {
                    check();
                }
                return;
            }
        } catch (NotLeaderException e) {
            throw e;
        } catch (IOException | ExecutionException | TimeoutException e) {
            lose(String.valueOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lose("another server leads");
        throw new NotLeaderException(replica.leaderText());
    }

    @Override
    public synchronized long last() {
        return last;
    }

    @Override
    public synchronized boolean isSafe(long change) {
        return confirmed >= change;
    }
}
