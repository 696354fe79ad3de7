package org.heapspan.exchange;

import java.io.IOException;
import org.heapspan.exchange.keeper.StaleFolders;
import org.heapspan.exchange.server.Server;

/**
 * A server of the exchange space, with the keeper of its bytes, within this process. {@code heapspan serve} is the same as a process of its own.
 * Keys and groups live as long as the server. Thread-safe.
 */
public final class ExchangeServer implements AutoCloseable {
    private final Server server;

    private ExchangeServer(Server server) {
        this.server = server;
    }

    /**
     * Starts a server. Returns when clients can connect.
     *
     * @param options where it listens, and what it allows
     * @return the server
     * @throws IOException if the port is taken, or the folder cannot be used
     * @throws IllegalArgumentException if the options allow anyone on other hosts without saying so
     */
    public static ExchangeServer start(ExchangeServerOptions options) throws IOException {
        String version = ExchangeServer.class.getPackage().getImplementationVersion();
        return new ExchangeServer(Server.start(options.settings(version == null ? "" : version)));
    }

    /**
     * Deletes the files of servers of this user that were killed. A server that starts does this too, and so does a client on the same host that
     * cannot reach its server any more. Servers that run keep theirs.
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
     * Returns what the server has now.
     *
     * @return a snapshot
     */
    public ServerStatus status() {
        return ServerStatus.of(server.status());
    }

    /**
     * Ends all connections, and deletes all groups and files. Objects that clients have read stay as they are.
     *
     * @throws IOException if a file could not be deleted
     */
    @Override
    public void close() throws IOException {
        server.close();
    }
}
