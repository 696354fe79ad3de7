package org.heapspan.exchange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/** The system properties of this module: name, default and unit of each, and the check of its value. Read when options are created. */
final class ExchangeDefaults {
    static final String DIRECTORY = "heapspan.exchange.dir";
    static final String SECRET = "heapspan.exchange.secret";
    static final String DEADLINE = "heapspan.exchange.deadline";
    static final String TIMEOUT = "heapspan.exchange.timeout";
    static final String ELECTION = "heapspan.exchange.election";
    static final String SNAPSHOT = "heapspan.exchange.snapshot";
    static final String TLS_TRUST = "heapspan.exchange.tls.trust";

    private static final int DEADLINE_SECONDS = 10;
    private static final int TIMEOUT_SECONDS = 30;
    private static final int MOST_SECONDS = 86_400;
    private static final int ELECTION_MILLIS = 600;
    private static final int LEAST_ELECTION_MILLIS = 50;
    private static final int MOST_ELECTION_MILLIS = 60_000;
    private static final int SNAPSHOT_CHANGES = 50_000;
    private static final int LEAST_SNAPSHOT_CHANGES = 100;
    private static final int MOST_SNAPSHOT_CHANGES = 10_000_000;
    private static final int MOST_SECRET_FILE_BYTES = 4096;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private ExchangeDefaults() {}

    /** Where keepers make their folders. */
    static Path directory() {
        String text = System.getProperty(DIRECTORY);
        if (text != null) {
            return Path.of(text);
        }
        return Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
                ? SHARED_MEMORY
                : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** How long {@code get} waits for a key. */
    static Duration deadline() {
        return seconds(DEADLINE, DEADLINE_SECONDS);
    }

    /** How long a reply or a piece of a group may take. */
    static Duration timeout() {
        return seconds(TIMEOUT, TIMEOUT_SECONDS);
    }

    /** How long the leader of servers that replicate their keys may be silent until the others elect another one. */
    static Duration election() {
        return Duration.ofMillis(
                number(ELECTION, ELECTION_MILLIS, LEAST_ELECTION_MILLIS, MOST_ELECTION_MILLIS, "milliseconds"));
    }

    /** After as many changes servers that replicate their keys write all keys down. */
    static int changesOfSnapshot() {
        return number(SNAPSHOT, SNAPSHOT_CHANGES, LEAST_SNAPSHOT_CHANGES, MOST_SNAPSHOT_CHANGES, "changes");
    }

    private static Duration seconds(String key, int otherwise) {
        return Duration.ofSeconds(number(key, otherwise, 1, MOST_SECONDS, "seconds"));
    }

    private static int number(String key, int otherwise, int least, int most, String what) {
        String text = System.getProperty(key);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message below says what is expected.
        }
        throw new IllegalArgumentException(
                key + " is '" + text + "', expected a number of " + what + " from " + least + " to " + most);
    }

    /** What client and server must both know, or null. */
    static @Nullable SharedSecret secret() {
        String text = System.getProperty(SECRET);
        if (text == null) {
            return null;
        }
        try {
            return secret(Path.of(text));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    SECRET + " names " + text + ", which cannot be read: " + e.getMessage(), e);
        }
    }

    /** What clients trust, or null to connect without TLS. */
    static @Nullable ClientTls tlsTrust() {
        String text = System.getProperty(TLS_TRUST);
        if (text == null) {
            return null;
        }
        try {
            return ClientTls.trusting(Path.of(text));
        } catch (IOException e) {
            throw new IllegalArgumentException(TLS_TRUST + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** Reads a secret: all bytes of the file, without white space at its end. */
    static SharedSecret secret(Path file) throws IOException {
        if (Files.size(file) > MOST_SECRET_FILE_BYTES) {
            throw new IOException(
                    file + " has " + Files.size(file) + " bytes, a secret has at most " + MOST_SECRET_FILE_BYTES);
        }
        byte[] bytes = Files.readAllBytes(file);
        int length = bytes.length;
        while (length > 0 && Character.isWhitespace(bytes[length - 1])) {
            length--;
        }
        return new SharedSecret(Arrays.copyOf(bytes, length));
    }
}
