package org.heapspan.exchange.client;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.keeper.ChunkFolder;
import org.heapspan.exchange.keeper.ChunkFolders;
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
    private final int chunkBytes;
    private final @Nullable ChunkMappings mappings;

    /** When a request was sent that the server has answered. */
    private volatile long contactNanos = System.nanoTime();

    ServerSession(byte[] serverId, Handshake.Welcome welcome, boolean mapsFiles) throws MalformedFrameException {
        token = welcome.session();
        leaseMillis = Math.max(LEAST_LEASE_MILLIS, welcome.leaseMillis());
        chunkBytes = welcome.chunkBytes();
        mappings = mapsFiles ? mappings(serverId, welcome) : null;
    }

    private static @Nullable ChunkMappings mappings(byte[] serverId, Handshake.Welcome welcome)
            throws MalformedFrameException {
        try {
            Path folder = Path.of(welcome.directory());
            if (!ChunkFolder.isReachable(folder, serverId)) {
                return null;
            }
            Path overflow = ChunkFolder.overflow(folder);
            return overflow == null || ChunkFolder.isReachable(overflow, serverId)
                    ? new ChunkMappings(new ChunkFolders<>(folder, overflow, new Chunks(welcome.chunkBytes())))
                    : null;
        } catch (IOException e) {
            // The server is ending, or the file is another user's.
            return null;
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

    int chunkBytes() {
        return chunkBytes;
    }

    long leaseMillis() {
        return leaseMillis;
    }

    /** The server has answered a request that was sent at this time. */
    void contacted(long sentNanos) {
        contactNanos = sentNanos;
    }

    /** Whether the server has certainly not ended this session yet, so that what it leases is there. */
    boolean isCertain() {
        return isRecent(contactNanos);
    }

    /** Whether a time is so short ago that the server has certainly not closed a connection that was used then. */
    boolean isRecent(long nanos) {
        return System.nanoTime() - nanos < TimeUnit.MILLISECONDS.toNanos(leaseMillis) / 2;
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
