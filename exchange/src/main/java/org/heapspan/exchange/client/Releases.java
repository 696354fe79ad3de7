package org.heapspan.exchange.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * What a client does not use any more. A thread tells the server of many at once, and of the client's life while there is nothing to tell.
 * Thread-safe.
 */
final class Releases {
    private static final int MOST_IN_MESSAGE = 10_000;
    private static final int MOST_ABANDONED = 1_000;
    private static final long BATCH_MILLIS = 20;
    private static final long CALL_MILLIS = 5_000;

    /** A lease has room for this many messages, so that one may be late. */
    private static final int MESSAGES_IN_LEASE = 4;

    private final ExchangeClient client;
    private final Thread thread;

    /** Guards the lists of what waits. */
    private final Object waiting = new Object();

    /** Leases that have ended, and how many there are of each. */
    private final Map<Place, Ended> leases = new LinkedHashMap<>();

    private final List<Place> reservations = new ArrayList<>();
    private final ReentrantLock telling = new ReentrantLock();
    private boolean closed;

    /** Connections whose last reply was lost. They wait for the next message, because the server may be out of reach. */
    private final Deque<Abandoned> abandoned = new ArrayDeque<>();

    private record Place(ServerSession session, long address) {}

    private record Ended(GroupDescription group, int count) {
        Ended plus(int more) {
            return new Ended(group, count + more);
        }
    }

    private record Abandoned(ServerSession session, byte[] nonce) {}

    Releases(ExchangeClient client) {
        this.client = client;
        thread = new Thread(this::run, "heapspan-exchange-release");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** A reservation that is abandoned, or a lease of which only the address is known. */
    void add(ServerSession session, long address) {
        synchronized (waiting) {
            if (!closed) {
                reservations.add(new Place(session, address));
                waiting.notifyAll();
            }
        }
    }

    /** A lease that has ended. */
    void add(Lease lease) {
        ServerSession session = lease.release();
        synchronized (waiting) {
            if (!closed) {
                leases.merge(
                        new Place(session, lease.group().address()),
                        new Ended(lease.group(), 1),
                        (former, one) -> former.plus(1));
                waiting.notifyAll();
            }
        }
    }

    /**
     * Takes back the end of a lease of which the server has not been told: so it goes on. Who reads a group again and again needs no message for that.
     *
     * @return null if no such lease of the group at this address waits
     */
    @Nullable
    Lease takeBack(ServerSession session, long address) {
        Place place = new Place(session, address);
        synchronized (waiting) {
            Ended ended = leases.get(place);
            if (ended == null) {
                return null;
            }
            leases.computeIfPresent(place, (same, former) -> former.count == 1 ? null : former.plus(-1));
            return new Lease(session, ended.group);
        }
    }

    void abandon(ServerSession session, byte[] nonce) {
        synchronized (waiting) {
            if (!closed && abandoned.size() < MOST_ABANDONED) {
                abandoned.add(new Abandoned(session, nonce));
            }
        }
    }

    private void run() {
        try {
            while (await()) {
                flush();
                client.renewLeases();
                ServerSession session = client.session();
                if (session != null && session.mappings() != null) {
                    session.mappings().forgetDropped();
                }
                // More may come meanwhile.
                TimeUnit.MILLISECONDS.sleep(BATCH_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until there is something to tell, or silence would be too long. */
    private boolean await() throws InterruptedException {
        ServerSession session = client.session();
        long millis = session == null ? CALL_MILLIS : Math.max(1, session.leaseMillis() / MESSAGES_IN_LEASE);
        Deadline deadline = Deadline.afterMillis(millis);
        synchronized (waiting) {
            while (leases.isEmpty() && reservations.isEmpty() && !closed && !deadline.hasPassed()) {
                waiting.wait(Math.max(1, deadline.remainingMillis()));
            }
            return !closed;
        }
    }

    /** Tells the server now. When this returns, it has been told of all that was added before, also by another thread. */
    void flush() {
        telling.lock();
        try {
            tellAll();
        } finally {
            telling.unlock();
        }
    }

    private void tellAll() {
        List<Place> places;
        synchronized (waiting) {
            places = new ArrayList<>(reservations);
            leases.forEach((place, ended) -> places.addAll(Collections.nCopies(ended.count, place)));
            forget();
        }
        ServerSession session = client.session();
        long[] addresses = places.stream()
                .filter(place -> place.session() == session)
                .mapToLong(Place::address)
                .toArray();
        int from = 0;
        do {
            int length = Math.min(MOST_IN_MESSAGE, addresses.length - from);
            long[] some = new long[length];
            System.arraycopy(addresses, from, some, 0, length);
            tell(length == 0 ? new Request.Ping() : new Request.Release(some));
            from += length;
        } while (from < addresses.length);
        while (true) {
            Abandoned next;
            synchronized (waiting) {
                next = abandoned.peek();
            }
            if (next == null || next.session() == session && !tell(new Request.Abandon(next.nonce()))) {
                return;
            }
            synchronized (waiting) {
                abandoned.remove(next);
            }
        }
    }

    private void forget() {
        leases.clear();
        reservations.clear();
    }

    /** Whether the server has answered. */
    private boolean tell(Request request) {
        try {
            client.call(request, Reply.Done.class, Deadline.afterMillis(CALL_MILLIS));
            return true;
        } catch (IOException | RefusedException e) {
            // Without the server there is nothing to release; a server that lives releases all when the lease has
            // passed.
            return false;
        }
    }

    void close() {
        synchronized (waiting) {
            closed = true;
            forget();
            abandoned.clear();
            waiting.notifyAll();
        }
    }
}
