package org.heapspan.exchange.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * What a client does not use any more. A thread tells the server of many at once, and of the client's life while there is nothing to tell. A message
 * is repeated until the server has answered. It has a number, by which the server knows what it has had: a second release of an address could end a
 * lease that began later. Thread-safe.
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

    /** The last message, if the server has not answered it. Guarded by {@link #telling}. */
    private @Nullable Message unanswered;

    /** Whether the last attempt to tell something has failed, so that the next one waits for its turn. */
    private volatile boolean failed;

    /** Connections whose last reply was lost. They wait for the next message, because the server may be out of reach. */
    private final Deque<Abandoned> abandoned = new ArrayDeque<>();

    private record Place(ServerSession session, long address) {}

    private record Ended(GroupDescription group, int count) {
        Ended plus(int more) {
            return new Ended(group, count + more);
        }
    }

    private record Message(ServerSession session, UUID number, long[] addresses) {}

    private record Abandoned(ServerSession session, Request.Abandon request) {}

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
        ServerSession session = lease.session();
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

    /** A connection whose last reply was lost. */
    void abandon(ServerSession session, Connection connection) {
        Request.Abandon request = new Request.Abandon(connection.nonce(), connection.replies());
        synchronized (waiting) {
            if (!closed && abandoned.size() < MOST_ABANDONED) {
                abandoned.add(new Abandoned(session, request));
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
            while ((failed || leases.isEmpty() && reservations.isEmpty()) && !closed && !deadline.hasPassed()) {
                waiting.wait(Math.max(1, deadline.remainingMillis()));
            }
            return !closed;
        }
    }

    /** Tells the server now. When this returns, it has been told of all that was added before, also by another thread, if it can be reached. */
    void flush() {
        telling.lock();
        try {
            tellAll();
        } finally {
            telling.unlock();
        }
    }

    private void tellAll() {
        ServerSession session = client.session();
        failed = session != null && !(tellReleased(session) && tellAbandoned(session));
        if (failed && client.repeats()) {
            // Another one may lead, with which a new session begins. What it leases can be told at once.
            failed = !ping() || client.session() == session;
        }
    }

    /** Whether the server has answered. */
    private boolean tellReleased(ServerSession session) {
        Message former = unanswered;
        if (former != null && former.session == session && !tell(former)) {
            return false;
        }
        while (true) {
            long[] addresses = take(session);
            if (addresses.length == 0) {
                return ping();
            }
            if (!tell(new Message(session, client.nextNumber(), addresses))) {
                return false;
            }
            if (addresses.length < MOST_IN_MESSAGE) {
                return true;
            }
        }
    }

    private boolean tell(Message message) {
        unanswered = message;
        boolean answered =
                tell(message.session, new Request.Numbered(message.number, new Request.Release(message.addresses)));
        if (answered) {
            unanswered = null;
        }
        return answered;
    }

    /** Whether the server has answered. */
    private boolean tellAbandoned(ServerSession session) {
        while (true) {
            Abandoned next;
            synchronized (waiting) {
                next = abandoned.peek();
            }
            if (next == null) {
                return true;
            }
            if (next.session() == session && !tell(session, next.request())) {
                return false;
            }
            synchronized (waiting) {
                abandoned.remove(next);
            }
        }
    }

    /** What the next message tells. What another session had is gone with it. */
    private long[] take(ServerSession session) {
        List<Long> taken = new ArrayList<>();
        synchronized (waiting) {
            // Another one may have begun meanwhile. The next message tells what that had.
            ServerSession present = client.session();
            reservations.removeIf(place -> place.session() != present);
            leases.keySet().removeIf(place -> place.session() != present);
            if (present != session) {
                return new long[0];
            }
            List<Place> first = reservations.subList(0, Math.min(MOST_IN_MESSAGE, reservations.size()));
            first.forEach(place -> taken.add(place.address()));
            first.clear();
            for (Iterator<Map.Entry<Place, Ended>> next = leases.entrySet().iterator();
                    taken.size() < MOST_IN_MESSAGE && next.hasNext(); ) {
                Map.Entry<Place, Ended> entry = next.next();
                Ended ended = entry.getValue();
                int count = Math.min(ended.count, MOST_IN_MESSAGE - taken.size());
                for (int i = 0; i < count; i++) {
                    taken.add(entry.getKey().address());
                }
                if (count == ended.count) {
                    next.remove();
                } else {
                    entry.setValue(ended.plus(-count));
                }
            }
        }
        return taken.stream().mapToLong(Long::longValue).toArray();
    }

    private Deadline timeout() {
        return Deadline.afterMillis(Math.min(CALL_MILLIS, client.timeoutMillis()));
    }

    /** Whether the server has answered. */
    private boolean tell(ServerSession session, Request request) {
        try {
            client.call(session, request, timeout());
            return true;
        } catch (IOException | RefusedException e) {
            return false;
        }
    }

    /** Whether the server has answered. */
    private boolean ping() {
        try {
            client.call(new Request.Ping(), Reply.Done.class, timeout());
            return true;
        } catch (IOException | RefusedException e) {
            return false;
        }
    }

    void close() {
        synchronized (waiting) {
            closed = true;
            leases.clear();
            reservations.clear();
            abandoned.clear();
            waiting.notifyAll();
        }
    }
}
