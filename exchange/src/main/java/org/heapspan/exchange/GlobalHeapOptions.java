package org.heapspan.exchange;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link GlobalHeap}. Immutable: each {@code with} method returns another object.
 *
 * <p>{@code GlobalHeapOptions.defaults().withSecretFile(Path.of("/etc/exchange.secret"))}
 */
public final class GlobalHeapOptions {
    private static final int DEFAULT_CONNECTIONS = 8;
    private static final int MOST_CONNECTIONS = 256;

    private final Draft values;

    /** All values. Only a draft that is not shared yet is changed. */
    private static final class Draft implements Cloneable {
        @Nullable
        ClientTls tls = ExchangeDefaults.tlsTrust();

        @Nullable
        SharedSecret secret = ExchangeDefaults.secret();

        Duration deadline = ExchangeDefaults.deadline();
        Duration timeout = ExchangeDefaults.timeout();
        int connections = DEFAULT_CONNECTIONS;
        boolean mapsFiles = true;
        Encoding encoding = Encoding.COMPACT;

        @Nullable
        Set<Class<?>> deduplicated;

        @Nullable
        Heapspan heapspan;

        @Override
        public Draft clone() {
            try {
                return (Draft) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private GlobalHeapOptions(Draft values) {
        this.values = values;
    }

    private GlobalHeapOptions changed(Consumer<Draft> change) {
        Draft draft = values.clone();
        change.accept(draft);
        return new GlobalHeapOptions(draft);
    }

    /**
     * Creates options with their defaults, which are those of the system properties in {@code docs/configuration.md}.
     *
     * @return the options
     * @throws IllegalArgumentException if a property is invalid: correct or remove it
     */
    public static GlobalHeapOptions defaults() {
        return new GlobalHeapOptions(new Draft());
    }

    /**
     * Connects with TLS 1.3 only. The certificate of the server must be in this file, or be signed with the key of one that is. It must have the name
     * or address of the host in the URL. Connections within this JVM are not encrypted.
     *
     * @param certificates file in PEM form
     * @return changed options
     * @throws IOException if it cannot be read, or has no certificates
     */
    public GlobalHeapOptions withTlsTrust(Path certificates) throws IOException {
        ClientTls tls = ClientTls.trusting(certificates);
        return changed(draft -> draft.tls = tls);
    }

    /**
     * Sets the secret that the server must know, and that this client proves to know. It is never sent.
     *
     * @param secret at least 16 bytes
     * @return changed options
     * @throws IllegalArgumentException if it is shorter
     */
    public GlobalHeapOptions withSecret(byte[] secret) {
        return withSecret(new SharedSecret(secret));
    }

    /**
     * Sets the secret to the contents of a file, without white space at the end.
     *
     * @param file that only its owner should be able to read
     * @return changed options
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if the secret is shorter than 16 bytes
     */
    public GlobalHeapOptions withSecretFile(Path file) throws IOException {
        return withSecret(ExchangeDefaults.secret(file));
    }

    private GlobalHeapOptions withSecret(SharedSecret secret) {
        return changed(draft -> draft.secret = secret);
    }

    /**
     * Sets how long {@link GlobalHeap#get(String, Class)} waits for a key that is not committed yet. Default: 10 seconds.
     *
     * @param deadline not negative; zero: a key must be there; more than a year is a year
     * @return changed options
     * @throws IllegalArgumentException if it is negative
     */
    public GlobalHeapOptions withDeadline(Duration deadline) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("the deadline is " + deadline + ", expected zero or more");
        }
        return changed(draft -> draft.deadline = Deadline.bounded(deadline));
    }

    /**
     * Sets how long the server may be silent: while a connection is opened, for a reply, and between two pieces of a group. Default: 30 seconds.
     *
     * @param timeout at least a millisecond; more than a year is a year
     * @return changed options
     * @throws IllegalArgumentException if it is shorter
     */
    public GlobalHeapOptions withTimeout(Duration timeout) {
        Duration bounded = Deadline.bounded(timeout);
        if (bounded.isNegative() || bounded.toMillis() == 0) {
            throw new IllegalArgumentException("the timeout is " + timeout + ", expected at least a millisecond");
        }
        return changed(draft -> draft.timeout = bounded);
    }

    /**
     * Sets how many threads can use the server at the same time. Default: 8. Further threads wait, for the time of {@link #withTimeout} at most
     * (DEADLINE). A server allows one client 64 connections by default ({@link ExchangeServerOptions#withConnectionsOfClient}), and refuses more (BUSY).
     *
     * @param connections 1 to 256
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public GlobalHeapOptions withConnections(int connections) {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException("connections is " + connections + ", expected 1 to " + MOST_CONNECTIONS);
        }
        return changed(draft -> draft.connections = connections);
    }

    /**
     * Lets all bytes go through connections, also if the server is on the same host.
     *
     * @return changed options
     */
    public GlobalHeapOptions withoutMapping() {
        return changed(draft -> draft.mapsFiles = false);
    }

    /**
     * Sets the encoding of objects that are put. {@link Encoding#RAW} was slower to read for most of the objects in
     * {@code docs/benchmarks-exchange.md}; measure both. It is used if this client has a secret and shares memory with the server, and only such
     * clients can read it. Otherwise, and by default, objects are {@link Encoding#COMPACT}. Keepers refuse raw objects. Servers that replicate their
     * keys refuse raw objects with keys (PROTOCOL).
     *
     * @param encoding the encoding
     * @return changed options
     */
    public GlobalHeapOptions withEncoding(Encoding encoding) {
        return changed(draft -> draft.encoding = encoding);
    }

    /**
     * Finds values that come again in several objects that are put, publishes each once, and lets later objects refer to them (ZCOT section 5): strings
     * of 8 characters or more, and instances of the classes given. {@link GlobalHeap#share} does this for values that are known before. Objects that
     * are put with {@link GlobalHeap#reserve}, and raw ones, hold copies. If nothing comes again, few objects are looked at. Default: off.
     *
     * @param immutable classes whose instances never change and have {@code equals} and {@code hashCode} by value, such as records of strings and
     *     numbers
     * @return changed options
     */
    public GlobalHeapOptions withDeduplication(Class<?>... immutable) {
        Set<Class<?>> types = Set.copyOf(Arrays.asList(immutable));
        return changed(draft -> draft.deduplicated = types);
    }

    /**
     * Sets the instance that encodes and decodes. Its allow-list, filter, limits, class loader and mode apply to compact images that others have put.
     * Allow-list and filter do not apply to raw images. Default: an instance with all options at their defaults, without checksums in images, because
     * groups have their own.
     *
     * @param heapspan the instance
     * @return changed options
     */
    public GlobalHeapOptions withHeapspan(Heapspan heapspan) {
        return changed(draft -> draft.heapspan = heapspan);
    }

    ClientSettings settings(List<Endpoint> servers) {
        return new ClientSettings(
                servers,
                servers.get(0).isInProcess() ? null : values.tls,
                values.secret,
                values.timeout,
                values.connections,
                values.mapsFiles,
                false);
    }

    /**
     * Returns how long {@code get} waits for a key.
     *
     * @return the time
     */
    public Duration deadline() {
        return values.deadline;
    }

    /**
     * Returns how long the server may be silent.
     *
     * @return the time
     */
    public Duration timeout() {
        return values.timeout;
    }

    /**
     * Returns the encoding of objects that are put.
     *
     * @return the encoding
     */
    public Encoding encoding() {
        return values.encoding;
    }

    @Nullable
    Set<Class<?>> deduplicated() {
        return values.deduplicated;
    }

    Heapspan heapspan() {
        Heapspan chosen = values.heapspan;
        return chosen != null ? chosen : Heapspan.builder().checksum(false).build();
    }
}
