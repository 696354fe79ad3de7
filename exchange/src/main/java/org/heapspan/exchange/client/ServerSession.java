package org.heapspan.exchange.client;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.heapspan.exchange.keeper.ChunkFolder;
import org.heapspan.exchange.keeper.StaleFolders;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.jspecify.annotations.Nullable;

/** What a client has with one run of a server: leases of another run mean nothing to this one. Thread-safe. */
final class ServerSession {
    private static final long LEAST_LEASE_MILLIS = 100;

    private final byte[] token;
    private final long leaseMillis;
    private final @Nullable ChunkMappings mappings;

    ServerSession(byte[] serverId, Handshake.Welcome welcome, boolean mapsFiles) throws MalformedFrameException {
        token = welcome.session();
        leaseMillis = Math.max(LEAST_LEASE_MILLIS, welcome.leaseMillis());
        mappings = mapsFiles ? mappings(serverId, welcome) : null;
    }

    private static @Nullable ChunkMappings mappings(byte[] serverId, Handshake.Welcome welcome)
            throws MalformedFrameException {
        try {
            Path folder = Path.of(welcome.directory());
            return ChunkFolder.isReachable(folder, serverId)
                    ? new ChunkMappings(folder, new Chunks(welcome.chunkBytes()))
                    : null;
        } catch (InvalidPathException e) {
            // A path of another system.
            return null;
        } catch (IllegalArgumentException e) {
            throw new MalformedFrameException("the server announces " + e.getMessage());
        }
    }

    byte[] token() {
        return token;
    }

    long leaseMillis() {
        return leaseMillis;
    }

    /** The files of the server, or null if they are out of reach. */
    @Nullable
    ChunkMappings mappings() {
        return mappings;
    }

    /** A server that was killed leaves its files, which are memory. Nobody can use them any more. */
    void deleteIfServerWasKilled() {
        if (mappings != null) {
            StaleFolders.deleteIfStale(mappings.folder());
        }
    }
}
