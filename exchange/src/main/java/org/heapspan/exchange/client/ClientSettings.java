package org.heapspan.exchange.client;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.heapspan.exchange.transport.ClientTls;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * How a client works.
 *
 * @param servers where the server is; several that replicate their keys, one of which leads
 * @param tls what it trusts, or null to connect without TLS
 * @param secret what both must know, or null
 * @param timeout how long a connection, a reply or a piece of a group may take
 * @param mostConnections at the same time
 * @param mapsFiles whether it may use the files of a server on the same host
 * @param oneSession whether it is of no more use when the server has forgotten it: what it has depends on its first session
 */
public record ClientSettings(
        List<Endpoint> servers,
        @Nullable ClientTls tls,
        @Nullable SharedSecret secret,
        Duration timeout,
        int mostConnections,
        boolean mapsFiles,
        boolean oneSession) {
    /** How long one of several servers may be silent before another one is asked. The leader says that it is at work. */
    public static final Duration SILENCE = Duration.ofSeconds(4);

    /** Takes a copy. */
    public ClientSettings {
        servers = List.copyOf(servers);
    }

    /** The server, or the first of several. */
    public Endpoint server() {
        return servers.get(0);
    }

    /** Where the server is, or the servers are, for people. */
    public String place() {
        return servers.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }

    /** The same for one of the servers. Of several, it may have lost the lead if it is silent. */
    public ClientSettings only(Endpoint server) {
        return new ClientSettings(
                List.of(server), tls, secret, patience(servers.size() > 1), mostConnections, mapsFiles, oneSession);
    }

    /** How long a server may be silent: one of several, whose lead another one may have then, or the only one. */
    public Duration patience(boolean isOneOfSeveral) {
        return isOneOfSeveral && timeout.compareTo(SILENCE) > 0 ? SILENCE : timeout;
    }

    /** The same for a keeper, for the bytes of one group through a connection. */
    public ClientSettings ofKeeper(Endpoint keeper, Duration timeLeft) {
        return new ClientSettings(List.of(keeper), tls, secret, timeLeft, 1, false, false);
    }

    /** The same for another server. */
    public ClientSettings at(Endpoint other, int connections) {
        return new ClientSettings(List.of(other), tls, secret, timeout, connections, mapsFiles, false);
    }
}
