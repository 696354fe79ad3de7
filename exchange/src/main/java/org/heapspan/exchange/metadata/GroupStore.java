package org.heapspan.exchange.metadata;

/** What gives the space of groups back. Called without locks. */
public interface GroupStore {
    /** The bytes of a group are not needed any more. */
    void free(long address, long sizeBytes);

    /** No group is in a chunk any more, and none will be. */
    void drop(long chunk);
}
