package org.heapspan.exchange.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.heapspan.exchange.client.ByteSource;
import org.heapspan.exchange.client.ByteTarget;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.client.CommitTerms;
import org.heapspan.exchange.client.ConnectionsInUseException;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.KeeperCopies;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.client.Servers;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** The server that a keeper has joined, and the other keepers. Its failures are refusals for the clients of this keeper. Thread-safe. */
final class Origin implements Closeable {
    private static final System.Logger LOGGER = System.getLogger(Origin.class.getName());

    /** A shorter group is there sooner than a connection to another keeper. */
    private static final long LEAST_BYTES_OF_KEEPER = 1 << 20;

    private static final long LISTEN_MILLIS = 1_000;
    private static final long RETRY_MILLIS = 200;
    private static final long STATUS_MILLIS = 2_000;

    private static final long JOIN_PAUSE_MILLIS = 50;

    /** After as many calls in a row that failed, another one of several servers may lead. */
    private static final int MOST_FAILURES = 3;

    private final ClientSettings settings;
    private final boolean isOneOfSeveral;
    private final ExchangeClient client;
    private volatile boolean closed;

    private Origin(ClientSettings settings, boolean isOneOfSeveral, int port) throws IOException, RefusedException {
        this.settings = settings;
        this.isOneOfSeveral = isOneOfSeveral;
        client = new ExchangeClient(settings);
        try {
            client.call(new Request.Join(port), Reply.Done.class, timeout());
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            client.close();
            throw e;
        }
    }

    /**
     * Joins a server: of several that replicate their keys, the one that leads.
     *
     * @param port where other keepers find this one, or 0
     */
    static Origin join(ClientSettings settings, int port) throws IOException, RefusedException {
        Servers servers = new Servers(settings.servers());
        Deadline deadline = Deadline.after(settings.timeout());
        while (true) {
            Endpoint asked = servers.current();
            try {
                return new Origin(settings.only(asked), servers.areSeveral(), port);
            } catch (RefusedException e) {
                boolean other = e.code() == RefusalCode.NOT_LEADER || e.code() == RefusalCode.CLOSING;
                if (!servers.areSeveral() || !other || deadline.hasPassed()) {
                    throw e;
                }
                servers.leave(asked, String.valueOf(e.getMessage()));
            } catch (IOException e) {
                if (!servers.areSeveral() || deadline.hasPassed()) {
                    throw e;
                }
                servers.leave(asked, "");
            }
            pause(JOIN_PAUSE_MILLIS);
        }
    }

    private Deadline timeout() {
        return Deadline.after(settings.timeout());
    }

    int connections() {
        return settings.mostConnections();
    }

    Endpoint server() {
        return settings.server();
    }

    int chunkBytes() throws RefusedException {
        return client.chunkBytes();
    }

    private interface Call<T> {
        T run() throws IOException, RefusedException;
    }

    /** Clients of a keeper of several servers ask again, and the keeper has joined the next leader by then. */
    private <T> T reached(Call<T> call) throws RefusedException {
        try {
            return call.run();
        } catch (FullException e) {
            throw noRoom(e);
        } catch (RefusedException e) {
            throw isOneOfSeveral && client.isLost() ? notReached(e) : e;
        } catch (IOException e) {
            throw notReached(e);
        }
    }

    /** A copy has no room here. */
    private static RefusedException noRoom(FullException e) {
        return new RefusedException(RefusalCode.FULL, "this keeper has no room for a copy: " + e.getMessage());
    }

    private RefusedException notReached(Exception e) {
        if (e instanceof ConnectionsInUseException) {
            // Clients of a keeper of several servers ask again if they are told the same as otherwise.
            return new RefusedException(
                    isOneOfSeveral ? RefusalCode.NOT_LEADER : RefusalCode.BUSY,
                    "this keeper has asked " + server() + " for too many clients at the same time: " + e.getMessage()
                            + "; try again, or start more keepers");
        }
        return new RefusedException(
                isOneOfSeveral ? RefusalCode.NOT_LEADER : RefusalCode.UNREACHABLE,
                "the server " + server() + ", which this keeper has joined, cannot be reached: "
                        + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
    }

    <R extends Reply> R call(Request request, Class<R> type) throws RefusedException {
        return reached(() -> client.call(request, type, timeout()));
    }

    /**
     * Tells it something that it may not want to hear, or cannot.
     *
     * @param otherwise what to do then: a group that it does not know of was removed already
     */
    void tell(Request request, Runnable otherwise) {
        try {
            call(request, Reply.Done.class);
        } catch (RefusedException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "the server was not told: " + e.getMessage());
            otherwise.run();
        }
    }

    Reply.Status status() throws RefusedException {
        return reached(
                () -> client.call(new Request.AskStatus(), Reply.Status.class, Deadline.afterMillis(STATUS_MILLIS)));
    }

    Lease locate(Request request) throws RefusedException {
        return reached(() -> client.locate(request, timeout()));
    }

    /** Ends a lease, or abandons a reservation: the address is as in {@link Request.Release}. */
    void release(long address) {
        client.release(address);
    }

    long reserve(long sizeBytes) throws RefusedException {
        return reached(() -> client.reserve(sizeBytes, timeout()).address());
    }

    long commit(long address, long reservedBytes, ByteSource bytes, CommitTerms terms, @Nullable UUID number)
            throws RefusedException {
        return reached(
                () -> client.commit(client.reservation(address, reservedBytes), bytes, terms, timeout(), number));
    }

    /**
     * Fetches a group from the server, or from one of the keepers that have a copy: from any of them, so that each serves a part. If that fails, from
     * another one.
     *
     * @param places of these keepers, in any order
     * @param target for each attempt
     */
    void fetch(Lease lease, List<String> places, Supplier<ByteTarget> target) throws RefusedException {
        GroupDescription group = lease.group();
        boolean keepersFirst = group.sizeBytes() >= LEAST_BYTES_OF_KEEPER
                && ThreadLocalRandom.current().nextInt(places.size() + 1) != 0;
        if (keepersFirst && fetchFromKeeper(places, group, target)) {
            return;
        }
        try {
            reached(() -> {
                client.copyOfServer(lease, target.get());
                return true;
            });
        } catch (RefusedException e) {
            if (keepersFirst || !isOfTransfer(e) || !fetchFromKeeper(places, group, target)) {
                throw e;
            }
            LOGGER.log(
                    System.Logger.Level.INFO,
                    "the group at 0x" + Long.toHexString(group.address())
                            + " could not be fetched from the server, a copy was used: " + e.getMessage());
        }
    }

    /** Whether a transfer was cut or damaged, and the server has not refused it. */
    private boolean isOfTransfer(RefusedException e) {
        return switch (e.code()) {
            case CHECKSUM, UNREACHABLE, NOT_LEADER -> !client.isLost();
            default -> false;
        };
    }

    private boolean fetchFromKeeper(List<String> places, GroupDescription group, Supplier<ByteTarget> target)
            throws RefusedException {
        try {
            return new KeeperCopies(settings, group)
                    .from(places, timeout(), keeper -> {
                        keeper.copyOfKeeper(group, target.get());
                        return true;
                    })
                    .isPresent();
        } catch (FullException e) {
            throw noRoom(e);
        }
    }

    /** Hears of groups that were freed, until the server has forgotten this keeper, or does not lead any more, or it is closed. */
    void listen(Consumer<Reply.Freed> use) {
        long confirmed = 0;
        int failures = 0;
        while (!closed && !client.isLost() && !(isOneOfSeveral && failures >= MOST_FAILURES)) {
            try {
                Reply.Freed freed =
                        client.call(new Request.AwaitFreed(confirmed, LISTEN_MILLIS), Reply.Freed.class, timeout());
                use.accept(freed);
                confirmed = freed.last();
                failures = 0;
            } catch (IOException | RefusedException e) {
                failures += e instanceof ConnectionsInUseException ? 0 : 1;
                if (!closed && !client.isLost()) {
                    pause(RETRY_MILLIS);
                }
            }
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
