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
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.vm.Upkeep;
import org.jspecify.annotations.Nullable;

/**
 * What a client does not use any more. A thread tells the server of many at once, and of the client's life while there is nothing to tell. A message
 * is repeated until the server has answered. It has a number, by which the server knows what it has had: a second release of an address could end a
 * lease that began later. Thread-safe.
 */
final class Releases {
    private static final System.Logger LOGGER = System.getLogger(Releases.class.getName());

    private static final int MOST_IN_MESSAGE = 10_000;
    private static final int MOST_ABANDONED = 1_000;
    private static final long BATCH_MILLIS = 20;
    private static final long CALL_MILLIS = 5_000;

    /** A lease has room for this many messages, so that one may be late. */
    private static final int MESSAGES_IN_LEASE = 4;

    private final Connections connections;
    private final Runnable renewLeases;
    private final Upkeep telling;

    /** Guards the lists of what waits. */
    private final Object waiting = new Object();

    /** Leases that have ended, and how many there are of each. */
    private final Map<Place, Ended> leases = new LinkedHashMap<>();

    private final List<Place> reservations = new ArrayList<>();
    private final ReentrantLock messages = new ReentrantLock();
    private boolean closed;

    /** The last message, if the server has not answered it. Guarded by {@link #messages}. */
    private @Nullable Message unanswered;

    /** Whether the last attempt to tell something has failed, so that the next one waits for its turn. */
    private volatile boolean failed;

    /** Connections whose last reply was lost. They wait for the next message, because the server may be out of reach. */
    private final Deque<Abandoned> abandoned = new ArrayDeque<>();

    private record Place(ServerSession session, long address) {}

    private static final class Ended {
        final GroupDescription group;
        int count;

        Ended(GroupDescription group) {
            this.group = group;
        }
    }

    private record Message(ServerSession session, UUID number, long[] addresses) {}

    private record Abandoned(ServerSession session, Request.Abandon request) {}

    /**
     * Begins when it is {@linkplain #start started}.
     *
     * @param renewLeases is run with each sign of life
     */
    Releases(Connections connections, Runnable renewLeases) {
        this.connections = connections;
        this.renewLeases = renewLeases;
        // More may come during a pause.
        telling = new Upkeep(
                "heapspan-exchange-release",
                BATCH_MILLIS,
                this::takeTurn,
                Upkeep.log(
                        LOGGER, System.Logger.Level.WARNING, "the server could not be told what is not used any more"));
    }

    void start() {
        telling.start();
    }

    /** A reservation that is abandoned, or a lease of which only the address is known: the address is as in {@link Request.Release}. */
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
                leases.computeIfAbsent(new Place(session, lease.group().address()), place -> new Ended(lease.group()))
                        .count++;
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
            Lease again = new Lease(session, ended.group);
            ended.count--;
            if (ended.count == 0) {
                leases.remove(place);
            }
            return again;
        }
    }

    /** A connection whose last reply was lost. */
    void abandon(ServerSession session, byte[] nonce, long replies) {
        Request.Abandon request = new Request.Abandon(nonce, replies);
        synchronized (waiting) {
            if (!closed && abandoned.size() < MOST_ABANDONED) {
                abandoned.add(new Abandoned(session, request));
            }
        }
    }

    private void takeTurn() throws InterruptedException {
        if (!await()) {
            return;
        }
        boolean told = false;
        try {
            flush();
            renewLeases.run();
            ServerSession session = connections.session();
            if (session != null && session.mappings() != null) {
                session.mappings().forgetDropped();
            }
            told = true;
        } finally {
            failed |= !told;
        }
    }

    /** Waits until there is something to tell, or silence would be too long. */
    private boolean await() throws InterruptedException {
        ServerSession session = connections.session();
        long millis = session == null ? CALL_MILLIS : Math.max(1, session.leaseMillis() / MESSAGES_IN_LEASE);
        Deadline deadline = Deadline.afterMillis(millis);
        synchronized (waiting) {
            while ((failed || leases.isEmpty() && reservations.isEmpty()) && !closed && !deadline.hasPassed()) {
                waiting.wait(Math.max(1, deadline.remainingMillis()));
            }
            return !closed;
        }
    }

    /** What this client does not use any more may be enough. */
    <T> T twiceIfFull(Connections.Attempt<T> attempt) throws IOException, RefusedException {
        try {
            return attempt.make();
        } catch (RefusedException e) {
            if (e.code() != RefusalCode.FULL && e.code() != RefusalCode.LIMIT) {
                throw e;
            }
            flush();
            return attempt.make();
        }
    }

    /** Tells the server now. When this returns, it has been told of all that was added before, also by another thread, if it can be reached. */
    void flush() {
        messages.lock();
        try {
            tellAll();
        } finally {
            messages.unlock();
        }
    }

    private void tellAll() {
        ServerSession session = connections.session();
        failed = session != null && !(tellReleased(session) && tellAbandoned(session));
        if (failed && connections.repeats()) {
            // Another one may lead, with which a new session begins. What it leases can be told at once.
            failed = !ping() || connections.session() == session;
        }
    }

    /** Whether the server has answered. */
    private boolean tellReleased(ServerSession session) {
        Message former = unanswered;
        if (former != null && former.session == session && !tell(former)) {
            return false;
        }
        while (true) {
            Message next = take(session);
            if (next == null) {
                return ping();
            }
            if (!tell(next)) {
                return false;
            }
            if (next.addresses.length < MOST_IN_MESSAGE) {
                return true;
            }
        }
    }

    private boolean tell(Message message) {
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

    /** The next message, which is unanswered then; null if there is nothing to tell. What another session had is gone with it. */
    private @Nullable Message take(ServerSession session) {
        synchronized (waiting) {
            // Another one may have begun meanwhile. The next message tells what that had.
            ServerSession present = connections.session();
            reservations.removeIf(place -> place.session() != present);
            leases.keySet().removeIf(place -> place.session() != present);
            int count = present == session ? countForMessage() : 0;
            if (count == 0) {
                return null;
            }
            Message next = new Message(session, connections.nextNumber(), new long[count]);
            Iterator<Map.Entry<Place, Ended>> ended = leases.entrySet().iterator();
            // What follows takes no memory, so all that is taken is told.
            unanswered = next;
            move(ended, next.addresses);
            return next;
        }
    }

    private int countForMessage() {
        int count = reservations.size();
        for (Ended ended : leases.values()) {
            count = Math.min(count, MOST_IN_MESSAGE) + ended.count;
        }
        return Math.min(count, MOST_IN_MESSAGE);
    }

    private void move(Iterator<Map.Entry<Place, Ended>> ended, long[] addresses) {
        int moved = 0;
        while (moved < addresses.length && !reservations.isEmpty()) {
            addresses[moved] = reservations.remove(reservations.size() - 1).address();
            moved++;
        }
        while (moved < addresses.length) {
            Map.Entry<Place, Ended> next = ended.next();
            for (; moved < addresses.length && next.getValue().count > 0; moved++) {
                addresses[moved] = next.getKey().address();
                next.getValue().count--;
            }
            if (next.getValue().count == 0) {
                ended.remove();
            }
        }
    }

    private Deadline timeout() {
        return Deadline.afterMillis(Math.min(CALL_MILLIS, connections.timeoutMillis()));
    }

    /** Whether the server has answered. */
    private boolean tell(ServerSession session, Request request) {
        try {
            connections.call(session, request, timeout());
            return true;
        } catch (IOException | RefusedException e) {
            return false;
        }
    }

    /** Whether the server has answered. */
    private boolean ping() {
        try {
            connections.call(new Request.Ping(), Reply.Done.class, timeout());
            return true;
        } catch (IOException | RefusedException e) {
            return false;
        }
    }

    void close() {
        telling.end();
        synchronized (waiting) {
            closed = true;
            leases.clear();
            reservations.clear();
            abandoned.clear();
            waiting.notifyAll();
        }
    }
}
