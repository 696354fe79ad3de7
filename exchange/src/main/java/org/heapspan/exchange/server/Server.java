package org.heapspan.exchange.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Overview;
import org.heapspan.exchange.peers.Leadership;
import org.heapspan.exchange.peers.Leading;
import org.heapspan.exchange.peers.PeerSettings;
import org.heapspan.exchange.peers.PeerView;
import org.heapspan.exchange.peers.Replica;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.transport.LinkListener;
import org.heapspan.exchange.transport.ServerTls;
import org.heapspan.exchange.transport.Transport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.SharedSecret;
import org.heapspan.vm.Upkeep;
import org.jspecify.annotations.Nullable;

/** A running server of the exchange space. Thread-safe. */
public final class Server implements Closeable {
    private static final System.Logger LOGGER = System.getLogger(Server.class.getName());

    private static final long EXPIRY_MILLIS = 500;
    private static final long ACCEPT_PAUSE_MILLIS = 100;
    private static final long REFUSAL_MILLIS = 100;
    private static final long GREETING_MILLIS = 200;
    private static final long TLS_GREETING_MILLIS = 5_000;
    private static final int MOST_REFUSING = 4;
    private static final int MOST_REFUSED = 64;
    private static final int ID_BYTES = 16;
    private static final long REJOIN_MILLIS = 500;
    private static final long TELL_MILLIS = 200;
    private static final long LEAD_PAUSE_MILLIS = 2_000;
    private static final long STOP_MILLIS = 5_000;
    private static final long LEAST_KEEP_MILLIS = 10;
    private static final long MOST_KEEP_MILLIS = 1_000;

    private final ServerSettings settings;
    private final long started = System.nanoTime();
    private final Traffic traffic = new Traffic();
    private final LinkListener listener;
    private volatile Run run;
    private final ThreadFactory threads;
    private final Semaphore connectionPermits;
    private final Semaphore greetingPermits;
    private final ThreadPoolExecutor refusing;
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Upkeep accepting;
    private final Upkeep expiring;
    private final Upkeep keeping;
    private final Upkeep joining;
    private final Upkeep telling;
    private final @Nullable Upkeep leading;
    private final @Nullable Replica replica;
    private final @Nullable Keeper keeperOfPeer;

    private Server(ServerSettings settings, ThreadFactory threads) throws IOException, RefusedException {
        this.settings = settings;
        this.threads = threads;
        connectionPermits = new Semaphore(settings.mostConnections());
        greetingPermits = new Semaphore(Math.max(1, settings.mostConnections() / 2));
        listener = Transport.of(settings.place()).listen(settings.place());
        PeerSettings peers = settings.peers();
        @Nullable Keeper opened = null;
        try {
            if (peers == null) {
                replica = null;
                run = new Run(settings, listener.endpoint(), traffic);
            } else {
                opened = Keeper.ofPeer(settings.base(), SharedSecret.random(ID_BYTES), settings.chunks());
                replica = new Replica(peers, opened, settings.memoryBytes(), settings.timeout(), settings.lease());
                run = new Run(settings, opened, replica, null, traffic);
            }
            keeperOfPeer = opened;
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            listener.close();
            if (opened != null) {
                opened.close();
            }
            throw e;
        }
        refusing = new ThreadPoolExecutor(
                MOST_REFUSING,
                MOST_REFUSING,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_REFUSED),
                work -> daemon(work, "heapspan-exchange-refusing"));
        refusing.allowCoreThreadTimeOut(true);
        accepting = new Upkeep(
                "heapspan-exchange-accept",
                0,
                ACCEPT_PAUSE_MILLIS,
                () -> serve(listener.accept()),
                warning("a connection could not be accepted"));
        expiring = new Upkeep(
                "heapspan-exchange-expiry",
                EXPIRY_MILLIS,
                () -> run.metadata().expire(),
                warning("what clients have left could not be given back"));
        keeping = new Upkeep(
                "heapspan-exchange-keys",
                keepMillis(settings.forceAfter()),
                this::maintainKeys,
                Upkeep.log(LOGGER, System.Logger.Level.ERROR, "the keys that are kept could not be written"));
        joining = new Upkeep(
                "heapspan-exchange-joined",
                0,
                REJOIN_MILLIS,
                this::rejoinWhenForgotten,
                warning("the server that this keeper has joined could not be joined again"));
        telling = new Upkeep(
                "heapspan-exchange-telling",
                TELL_MILLIS,
                this::tellClients,
                warning("clients that wait could not be told"));
        leading = replica == null || opened == null
                ? null
                : new Upkeep(
                        "heapspan-exchange-leading",
                        0,
                        LEAD_PAUSE_MILLIS,
                        leading(replica, opened)::run,
                        warning("this server cannot lead"));
    }

    private static Upkeep.Report warning(String what) {
        return Upkeep.log(LOGGER, System.Logger.Level.WARNING, what);
    }

    private void maintainKeys() throws IOException {
        if (System.nanoTime() - started >= settings.lease().toNanos()) {
            // By now clients of a former server know that it has ended, or compare what they read.
            run.keeper().giveBackFormer();
        }
        run.keeper().maintainKeys(run.metadata()::keys);
    }

    private static long keepMillis(@Nullable Duration forceAfter) {
        long millis = forceAfter == null || forceAfter.isZero() ? MOST_KEEP_MILLIS : forceAfter.toMillis();
        return Math.max(LEAST_KEEP_MILLIS, Math.min(MOST_KEEP_MILLIS, millis));
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts a server.
     *
     * @throws IOException if the place is taken, or the folder cannot be made, or the server that it joins cannot be reached
     * @throws RefusedException if the server that it joins refuses
     */
    public static Server start(ServerSettings settings) throws IOException, RefusedException {
        return start(settings, work -> daemon(work, "heapspan-exchange-connection"));
    }

    /** Starts a server, with threads for its connections. */
    static Server start(ServerSettings settings, ThreadFactory threads) throws IOException, RefusedException {
        Server server = new Server(settings, threads);
        server.accepting.start();
        server.expiring.start();
        if (settings.forceAfter() != null) {
            server.keeping.start();
        }
        if (settings.origin() != null) {
            server.joining.start();
            server.telling.start();
        }
        Replica replica = server.replica;
        Upkeep leading = server.leading;
        if (replica != null && leading != null) {
            server.telling.start();
            try {
                replica.start();
            } catch (IOException | RuntimeException | Error e) {
                server.close();
                throw e;
            }
            leading.start();
        }
        return server;
    }

    private void serve(Link socket) {
        boolean taken = false;
        try {
            ServerTls tls = settings.tls();
            serve(new FrameLink(tls == null ? socket : tls.over(socket)));
            taken = true;
        } finally {
            if (!taken) {
                socket.close();
            }
        }
    }

    private void serve(FrameLink frames) {
        ServerConnection connection = new ServerConnection(this, run, frames);
        if (!connectionPermits.tryAcquire()) {
            refuseBusy(frames, settings.mostConnections() + " connections, which is the most it allows");
            return;
        }
        if (!greetingPermits.tryAcquire()) {
            connectionPermits.release();
            refuseBusy(frames, "too many connections that are silent before they are known; try again");
            return;
        }
        boolean started = false;
        try {
            connections.add(connection);
            if (closed.get() || !connection.isOf(run)) {
                connection.close();
            }
            threads.newThread(() -> serve(connection)).start();
            started = true;
        } finally {
            if (!started) {
                end(connection);
            }
        }
    }

    private void serve(ServerConnection connection) {
        try {
            connection.run();
        } catch (RuntimeException | Error e) {
            LOGGER.log(System.Logger.Level.ERROR, "a connection has failed", e);
        } finally {
            end(connection);
        }
    }

    private void end(ServerConnection connection) {
        connection.close();
        connections.remove(connection);
        connectionPermits.release();
        connection.endGreeting();
    }

    /** Not by the thread that accepts connections: others would wait for a client that does not answer. */
    private void refuseBusy(FrameLink frames, String what) {
        long millis = settings.tls() == null ? GREETING_MILLIS : TLS_GREETING_MILLIS;
        try {
            refusing.execute(() -> tellBusy(frames, what, millis));
        } catch (RejectedExecutionException e) {
            frames.close();
        }
    }

    private static void tellBusy(FrameLink frames, String what, long millis) {
        try (frames) {
            hear(frames, millis);
            frames.send(
                    new Reply.Refusal(RefusalCode.BUSY, "the server has " + what),
                    Deadline.afterMillis(REFUSAL_MILLIS));
        } catch (IOException e) {
            // It meets a closed connection then.
            return;
        }
    }

    /** A connection that is closed before its greeting is read may lose the refusal. */
    private static void hear(FrameLink frames, long millis) throws IOException {
        try {
            frames.receive(Deadline.afterMillis(millis));
        } catch (SocketTimeoutException e) {
            // It is told anyway.
            return;
        }
    }

    /** A connection is known now, or has ended before. */
    void greetingEnded() {
        greetingPermits.release();
    }

    /** A server that was restarted, or has not heard of this keeper for too long, knows nothing of it: everything begins anew. */
    private void rejoinWhenForgotten() throws IOException, RefusedException {
        Run former = run;
        former.listen();
        if (!closed.get()) {
            replace(new Run(settings, listener.endpoint(), traffic), former);
        }
    }

    private Leading leading(Replica peer, Keeper keeper) {
        Leading.Serving serving = new Leading.Serving() {
            @Override
            public void begin(Leadership leadership) throws IOException {
                replace(new Run(settings, keeper, peer, leadership, traffic), run);
            }

            @Override
            public void end() throws IOException {
                replace(new Run(settings, keeper, peer, null, traffic), run);
            }
        };
        return new Leading(peer, serving, Duration.ofMillis(LEAD_PAUSE_MILLIS));
    }

    /** A keeper, or a server that commits, needs the time of the network between it and its server. */
    private void tellClients() {
        connections.forEach(ServerConnection::tellIfBusy);
    }

    private void replace(Run next, Run former) throws IOException {
        run = next;
        connections.stream()
                .filter(connection -> connection.isOf(former) && !connection.isOfPeer())
                .forEach(ServerConnection::close);
        former.close();
        if (closed.get()) {
            next.close();
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Nullable
    Replica replica() {
        return replica;
    }

    ServerSettings settings() {
        return settings;
    }

    /** Where clients connect. */
    public Endpoint endpoint() {
        return listener.endpoint();
    }

    /** The server that it has joined as a keeper, or all of several, for people. Null if there is none. */
    public @Nullable String origin() {
        ClientSettings origin = settings.origin();
        return origin == null ? null : origin.place();
    }

    /** Whether it is a keeper of servers that replicate their keys. */
    boolean hasJoinedSeveral() {
        ClientSettings origin = settings.origin();
        return origin != null && origin.servers().size() > 1;
    }

    /** The servers that replicate their keys, with this one, as it sees them. Empty for others. */
    public List<PeerView> peers() {
        return replica == null ? List.of() : replica.peers();
    }

    /** What it does. */
    public Traffic traffic() {
        return traffic;
    }

    /** What people want to see of it, with so many rows of each list. */
    public Overview overview(int mostRows) {
        return run.metadata().overview(mostRows);
    }

    /** What it has now. */
    public Reply.Status status() {
        Run current = run;
        Space space = current.space();
        return new Reply.Status(
                space.capacityBytes(),
                space.usedBytes(),
                space.groupCount(),
                space.keyCount(),
                current.metadata().sessionCount(),
                connections.size(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started),
                current.keeper().folder().toString(),
                settings.version());
    }

    /** Ends all connections and deletes all groups. */
    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // Not interrupted, because that would close the files they work with.
        List.of(accepting, expiring, keeping, joining, telling).forEach(Upkeep::end);
        listener.close();
        run.refuse();
        connections.forEach(ServerConnection::close);
        Deadline deadline = Deadline.afterMillis(STOP_MILLIS);
        // The port is free when nobody waits at it any more.
        await(deadline, () -> !accepting.isRunning() && connections.isEmpty());
        refusing.shutdownNow();
        await(deadline, () -> !keeping.isRunning() && !joining.isRunning());
        if (replica != null && leading != null && keeperOfPeer != null) {
            try {
                leading.end();
                replica.close();
                leading.close();
                await(deadline, () -> !leading.isRunning());
                run.close();
            } finally {
                keeperOfPeer.close();
            }
        } else {
            run.close();
        }
    }

    private static void await(Deadline deadline, BooleanSupplier condition) {
        while (!condition.getAsBoolean()
                && !deadline.hasPassed()
                && !Thread.currentThread().isInterrupted()) {
            pause(1);
        }
    }
}
