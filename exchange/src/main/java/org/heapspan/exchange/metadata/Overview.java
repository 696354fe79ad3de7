package org.heapspan.exchange.metadata;

import java.util.List;
import org.heapspan.exchange.wire.KeyDescription;

/**
 * What people want to see of a server at one time. Lists are cut off. Immutable.
 *
 * @param reserved groups that are populated
 * @param handedOver groups that wait for the reader of a stream
 * @param chunkBytes length of a chunk
 * @param chunkCount all chunks
 * @param clients the first of them
 * @param chunks the first of them
 * @param keys the first of them
 * @param keepers the first of those that have joined
 */
public record Overview(
        int reserved,
        int handedOver,
        int chunkBytes,
        int chunkCount,
        List<Client> clients,
        List<Chunk> chunks,
        List<KeyDescription> keys,
        List<Keeper> keepers) {
    /** Takes copies. */
    public Overview {
        clients = List.copyOf(clients);
        chunks = List.copyOf(chunks);
        keys = List.copyOf(keys);
        keepers = List.copyOf(keepers);
    }

    /**
     * A session.
     *
     * @param address where its first connection came from
     * @param connections that it has
     * @param leases of groups
     * @param heldBytes that count for it
     * @param writesInPlace whether it has written to the files of the keeper
     * @param ageMillis since its first connection
     */
    public record Client(
            String address, int connections, int leases, long heldBytes, boolean writesInPlace, long ageMillis) {}

    /**
     * A chunk that has groups.
     *
     * @param number of the chunk
     * @param groups that have a part in it
     * @param bytes that these take
     */
    public record Chunk(long number, int groups, long bytes) {}

    /**
     * A keeper on another host that has joined.
     *
     * @param place where other keepers find it, or where it comes from
     * @param connections that it has
     * @param copies that it has
     * @param bytes that these take
     */
    public record Keeper(String place, int connections, int copies, long bytes) {}
}
