package org.heapspan.exchange.server;

import java.nio.file.Path;
import java.time.Duration;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.peers.PeerSettings;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.ServerTls;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * How a server runs.
 *
 * @param place where it listens
 * @param base where the keeper makes its folder
 * @param forceAfter if keys and their groups stay there when the server ends: how long a change may be in memory only. Null if they end with it
 * @param chunks how addresses are cut
 * @param memoryBytes of all groups together that are in the keeper's folder
 * @param overflow where groups go for which there is no room, or null
 * @param clientBytes that one client may take without a key
 * @param tls its certificate, or null to serve without TLS
 * @param secret what clients must know, or null
 * @param ownUserOnly whether only processes of the user of this one are served
 * @param lease how long a client may be silent
 * @param handOver how long a group waits for the one who takes it
 * @param timeout how long one frame, or one piece of a group, may take
 * @param mostConnections at the same time
 * @param mostConnectionsOfClient at the same time
 * @param version of the program, for the status
 * @param origin the server that it joins as a keeper, or null if it has metadata of its own
 * @param peers the servers that replicate their keys with it, or null
 */
public record ServerSettings(
        Endpoint place,
        Path base,
        @Nullable Duration forceAfter,
        Chunks chunks,
        long memoryBytes,
        @Nullable Overflow overflow,
        long clientBytes,
        @Nullable ServerTls tls,
        @Nullable SharedSecret secret,
        boolean ownUserOnly,
        Duration lease,
        Duration handOver,
        Duration timeout,
        int mostConnections,
        int mostConnectionsOfClient,
        String version,
        @Nullable ClientSettings origin,
        @Nullable PeerSettings peers) {
    /**
     * A second place for groups.
     *
     * @param base where the keeper makes a second folder
     * @param capacityBytes of all groups together that are there
     */
    public record Overflow(Path base, long capacityBytes) {}
}
