package org.heapspan.exchange;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.exchange.client.ClientSettings;
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

    private final Values values;

    private record Values(
            @Nullable SharedSecret secret,
            Duration deadline,
            Duration timeout,
            int connections,
            boolean mapsFiles,
            Encoding encoding,
            @Nullable Heapspan heapspan) {}

    private GlobalHeapOptions(Values values) {
        this.values = values;
    }

    /**
     * Creates options with their defaults, which are those of the system properties in {@code docs/configuration.md}.
     *
     * @return the options
     * @throws IllegalArgumentException if a property is invalid: correct or remove it
     */
    public static GlobalHeapOptions defaults() {
        return new GlobalHeapOptions(new Values(
                ExchangeDefaults.secret(),
                ExchangeDefaults.deadline(),
                ExchangeDefaults.timeout(),
                DEFAULT_CONNECTIONS,
                true,
                Encoding.COMPACT,
                null));
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
        return new GlobalHeapOptions(new Values(
                secret,
                values.deadline,
                values.timeout,
                values.connections,
                values.mapsFiles,
                values.encoding,
                values.heapspan));
    }

    /**
     * Sets how long {@link GlobalHeap#get(String, Class)} waits for a key that is not committed yet. Default: 10 seconds.
     *
     * @param deadline not negative; zero: a key must be there
     * @return changed options
     * @throws IllegalArgumentException if it is negative
     */
    public GlobalHeapOptions withDeadline(Duration deadline) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("the deadline is " + deadline + ", expected zero or more");
        }
        return new GlobalHeapOptions(new Values(
                values.secret,
                deadline,
                values.timeout,
                values.connections,
                values.mapsFiles,
                values.encoding,
                values.heapspan));
    }

    /**
     * Sets how long the server may be silent: while a connection is opened, for a reply, and between two pieces of a group. Default: 30 seconds.
     *
     * @param timeout positive
     * @return changed options
     * @throws IllegalArgumentException if it is not positive
     */
    public GlobalHeapOptions withTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.toMillis() == 0) {
            throw new IllegalArgumentException("the timeout is " + timeout + ", expected at least a millisecond");
        }
        return new GlobalHeapOptions(new Values(
                values.secret,
                values.deadline,
                timeout,
                values.connections,
                values.mapsFiles,
                values.encoding,
                values.heapspan));
    }

    /**
     * Sets how many threads can use the server at the same time; more wait. Default: 8.
     *
     * @param connections 1 to 256
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public GlobalHeapOptions withConnections(int connections) {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException("connections is " + connections + ", expected 1 to " + MOST_CONNECTIONS);
        }
        return new GlobalHeapOptions(new Values(
                values.secret,
                values.deadline,
                values.timeout,
                connections,
                values.mapsFiles,
                values.encoding,
                values.heapspan));
    }

    /**
     * Lets all bytes go through connections, also if the server is on the same host.
     *
     * @return changed options
     */
    public GlobalHeapOptions withoutMapping() {
        return new GlobalHeapOptions(new Values(
                values.secret,
                values.deadline,
                values.timeout,
                values.connections,
                false,
                values.encoding,
                values.heapspan));
    }

    /**
     * Sets the encoding of objects that are put. {@link Encoding#RAW} is faster to read. It is used if this client has a secret and shares memory with
     * the server, and only such clients can read it. Otherwise, and by default, objects are {@link Encoding#COMPACT}.
     *
     * @param encoding the encoding
     * @return changed options
     */
    public GlobalHeapOptions withEncoding(Encoding encoding) {
        return new GlobalHeapOptions(new Values(
                values.secret,
                values.deadline,
                values.timeout,
                values.connections,
                values.mapsFiles,
                encoding,
                values.heapspan));
    }

    /**
     * Sets the instance that encodes and decodes. Its allow-list, filter, limits, class loader and mode apply to what others have put. Default: an
     * instance with all options at their defaults, without checksums in images, because groups have their own.
     *
     * @param heapspan the instance
     * @return changed options
     */
    public GlobalHeapOptions withHeapspan(Heapspan heapspan) {
        return new GlobalHeapOptions(new Values(
                values.secret,
                values.deadline,
                values.timeout,
                values.connections,
                values.mapsFiles,
                values.encoding,
                heapspan));
    }

    ClientSettings settings(Endpoint server) {
        return new ClientSettings(server, values.secret, values.timeout, values.connections, values.mapsFiles);
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

    Heapspan heapspan() {
        Heapspan chosen = values.heapspan;
        return chosen != null ? chosen : Heapspan.builder().checksum(false).build();
    }
}
