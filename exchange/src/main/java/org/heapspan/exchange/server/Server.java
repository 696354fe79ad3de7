package org.heapspan.exchange.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Overview;
import org.heapspan.exchange.peers.Leadership;
import org.heapspan.exchange.peers.Leading;
import org.heapspan.exchange.peers.PeerSettings;
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
    private final Thread acceptor;
    private final Thread expiry;
    private final Thread keeping;
    private final Thread joining;
    private final Thread telling;
    private final Thread leading;
    private final @Nullable Replica replica;
    private final @Nullable Keeper keeperOfPeer;
    private final CountDownLatch ended = new CountDownLatch(1);

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
        acceptor = daemon(this::accept, "heapspan-exchange-accept");
        expiry = daemon(this::expire, "heapspan-exchange-expiry");
        keeping = daemon(this::keep, "heapspan-exchange-keys");
        joining = daemon(this::stayJoined, "heapspan-exchange-joined");
        telling = daemon(this::tellClients, "heapspan-exchange-telling");
        leading = daemon(this::lead, "heapspan-exchange-leading");
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
        server.acceptor.start();
        server.expiry.start();
        server.keeping.start();
        if (settings.origin() != null) {
            server.joining.start();
            server.telling.start();
        }
        Replica replica = server.replica;
        if (replica != null) {
            server.telling.start();
            try {
                replica.start();
            } catch (IOException | RuntimeException | Error e) {
                server.close();
                throw e;
            }
            server.leading.start();
        }
        return server;
    }

    private interface Turn {
        void take() throws IOException, RefusedException;
    }

    /** A turn of a thread that goes on until the server is closed, whatever fails: descriptors, threads and memory may be there again later. */
    private void attempt(String what, long pauseMillis, Turn turn) {
        try {
            turn.take();
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            if (!closed.get()) {
                tell(System.Logger.Level.WARNING, what, e);
                pause(pauseMillis);
            }
        }
    }

    private static void tell(System.Logger.Level level, String what, Throwable failure) {
        try {
            LOGGER.log(level, what, failure);
        } catch (OutOfMemoryError e) {
            // A message needs memory too.
            return;
        }
    }

    private void accept() {
        while (!closed.get()) {
            attempt("a connection could not be accepted", ACCEPT_PAUSE_MILLIS, () -> serve(listener.accept()));
        }
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

    private void expire() {
        while (!closed.get()) {
            pause(EXPIRY_MILLIS);
            attempt(
                    "what clients have left could not be given back",
                    0,
                    () -> run.metadata().expire());
        }
    }

    /** A server that was restarted, or has not heard of this keeper for too long, knows nothing of it: everything begins anew. */
    private void stayJoined() {
        while (!closed.get()) {
            attempt("this keeper could not stay joined", REJOIN_MILLIS, this::rejoinWhenForgotten);
        }
    }

    private void rejoinWhenForgotten() {
        Run current = run;
        current.listen();
        try {
            replace(current);
        } catch (IOException | RefusedException e) {
            LOGGER.log(System.Logger.Level.INFO, "the server could not be joined again yet: " + e.getMessage());
            pause(REJOIN_MILLIS);
        }
    }

    private void lead() {
        Replica peer = replica;
        Keeper keeper = keeperOfPeer;
        if (peer == null || keeper == null) {
            return;
        }
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
        Leading leads = new Leading(peer, serving, Duration.ofMillis(LEAD_PAUSE_MILLIS));
        while (!closed.get()) {
            attempt("this server cannot lead", LEAD_PAUSE_MILLIS, leads::run);
        }
    }

    /** A keeper, or a server that commits, needs the time of the network between it and its server. */
    private void tellClients() {
        while (!closed.get()) {
            pause(TELL_MILLIS);
            attempt("clients that wait could not be told", 0, () -> connections.forEach(ServerConnection::tellIfBusy));
        }
    }

    private void replace(Run former) throws IOException, RefusedException {
        if (closed.get()) {
            return;
        }
        replace(new Run(settings, listener.endpoint(), traffic), former);
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

    /** Not interrupted at the end, because that would close the files it works with. */
    private void keep() {
        Duration forceAfter = settings.forceAfter();
        if (forceAfter == null) {
            return;
        }
        long millis = forceAfter.isZero() ? MOST_KEEP_MILLIS : Math.min(MOST_KEEP_MILLIS, forceAfter.toMillis());
        boolean told = false;
        try {
            while (!ended.await(Math.max(LEAST_KEEP_MILLIS, millis), TimeUnit.MILLISECONDS)) {
                try {
                    run.keeper().maintainKeys(run.metadata()::keys);
                    told = false;
                } catch (IOException | RuntimeException | Error e) {
                    if (!told) {
                        tell(System.Logger.Level.ERROR, "the keys that are kept could not be written", e);
                    }
                    told = true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
        listener.close();
        run.refuse();
        connections.forEach(ServerConnection::close);
        Deadline deadline = Deadline.afterMillis(STOP_MILLIS);
        // The port is free when nobody waits at it any more.
        while ((acceptor.isAlive() || !connections.isEmpty())
                && !deadline.hasPassed()
                && !Thread.currentThread().isInterrupted()) {
            pause(1);
        }
        refusing.shutdownNow();
        expiry.interrupt();
        telling.interrupt();
        ended.countDown();
        while ((keeping.isAlive() || joining.isAlive())
                && !deadline.hasPassed()
                && !Thread.currentThread().isInterrupted()) {
            pause(1);
        }
        if (replica != null && keeperOfPeer != null) {
            try {
                replica.close();
                leading.interrupt();
                while (leading.isAlive()
                        && !deadline.hasPassed()
                        && !Thread.currentThread().isInterrupted()) {
                    pause(1);
                }
                run.close();
            } finally {
                keeperOfPeer.close();
            }
        } else {
            run.close();
        }
    }
}
