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
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.metadata.TypeLog;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.jspecify.annotations.Nullable;

/**
 * The time in which this server leads, from the begin of its run until it loses the lead. A change is visible to others only when a majority has
 * confirmed it; what depends on it waits. Thread-safe.
 *
 * <p>The consensus tells of confirmed changes and of a lost lead with locks of its own. So nothing here calls the consensus with the lock of this
 * object.
 */
public final class Leadership implements KeyLog, TypeLog {
    private final Replica replica;
    private final long run;
    private final Duration timeout;
    private final Begin begin;
    private final Map<UUID, Long> outcomes = new ReplicatedKeys.Outcomes();

    /** Changes that were confirmed before one that was made earlier. */
    private final Set<Long> early = new HashSet<>();

    /** Held while a change is proposed, so that changes get there in the order of their numbers. Nothing that the consensus tells needs it. */
    private final Object proposing = new Object();

    private long last;
    private long confirmed;
    private @Nullable String lost;

    Leadership(Replica replica, long run, Duration timeout, Begin begin) {
        this.replica = replica;
        this.run = run;
        this.timeout = timeout;
        this.begin = begin;
    }

    long run() {
        return run;
    }

    /** What it has begun with. */
    public Begin begin() {
        return begin;
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
    public boolean takesGroups() {
        return true;
    }

    @Override
    public long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) throws IOException {
        return propose(change, number);
    }

    @Override
    public void add(UUID registry, List<TypeRegistry.Type> types) throws IOException {
        for (Change each : ReplicatedTypes.changes(registry, types)) {
            propose(each, null);
        }
    }

    private long propose(Change what, @Nullable UUID number) throws IOException {
        long change;
        CompletableFuture<Boolean> made;
        synchronized (proposing) {
            change = next(what, number);
            try {
                made = replica.consensus().propose(new LogEntry(run, change, number, what).write());
            } catch (NotLeaderException | RuntimeException e) {
                lose("a change could not be proposed: " + e);
                throw e;
            }
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

    private long next(Change what, @Nullable UUID number) throws NotLeaderException {
        checkNotLost();
        synchronized (this) {
            last++;
            if (number != null && what instanceof Change.OfKey key) {
                GroupDescription group = key.record().group();
                outcomes.put(number, group == null ? 0 : group.version());
            }
            return last;
        }
    }

    private synchronized void confirm(long change) {
        early.add(change);
        while (early.remove(confirmed + 1)) {
            confirmed++;
        }
        notifyAll();
    }

    private void checkNotLost() throws NotLeaderException {
        if (isLost()) {
            throw new NotLeaderException(replica.leaderText());
        }
    }

    private synchronized boolean isLost() {
        return lost != null;
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
    public void await(long change) throws IOException {
        if (!isConfirmed(change)) {
            throw new NotLeaderException(replica.leaderText());
        }
    }

    /** Waits for it. False if the lead is lost. */
    private synchronized boolean isConfirmed(long change) throws NotLeaderException {
        Deadline deadline = Deadline.after(timeout);
        try {
            while (confirmed < change && lost == null) {
                if (deadline.hasPassed()) {
                    lose("no majority of the servers has confirmed a change for " + timeout.toMillis() + " ms");
                } else {
                    wait(Math.max(1, deadline.remainingMillis()));
                }
            }
            return confirmed >= change;
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
                checkNotLost();
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
