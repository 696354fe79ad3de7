package org.heapspan.exchange.metadata;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Hands out addresses of the exchange space, upwards and none twice: an address that somebody has kept too long leads to nothing, never to
 * another object. 63 bits are enough for that. Begins at a chunk that its maker chooses at random, so that addresses of one server mean nothing
 * to another. Not thread-safe.
 */
final class AddressSpace {
    private final Chunks chunks;
    private long next;

    /** What each chunk has, of those that have any group. In the order of their addresses. */
    private final NavigableMap<Long, Use> uses = new TreeMap<>();

    private static final class Use {
        int groups;
        long bytes;
    }

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
        use(address, next);
        return address;
    }

    private void use(long address, long end) {
        for (long chunk = chunks.number(address); chunk <= chunks.number(end - 1); chunk++) {
            Use use = uses.computeIfAbsent(chunk, number -> new Use());
            use.groups++;
            use.bytes += bytesIn(chunk, address, end);
        }
    }

    /** Takes over a group of an earlier server. The caller has seen to it that new addresses are far from it. */
    void adopt(long address, long sizeBytes) {
        use(address, address + Chunks.pages(sizeBytes));
    }

    /** How many bytes of a range are in a chunk. */
    private long bytesIn(long chunk, long begin, long end) {
        return Math.min(end, chunks.address(chunk + 1)) - Math.max(begin, chunks.address(chunk));
    }

    /** This address if a chunk begins there, or else that of the next chunk. */
    private long startOfChunk(long address) {
        return chunks.offset(address) == 0 ? address : chunks.address(chunks.number(address) + 1);
    }

    /** Forgets a group. A chunk whose last group it was gets no other. */
    void free(long address, long sizeBytes) {
        long end = address + Chunks.pages(sizeBytes);
        for (long chunk = chunks.number(address); chunk <= chunks.number(end - 1); chunk++) {
            Use use = uses.get(chunk);
            if (use == null) {
                throw new IllegalStateException("a group was freed in chunk " + chunk + ", which has none");
            }
            use.groups--;
            use.bytes -= bytesIn(chunk, address, end);
            if (use.groups == 0) {
                uses.remove(chunk);
                if (chunk == chunks.number(next)) {
                    next = startOfChunk(next);
                }
            }
        }
    }

    /** Whether a group is in the chunk. */
    boolean isUsed(long chunk) {
        return uses.containsKey(chunk);
    }

    /** How many chunks have groups. */
    int chunkCount() {
        return uses.size();
    }

    /** The first chunks that have groups. */
    List<Overview.Chunk> chunks(int most) {
        return uses.entrySet().stream()
                .limit(most)
                .map(each -> new Overview.Chunk(each.getKey(), each.getValue().groups, each.getValue().bytes))
                .toList();
    }
}
