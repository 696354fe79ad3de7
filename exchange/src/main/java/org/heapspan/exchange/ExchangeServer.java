package org.heapspan.exchange;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.StaleFolders;
import org.heapspan.exchange.page.StatusPage;
import org.heapspan.exchange.server.Server;
import org.heapspan.exchange.server.ServerSettings;
import org.heapspan.exchange.wire.RefusedException;
import org.jspecify.annotations.Nullable;

/**
 * A server of the exchange space, with the keeper of its bytes, within this process. {@code heapspan serve} is the same as a process of its own.
 * Keys and groups live as long as the server. Exception: keys of a server that {@linkplain ExchangeServerOptions#keepingKeys() keeps} or {@linkplain
 * ExchangeServerOptions#replicating replicates} them. Thread-safe.
 */
public final class ExchangeServer implements AutoCloseable {
    private final Server server;
    private final @Nullable StatusPage page;

    private ExchangeServer(Server server, @Nullable StatusPage page) {
        this.server = server;
        this.page = page;
    }

    /**
     * Starts a server. Returns when clients can connect.
     *
     * @param options where it listens, and what it allows
     * @return the server
     * @throws IOException if the port is taken, the folder cannot be used, or the server that it joins cannot be reached. An option can need a jar or a
     *     module: also if that is missing
     * @throws ExchangeException if the server that it joins refuses
     * @throws IllegalArgumentException if options contradict each other, or one is missing, such as a secret for other hosts; the message says which
     */
    public static ExchangeServer start(ExchangeServerOptions options) throws IOException {
        String version = ExchangeServer.class.getPackage().getImplementationVersion();
        Server server = start(options.settings(version == null ? "" : version));
        OptionalInt pagePort = options.pagePort();
        try {
            return new ExchangeServer(server, pagePort.isPresent() ? page(server, pagePort.getAsInt()) : null);
        } catch (IOException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    private static Server start(ServerSettings settings) throws IOException {
        try {
            return Server.start(settings);
        } catch (RefusedException e) {
            ClientSettings origin = settings.origin();
            throw ExchangeException.of("joining " + (origin == null ? "a server" : origin.place()), e);
        }
    }

    private static StatusPage page(Server server, int port) throws IOException {
        try {
            return StatusPage.open(server, port);
        } catch (NoClassDefFoundError e) {
            throw new IOException(
                    "the status page needs the module jdk.httpserver, which this Java does not have (" + e.getMessage()
                            + ")",
                    e);
        }
    }

    /**
     * Deletes the files of servers of this user that were killed. A server that starts does this too, and so does a client on the same host that
     * cannot reach its server any more. Servers that run keep theirs. Files of servers that keep or replicate their keys stay too.
     *
     * @param options with the folder to look at: {@link ExchangeServerOptions#withDirectory}
     * @return how many servers had left files
     */
    public static int clean(ExchangeServerOptions options) {
        return StaleFolders.delete(options.directory());
    }

    /**
     * Returns where clients connect.
     *
     * @return the argument for {@link GlobalHeap#connect(String)}
     */
    public String url() {
        return server.endpoint().toString();
    }

    /**
     * Returns where browsers on this host find the status page. Its address has a token that nobody can guess: who knows it sees the names of keys.
     *
     * @return empty unless {@link ExchangeServerOptions#withPage} was used
     */
    public Optional<String> pageUrl() {
        return Optional.ofNullable(page).map(StatusPage::url);
    }

    /**
     * Returns what the server has now.
     *
     * @return a snapshot
     */
    public ServerStatus status() {
        return ServerStatus.of(server.status());
    }

    /**
     * Ends all connections, and deletes all groups and files. If the server keeps or replicates its keys, they stay, with their objects and files.
     * Objects that clients have read stay as they are.
     *
     * @throws IOException if a file could not be deleted
     */
    @Override
    public void close() throws IOException {
        if (page != null) {
            page.close();
        }
        server.close();
    }
}
