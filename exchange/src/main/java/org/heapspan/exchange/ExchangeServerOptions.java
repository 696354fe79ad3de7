package org.heapspan.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.peers.PeerSettings;
import org.heapspan.exchange.server.ServerSettings;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.ServerTls;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * Options of an {@link ExchangeServer}. Immutable: each {@code with} method returns another object.
 *
 * <p>{@code ExchangeServerOptions.port(7077).withMemory(4L << 30)}
 */
public final class ExchangeServerOptions {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int DEFAULT_CONNECTIONS = 256;
    private static final int DEFAULT_CONNECTIONS_OF_CLIENT = 64;
    private static final int MOST_CONNECTIONS = 10_000;
    private static final int MOST_PORT = 65_535;
    private static final int NO_PAGE = -1;

    /** A server allows one client 64 of them by default. */
    private static final int CONNECTIONS_TO_ORIGIN = 48;

    /** A server that does not answer others for longer is passed over. */
    private static final Duration MOST_PEER_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration FORCE_AFTER = Duration.ofSeconds(1);
    private static final Duration MOST_FORCE_AFTER = Duration.ofMinutes(1);

    private final Draft values;

    /** All values. Only a draft that is not shared yet is changed. */
    private static final class Draft implements Cloneable {
        Endpoint place = Endpoint.tcp(LOOPBACK, 0);
        Path directory = ExchangeDefaults.directory();
        boolean isDirectoryNamed;
        Chunks chunks = new Chunks(Chunks.DEFAULT_BYTES);
        long memoryBytes;

        @Nullable
        Path overflowDirectory;

        long overflowBytes;
        long clientBytes;

        @Nullable
        ServerTls tls;

        @Nullable
        SharedSecret secret = ExchangeDefaults.secret();

        boolean anyone;

        List<Endpoint> origins = List.of();

        @Nullable
        ClientTls originTls;

        List<Endpoint> peers = List.of();

        @Nullable
        Duration forceAfter;

        int pagePort = NO_PAGE;
        Duration lease = Duration.ofSeconds(60);
        Duration handOver = Duration.ofMinutes(10);
        Duration timeout = ExchangeDefaults.timeout();
        int connections = DEFAULT_CONNECTIONS;
        int connectionsOfClient = DEFAULT_CONNECTIONS_OF_CLIENT;

        @Override
        public Draft clone() {
            try {
                return (Draft) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private ExchangeServerOptions(Draft values) {
        this.values = values;
    }

    private ExchangeServerOptions changed(Consumer<Draft> change) {
        Draft draft = values.clone();
        change.accept(draft);
        return new ExchangeServerOptions(draft);
    }

    /**
     * Creates options of a server that clients reach by TCP, from this host only.
     *
     * @param port the port, or 0 for a free one
     * @return the options
     * @throws IllegalArgumentException if there is no such port, or a system property in {@code docs/configuration.md} is invalid
     */
    public static ExchangeServerOptions port(int port) {
        Draft draft = new Draft();
        draft.place = Endpoint.tcp(LOOPBACK, port);
        return new ExchangeServerOptions(draft);
    }

    /**
     * Creates options of a server that only clients in this JVM reach, at {@code heapspan-local://NAME}. For tests.
     *
     * @param name letters, digits, hyphens, with no hyphen at its begin or end
     * @return the options
     * @throws IllegalArgumentException if the name has something else, or a system property in {@code docs/configuration.md} is invalid
     */
    public static ExchangeServerOptions inProcess(String name) {
        Draft draft = new Draft();
        draft.place = Endpoint.parse(Endpoint.inProcess(name).toString());
        return new ExchangeServerOptions(draft);
    }

    /**
     * Sets the address at which the server listens. Other addresses than those of the loopback need a secret, or {@link #allowingAnyone}.
     *
     * @param host name or address of this host; {@code 0.0.0.0} for all
     * @return changed options
     * @throws IllegalArgumentException if the server is {@link #inProcess}: it listens at no address
     */
    public ExchangeServerOptions withHost(String host) {
        if (values.place.isInProcess()) {
            throw new IllegalArgumentException("a server at " + values.place + " listens at no address, the host is '"
                    + host + "'; create its options by ExchangeServerOptions.port, or set no host");
        }
        return changed(draft -> draft.place = Endpoint.tcp(host, draft.place.port()));
    }

    /**
     * Sets how much memory all groups together may take. Default: half of what the folder has left at the start.
     *
     * @param bytes positive
     * @return changed options
     * @throws IllegalArgumentException if it is not positive
     */
    public ExchangeServerOptions withMemory(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("memory is " + bytes + " bytes, expected a positive number");
        }
        return changed(draft -> draft.memoryBytes = bytes);
    }

    /**
     * Sets a second folder, on a disk, for objects for which the memory has no room. Objects stay where they are first put. Clients on this host map
     * their files as those in memory. The folder is not for a server that keeps or replicates its keys, or joins another one.
     *
     * @param overflow folder on this host, another one than {@link #withDirectory}
     * @param bytes how much all groups together may take there; 0 for half of what the folder has left at the start
     * @return changed options
     * @throws IllegalArgumentException if the number is negative
     */
    public ExchangeServerOptions withOverflow(Path overflow, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("the overflow is " + bytes + " bytes, expected a positive number, or 0");
        }
        return changed(draft -> {
            draft.overflowDirectory = overflow;
            draft.overflowBytes = bytes;
        });
    }

    /**
     * Sets how much memory one client may take for objects that it has reserved or published, and that no key leads to. Default: all of the memory and
     * of the overflow.
     *
     * @param bytes positive
     * @return changed options
     * @throws IllegalArgumentException if it is not positive
     */
    public ExchangeServerOptions withMemoryOfClient(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("memory of a client is " + bytes + " bytes, expected a positive number");
        }
        return changed(draft -> draft.clientBytes = bytes);
    }

    /**
     * Sets the folder in which the files of groups are made. Default: the system property {@code heapspan.exchange.dir}, otherwise {@code /dev/shm},
     * which is memory. If that cannot be written, the temporary directory.
     *
     * @param directory on this host
     * @return changed options
     */
    public ExchangeServerOptions withDirectory(Path directory) {
        return changed(draft -> {
            draft.directory = directory;
            draft.isDirectoryNamed = true;
        });
    }

    /**
     * Keeps keys and their objects in the folder when the server ends or is killed: the next server with this option and folder goes on with them.
     * Handles end with the server. Changes are forced to the device after a second at the latest: a crash of the host loses what was changed later.
     *
     * <p>Name a folder on a disk ({@link #withDirectory}). The default folder is memory: there all keys are lost with the host.
     *
     * @return changed options
     */
    public ExchangeServerOptions keepingKeys() {
        return keepingKeys(FORCE_AFTER);
    }

    /**
     * Keeps keys and their objects as {@link #keepingKeys()}, with another time.
     *
     * @param forceAfter how long a change may be in memory only, at most a minute. Zero: a change is forced to the device before it is answered, so that
     *     a crash of the host loses nothing that was answered, if the folder is on a disk. Each {@code put} then waits for the device
     * @return changed options
     * @throws IllegalArgumentException if it is negative or longer
     */
    public ExchangeServerOptions keepingKeys(Duration forceAfter) {
        if (forceAfter.isNegative() || forceAfter.compareTo(MOST_FORCE_AFTER) > 0) {
            throw new IllegalArgumentException(
                    "the time until changes are forced is " + forceAfter + ", expected 0 to 60 seconds");
        }
        return changed(draft -> draft.forceAfter = forceAfter);
    }

    /**
     * Makes the server a keeper for this host: it has no objects of its own, but serves those of another server. It fetches each object once, and
     * clients on this host read it from shared memory. Both have the same secret. What clients put through it is on the other server when the call
     * returns, so it is not lost with this one.
     *
     * @param url the other server, {@code heapspan://HOST:PORT}, or all of several that {@linkplain #replicating replicate their keys}
     * @return changed options
     * @throws IllegalArgumentException if the address is none, or a system property in {@code docs/configuration.md} is invalid
     */
    public ExchangeServerOptions joining(String url) {
        List<Endpoint> origins = Endpoint.parseAll(url);
        ClientTls trust = ExchangeDefaults.tlsTrust();
        return changed(draft -> {
            draft.origins = origins;
            draft.originTls = trust;
        });
    }

    /**
     * Makes the server a keeper as {@link #joining(String)}, and connects with TLS: see {@link GlobalHeapOptions#withTlsTrust}. It must be possible to
     * trust the certificates of the other keepers too, or objects come from the server only.
     *
     * @param url the other server
     * @param certificates file in PEM form
     * @return changed options
     * @throws IOException if it cannot be read, or has no certificates
     */
    public ExchangeServerOptions joining(String url, Path certificates) throws IOException {
        ClientTls trust = ClientTls.trusting(certificates);
        return joining(url).changed(draft -> draft.originTls = trust);
    }

    /**
     * Makes the server one of several that replicate their keys: three, of which one may fail, or five, of which two may. One of them leads, and serves
     * clients, which connect to {@code heapspan://HOST:PORT,HOST:PORT,HOST:PORT}. The server needs {@code heapspan-replication.jar} on the class path,
     * and a folder of its own ({@link #withDirectory}), in which keys, objects and what was agreed on stay.
     *
     * @param peers all servers, this one among them, the same everywhere: {@code a:7077,b:7077,c:7077}
     * @return changed options
     * @throws IllegalArgumentException if these are no addresses, or not three or five, or a system property in {@code docs/configuration.md} is invalid
     */
    public ExchangeServerOptions replicating(String peers) {
        List<Endpoint> places = Endpoint.parseAll(peers.contains("://") ? peers : "heapspan://" + peers);
        if (places.size() != 3 && places.size() != 5) {
            throw new IllegalArgumentException(
                    places.size() + " servers replicate their keys, expected 3 or 5: " + peers);
        }
        ClientTls trust = ExchangeDefaults.tlsTrust();
        return changed(draft -> {
            draft.peers = places;
            draft.originTls = trust;
        });
    }

    /**
     * Makes the server one of several as {@link #replicating(String)}, which reach each other with TLS.
     *
     * @param peers all servers
     * @param certificates file in PEM form, with which each server trusts the others
     * @return changed options
     * @throws IOException if it cannot be read, or has no certificates
     */
    public ExchangeServerOptions replicating(String peers, Path certificates) throws IOException {
        ClientTls trust = ClientTls.trusting(certificates);
        return replicating(peers).changed(draft -> draft.originTls = trust);
    }

    /**
     * Encrypts all connections with TLS 1.3. Clients need {@link GlobalHeapOptions#withTlsTrust}, and compare the host that they connect to with the
     * names in the certificate. Clients on this host still share memory. Connections within this JVM are not encrypted.
     *
     * @param certificates file in PEM form: the certificate of this server, then those that lead to one that clients trust
     * @param key file in PEM form with its private key, in PKCS #8 without a password; only its owner should be able to read it
     * @return changed options
     * @throws IOException if the files cannot be read, or do not belong together
     */
    public ExchangeServerOptions withTls(Path certificates, Path key) throws IOException {
        ServerTls tls = ServerTls.read(certificates, key);
        return changed(draft -> draft.tls = tls);
    }

    /**
     * Sets the secret that clients must know. It is never sent.
     *
     * @param secret at least 16 bytes
     * @return changed options
     * @throws IllegalArgumentException if it is shorter
     */
    public ExchangeServerOptions withSecret(byte[] secret) {
        SharedSecret shared = new SharedSecret(secret);
        return changed(draft -> draft.secret = shared);
    }

    /**
     * Sets the secret to the contents of a file, without white space at the end.
     *
     * @param file that only its owner should be able to read
     * @return changed options
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if the secret is shorter than 16 bytes
     */
    public ExchangeServerOptions withSecretFile(Path file) throws IOException {
        SharedSecret shared = ExchangeDefaults.secret(file);
        return changed(draft -> draft.secret = shared);
    }

    /**
     * Allows a server without a secret that other hosts and users reach: anyone there can read, add and remove objects. A server that has neither a
     * secret nor this permission serves processes of its own user only, as far as the system tells (Linux does).
     *
     * @return changed options
     */
    public ExchangeServerOptions allowingAnyone() {
        return changed(draft -> draft.anyone = true);
    }

    /**
     * Sets how long a client may be silent or disconnected until all that it leases is given back. Default: 60 seconds.
     *
     * @param lease at least 100 ms; more than a year is a year
     * @return changed options
     * @throws IllegalArgumentException if it is shorter
     */
    public ExchangeServerOptions withLease(Duration lease) {
        Duration bounded = Deadline.bounded(lease);
        if (bounded.toMillis() < 100) {
            throw new IllegalArgumentException("the lease is " + lease + ", expected at least 100 ms");
        }
        return changed(draft -> draft.lease = bounded);
    }

    /**
     * Sets how long an object that was sent through a volatile object stream waits for its reader. Default: 10 minutes.
     *
     * @param handOver positive; more than a year is a year
     * @return changed options
     * @throws IllegalArgumentException if it is not positive
     */
    public ExchangeServerOptions withHandOver(Duration handOver) {
        if (handOver.isNegative() || handOver.isZero()) {
            throw new IllegalArgumentException("the time for a hand-over is " + handOver + ", expected a positive one");
        }
        return changed(draft -> draft.handOver = Deadline.bounded(handOver));
    }

    /**
     * Sets how long one message of a client, or the acceptance of a piece of a group, may take. Default: 30 seconds.
     *
     * @param timeout at least a millisecond; more than a year is a year
     * @return changed options
     * @throws IllegalArgumentException if it is shorter
     */
    public ExchangeServerOptions withTimeout(Duration timeout) {
        Duration bounded = Deadline.bounded(timeout);
        if (bounded.isNegative() || bounded.toMillis() == 0) {
            throw new IllegalArgumentException("the timeout is " + timeout + ", expected at least a millisecond");
        }
        return changed(draft -> draft.timeout = bounded);
    }

    /**
     * Sets how many connections there can be at the same time. Default: 256.
     *
     * @param connections 1 to 10,000
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public ExchangeServerOptions withConnections(int connections) {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException("connections is " + connections + ", expected 1 to " + MOST_CONNECTIONS);
        }
        return changed(draft -> draft.connections = connections);
    }

    /**
     * Sets how many of the connections one client can have. Default: 64.
     *
     * @param connections 1 to 10,000
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public ExchangeServerOptions withConnectionsOfClient(int connections) {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections of a client is " + connections + ", expected 1 to " + MOST_CONNECTIONS);
        }
        return changed(draft -> draft.connectionsOfClient = connections);
    }

    /**
     * Shows a status page to browsers on this host: {@link ExchangeServer#pageUrl}. Off by default. It needs the module {@code jdk.httpserver}.
     *
     * @param port the port at the loopback address, or 0 for a free one
     * @return changed options
     * @throws IllegalArgumentException if there is no such port
     */
    public ExchangeServerOptions withPage(int port) {
        if (port < 0 || port > MOST_PORT) {
            throw new IllegalArgumentException("port of the page is " + port + ", expected 0 to " + MOST_PORT);
        }
        return changed(draft -> draft.pagePort = port);
    }

    /** The port of the status page; empty without one. */
    OptionalInt pagePort() {
        return values.pagePort == NO_PAGE ? OptionalInt.empty() : OptionalInt.of(values.pagePort);
    }

    /** Sets the length of a chunk; for tests, which cross their borders. */
    ExchangeServerOptions withChunkBytes(int bytes) {
        return changed(draft -> draft.chunks = new Chunks(bytes));
    }

    /**
     * Returns the folder in which the files of groups are made.
     *
     * @return the folder
     */
    public Path directory() {
        return values.directory;
    }

    /** Checks what depends on several values. */
    ServerSettings settings(String version) throws IOException {
        if (values.secret == null && !values.anyone && !isOnThisHostOnly(values.place)) {
            throw new IllegalArgumentException("a server at " + values.place.host()
                    + ", which other hosts reach, needs a secret (--secret-file); or allow anyone to read and write its"
                    + " objects (--allow-anyone)");
        }
        List<Endpoint> origins = values.origins;
        if (!origins.isEmpty() && values.forceAfter != null) {
            throw new IllegalArgumentException(
                    "a server that joins another one has no keys to keep; let " + origins.get(0) + " keep them");
        }
        if (values.overflowDirectory != null
                && (values.forceAfter != null || !values.peers.isEmpty() || !origins.isEmpty())) {
            throw new IllegalArgumentException(
                    "a server that keeps (--keep) or replicates (--peers) its keys, or joins"
                            + " another one (--join), has no overflow folder (--overflow-dir); give it a folder on a disk (--dir)");
        }
        PeerSettings peers = values.peers.isEmpty() ? null : peers();
        Files.createDirectories(values.directory);
        long memoryBytes = values.memoryBytes != 0 ? values.memoryBytes : halfOfFree(values.directory);
        ServerSettings.Overflow overflow = overflow();
        return new ServerSettings(
                values.place,
                values.directory,
                peers == null ? values.forceAfter : null,
                values.chunks,
                memoryBytes,
                overflow,
                values.clientBytes != 0
                        ? values.clientBytes
                        : memoryBytes + (overflow == null ? 0 : overflow.capacityBytes()),
                values.place.isInProcess() ? null : values.tls,
                values.secret,
                values.secret == null && !values.anyone,
                values.lease,
                values.handOver,
                values.timeout,
                values.connections,
                values.connectionsOfClient,
                version,
                origins.isEmpty() ? null : clientOf(origins),
                peers);
    }

    private static long halfOfFree(Path directory) throws IOException {
        return Math.max(1, Files.getFileStore(directory).getUsableSpace() / 2);
    }

    private ServerSettings.@Nullable Overflow overflow() throws IOException {
        Path directory = values.overflowDirectory;
        if (directory == null) {
            return null;
        }
        Files.createDirectories(directory);
        if (Files.isSameFile(directory, values.directory)) {
            throw new IllegalArgumentException("the overflow folder (--overflow-dir) is that of the memory (--dir): "
                    + directory + "; name a folder on a disk");
        }
        return new ServerSettings.Overflow(
                directory, values.overflowBytes != 0 ? values.overflowBytes : halfOfFree(directory));
    }

    private PeerSettings peers() throws IOException {
        if (!values.origins.isEmpty()) {
            throw new IllegalArgumentException("a server that joins another one does not replicate keys");
        }
        if (!values.isDirectoryNamed) {
            throw new IllegalArgumentException("a server that replicates its keys needs a folder of its own that stays"
                    + " (--dir): it must not forget what it has confirmed to the others");
        }
        if (values.secret == null) {
            for (Endpoint peer : values.peers) {
                if (values.anyone || !isOnThisHostOnly(peer)) {
                    throw new IllegalArgumentException("servers on several hosts that replicate their keys need a"
                            + " secret: otherwise anyone could take part in what they agree on");
                }
            }
        }
        if (values.tls != null && values.originTls == null && !values.place.isInProcess()) {
            throw new IllegalArgumentException(
                    "servers with TLS that replicate their keys need certificates to trust each other (--tls-trust)");
        }
        ClientSettings client = new ClientSettings(
                values.peers,
                values.place.isInProcess() || values.tls == null ? null : values.originTls,
                values.secret,
                peerTimeout(),
                1,
                false,
                false);
        boolean forced = values.forceAfter != null && values.forceAfter.isZero();
        return new PeerSettings(
                values.peers,
                OwnPlace.among(values.peers, values.place),
                client,
                forced,
                ExchangeDefaults.election(),
                ExchangeDefaults.changesOfSnapshot());
    }

    private Duration peerTimeout() {
        return values.timeout.compareTo(MOST_PEER_TIMEOUT) < 0 ? values.timeout : MOST_PEER_TIMEOUT;
    }

    /** Never through the files of the other server: that would be no copy. */
    private ClientSettings clientOf(List<Endpoint> origins) {
        return new ClientSettings(
                origins,
                origins.get(0).isInProcess() ? null : values.originTls,
                values.secret,
                origins.size() == 1 ? values.timeout : peerTimeout(),
                CONNECTIONS_TO_ORIGIN,
                false,
                true);
    }

    private static boolean isOnThisHostOnly(Endpoint place) throws UnknownHostException {
        return place.isInProcess() || InetAddress.getByName(place.host()).isLoopbackAddress();
    }
}
