package org.heapspan.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.ServerStatus;
import org.jspecify.annotations.Nullable;

/** Runs a server of the global heap until the process is ended. */
final class HeapServe implements Command {
    private static final int DEFAULT_PORT = 7077;
    private static final int MOST_PORT = 65_535;
    private static final int NOT_GIVEN = -1;
    private static final int FORCE_AFTER_SECONDS = 1;
    private static final int MOST_FORCE_AFTER_SECONDS = 60;
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,9})([kmgt]?)");

    private final int port;
    private final @Nullable String host;
    private final @Nullable String memory;
    private final @Nullable String clientMemory;
    private final @Nullable String directory;
    private final @Nullable String overflowDirectory;
    private final @Nullable String overflow;
    private final @Nullable String secretFile;
    private final @Nullable String certificate;
    private final @Nullable String key;
    private final @Nullable String joined;
    private final @Nullable String trust;
    private final @Nullable String peers;
    private final boolean keep;
    private final int forceAfterSeconds;
    private final boolean isForced;
    private final boolean anyone;
    private final int pagePort;

    HeapServe(Options options) throws Failure {
        port = options.number("--port", 0, MOST_PORT, DEFAULT_PORT);
        host = options.value("--host");
        memory = options.value("--memory");
        clientMemory = options.value("--client-memory");
        directory = options.value("--dir");
        overflowDirectory = options.value("--overflow-dir");
        overflow = options.value("--overflow");
        secretFile = options.value("--secret-file");
        certificate = options.value("--tls-certificate");
        key = options.value("--tls-key");
        joined = options.value("--join");
        trust = options.value("--tls-trust");
        peers = options.value("--peers");
        keep = options.flag("--keep");
        int forceAfter = options.number("--force-after", 0, MOST_FORCE_AFTER_SECONDS, NOT_GIVEN);
        isForced = forceAfter == 0;
        forceAfterSeconds = forceAfter == NOT_GIVEN ? FORCE_AFTER_SECONDS : forceAfter;
        anyone = options.flag("--allow-anyone");
        pagePort = options.number("--page", 0, MOST_PORT, NOT_GIVEN);
        options.finish();
        if (forceAfter != NOT_GIVEN && !keep && (peers == null || forceAfter != 0)) {
            throw Failure.ofUsage(
                    "--force-after is for keys that are kept (--keep), and 0 for those that are replicated (--peers)");
        }
        if (peers != null && (keep || joined != null)) {
            throw Failure.ofUsage("a server that replicates its keys (--peers) keeps them anyway (--keep), and joins no"
                    + " other one (--join)");
        }
        if ((certificate == null) != (key == null)) {
            throw Failure.ofUsage("TLS needs both --tls-certificate FILE and --tls-key FILE");
        }
        if (joined != null && keep) {
            throw Failure.ofUsage("a server that joins another one (--join) has no keys to keep (--keep)");
        }
        if (trust != null && joined == null && peers == null) {
            throw Failure.ofUsage(
                    "--tls-trust is for the server that is joined (--join), or for the others of --peers");
        }
        if (overflow != null && overflowDirectory == null) {
            throw Failure.ofUsage("--overflow is for a second folder (--overflow-dir DIR)");
        }
        if (overflow != null) {
            bytes("--overflow", overflow);
        }
        if (memory != null) {
            bytes("--memory", memory);
        }
        if (clientMemory != null) {
            bytes("--client-memory", clientMemory);
        }
    }

    /** A number of bytes with an optional unit, as the JVM's own options have. */
    static long bytes(String option, String text) throws Failure {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw Failure.ofUsage(option + " is '" + text + "', expected a number with k, m, g or t, such as 4g");
        }
        int shift = size.group(2).isEmpty() ? 0 : 10 * ("kmgt".indexOf(size.group(2)) + 1);
        long number = Long.parseLong(size.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw Failure.ofUsage(option + " is '" + text + "', which is more than there can be");
        }
        return number << shift;
    }

    private ExchangeServerOptions serverOptions() throws IOException, Failure {
        ExchangeServerOptions options = ExchangeServerOptions.port(port);
        if (host != null) {
            options = options.withHost(host);
        }
        if (memory != null) {
            options = options.withMemory(bytes("--memory", memory));
        }
        if (clientMemory != null) {
            options = options.withMemoryOfClient(bytes("--client-memory", clientMemory));
        }
        if (directory != null) {
            options = options.withDirectory(HeapServer.path(directory));
        }
        if (overflowDirectory != null) {
            options = options.withOverflow(
                    HeapServer.path(overflowDirectory), overflow == null ? 0 : bytes("--overflow", overflow));
        }
        if (secretFile != null) {
            options = options.withSecretFile(HeapServer.path(secretFile));
        }
        if (certificate != null && key != null) {
            options = options.withTls(HeapServer.path(certificate), HeapServer.path(key));
        }
        if (joined != null) {
            options = joining(options, joined);
        }
        if (peers != null) {
            options = replicating(options, peers);
        }
        if (pagePort != NOT_GIVEN) {
            options = options.withPage(pagePort);
        }
        if (keep) {
            options = options.keepingKeys(Duration.ofSeconds(forceAfterSeconds));
        }
        return anyone ? options.allowingAnyone() : options;
    }

    private ExchangeServerOptions joining(ExchangeServerOptions options, String url) throws IOException, Failure {
        try {
            return trust == null ? options.joining(url) : options.joining(url, HeapServer.path(trust));
        } catch (IllegalArgumentException e) {
            throw Failure.ofUsage(String.valueOf(e.getMessage()));
        }
    }

    private ExchangeServerOptions replicating(ExchangeServerOptions options, String all) throws IOException, Failure {
        try {
            ExchangeServerOptions replicating =
                    trust == null ? options.replicating(all) : options.replicating(all, HeapServer.path(trust));
            return isForced ? replicating.keepingKeys(Duration.ZERO) : replicating;
        } catch (IllegalArgumentException e) {
            throw Failure.ofUsage(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        try (ExchangeServer server = ExchangeServer.start(serverOptions())) {
            ServerStatus status = server.status();
            out.println("serving " + server.url() + (key == null ? "" : " over TLS")
                    + (joined == null ? "" : " as a keeper of " + joined)
                    + (peers == null ? "" : " as one of " + peers) + " with "
                    + Text.bytes(status.capacityBytes()) + " in "
                    + Path.of(status.directory()).getParent()
                    + (overflowDirectory == null ? "" : " and " + overflowDirectory) + "; Ctrl-C ends it");
            server.pageUrl().ifPresent(url -> out.println("status page for browsers on this host: " + url));
            out.flush();
            CountDownLatch ended = new CountDownLatch(1);
            Thread hook = new Thread(() -> close(server), "heapspan-serve-end");
            Runtime.getRuntime().addShutdownHook(hook);
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IOException e) {
            throw Failure.of("the server cannot be started: " + Failure.reason(e));
        } catch (ExchangeException e) {
            throw Failure.of(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw Failure.ofUsage(String.valueOf(e.getMessage()));
        }
    }

    /** The files go with the process. */
    private static void close(ExchangeServer server) {
        try {
            server.close();
        } catch (IOException e) {
            // The next server of this user deletes them.
            return;
        }
    }
}
