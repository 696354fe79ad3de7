package org.heapspan.exchange.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.GroupStore;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.metadata.Metadata;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.metadata.Types;
import org.heapspan.exchange.peers.Begin;
import org.heapspan.exchange.peers.Leadership;
import org.heapspan.exchange.peers.Replica;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * Sessions and groups of a server, from its start to its end. A keeper that has joined a server begins another run when that server has forgotten it,
 * as if it had been started again: what clients had leased is gone.
 */
final class Run implements Closeable {
    private static final int ID_BYTES = 16;

    /** No server hands out as many: they are petabytes. */
    private static final long CHUNKS_OF_SERVER = 1 << 24;

    private final Keeper keeper;
    private final Metadata metadata;
    private final Space space;
    private final @Nullable JoinedSpace joined;
    private final @Nullable Replica replica;
    private final @Nullable Leadership leadership;
    private final Unconfirmed unconfirmed = new Unconfirmed();

    /**
     * Begins.
     *
     * @param place where clients find the server
     * @throws RefusedException if the server that it joins refuses
     */
    Run(ServerSettings settings, Endpoint place, Traffic traffic) throws IOException, RefusedException {
        ClientSettings joins = settings.origin();
        @Nullable Origin origin = joins == null ? null : Origin.join(joins, portForKeepers(joins, place));
        @Nullable Keeper made = null;
        try {
            // Copies have the addresses that they have there.
            Chunks chunks = origin == null ? settings.chunks() : new Chunks(origin.chunkBytes());
            ServerSettings.Overflow overflow = settings.overflow();
            byte[] newId = SharedSecret.random(ID_BYTES);
            made = overflow == null
                    ? new Keeper(settings.base(), newId, chunks, settings.forceAfter())
                    : Keeper.withOverflow(settings.base(), overflow.base(), newId, chunks);
            keeper = made;
            metadata = metadata(settings, made, chunks, made, made.log());
            made.takeKept().forEach(metadata::adopt);
        } catch (IOException | RefusedException | RuntimeException | Error e) {
            if (origin != null) {
                origin.close();
            }
            if (made != null) {
                made.close();
            }
            throw e;
        }
        joined = origin == null ? null : new JoinedSpace(origin, keeper, settings, traffic);
        metadata.whenEnded(this::ended);
        space = joined == null ? new OwnSpace(metadata, keeper, traffic, new Types()) : joined;
        replica = null;
        leadership = null;
    }

    /**
     * Begins one of a server that replicates its keys.
     *
     * @param leadership null while another server leads
     */
    Run(ServerSettings settings, Keeper keeper, Replica replica, @Nullable Leadership leadership, Traffic traffic) {
        this.keeper = keeper;
        this.replica = replica;
        this.leadership = leadership;
        joined = null;
        metadata =
                metadata(settings, keeper, settings.chunks(), replica, leadership == null ? KeyLog.NONE : leadership);
        metadata.whenEnded(this::ended);
        if (leadership == null) {
            space = new FollowerSpace(replica, settings.memoryBytes());
        } else {
            Begin begin = leadership.begin();
            metadata.adopt(begin.groups(), begin.keys());
            Types types = new Types(begin.registry(), begin.types(), leadership);
            space = new LeaderSpace(new OwnSpace(metadata, keeper, traffic, types), replica, leadership);
        }
    }

    private static Metadata metadata(
            ServerSettings settings, Keeper keeper, Chunks chunks, GroupStore store, KeyLog log) {
        ServerSettings.Overflow overflow = settings.overflow();
        return new Metadata(
                chunks,
                firstChunk(keeper, chunks),
                store,
                new Metadata.Limits(
                        settings.memoryBytes(),
                        overflow == null ? 0 : overflow.capacityBytes(),
                        settings.clientBytes(),
                        settings.mostConnectionsOfClient()),
                settings.lease(),
                settings.handOver(),
                log,
                System::nanoTime);
    }

    private void ended(Session session) {
        unconfirmed.end(session);
        if (joined != null) {
            joined.ended(session);
        }
    }

    /** Keepers on other hosts do not reach one that listens at the loopback address. */
    private static int portForKeepers(ClientSettings joins, Endpoint place) throws IOException {
        boolean reached = !place.isInProcess()
                && !joins.server().isInProcess()
                && (!InetAddress.getByName(place.host()).isLoopbackAddress()
                        || InetAddress.getByName(joins.server().host()).isLoopbackAddress());
        return reached ? place.port() : 0;
    }

    /** Addresses of one server mean nothing to another, also not to the one that follows at the same place, except for those of keys that are kept. */
    private static long firstChunk(Keeper keeper, Chunks chunks) {
        long most = chunks.firstOverflow() - CHUNKS_OF_SERVER;
        while (true) {
            long chunk = 1
                    + Long.remainderUnsigned(
                            ByteBuffer.wrap(SharedSecret.random(Long.BYTES)).getLong(), most);
            if (keeper.isFree(chunk, CHUNKS_OF_SERVER)) {
                return chunk;
            }
        }
    }

    Keeper keeper() {
        return keeper;
    }

    Metadata metadata() {
        return metadata;
    }

    Unconfirmed unconfirmed() {
        return unconfirmed;
    }

    Space space() {
        return space;
    }

    /** Serves as a keeper, and returns when the server that it has joined has forgotten it, or it is closed. */
    void listen() {
        if (joined != null) {
            joined.listen();
        }
    }

    /** Nobody is served any more. */
    void refuse() {
        metadata.close();
        space.close();
    }

    /** Ends. The keeper of a server that replicates its keys goes on. */
    @Override
    public void close() throws IOException {
        refuse();
        if (replica == null) {
            keeper.close();
        } else if (leadership != null) {
            replica.ended(leadership, metadata.ranges());
        }
    }
}
