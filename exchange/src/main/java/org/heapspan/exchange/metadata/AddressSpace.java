package org.heapspan.exchange.metadata;

import java.util.HashMap;
import java.util.Map;

/**
 * Hands out addresses of the exchange space, upwards and none twice: an address that somebody has kept too long leads to nothing, never to
 * another object. 63 bits are enough for that. Begins at a chunk that its maker chooses at random, so that addresses of one server mean nothing
 * to another. Not thread-safe.
 */
final class AddressSpace {
    private final Chunks chunks;
    private long next;

    /** How many groups each chunk has, of those that have any. */
    private final Map<Long, Integer> groups = new HashMap<>();

    AddressSpace(Chunks chunks, long firstChunk) {
        this.chunks = chunks;
        this.next = chunks.address(firstChunk);
    }

    /** The address of a new group, which is in one chunk if it fits in one. */
    long allocate(long sizeBytes) {
        long length = Chunks.pages(sizeBytes);
        if (length > chunks.room(next)) {
            next = startOfChunk(next);
        }
        long address = next;
        next += length;
        for (long chunk = chunks.number(address); chunk <= chunks.number(next - 1); chunk++) {
            groups.merge(chunk, 1, Integer::sum);
        }
        return address;
    }

    /** This address if a chunk begins there, or else that of the next chunk. */
    private long startOfChunk(long address) {
        return chunks.offset(address) == 0 ? address : chunks.address(chunks.number(address) + 1);
    }

    /** Forgets a group. A chunk whose last group it was gets no other. */
    void free(long address, long sizeBytes) {
        long end = address + Chunks.pages(sizeBytes);
        for (long chunk = chunks.number(address); chunk <= chunks.number(end - 1); chunk++) {
            int left = groups.merge(chunk, -1, Integer::sum);
            if (left == 0) {
                groups.remove(chunk);
                if (chunk == chunks.number(next)) {
                    next = startOfChunk(next);
                }
            }
        }
    }

    /** Whether a group is in the chunk. */
    boolean isUsed(long chunk) {
        return groups.containsKey(chunk);
    }
}
