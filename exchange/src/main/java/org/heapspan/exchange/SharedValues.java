package org.heapspan.exchange;

import org.heapspan.exchange.sharing.SharedGroup;

/**
 * Values that a {@link GlobalHeap} has published once, so that objects that it stores later refer to them and hold no copies. {@link GlobalHeap#share}
 * names the exceptions. Thread-safe.
 */
public final class SharedValues implements AutoCloseable {
    private final Sharing sharing;
    private final SharedGroup group;

    SharedValues(Sharing sharing, SharedGroup group) {
        this.sharing = sharing;
        this.group = group;
    }

    /**
     * Returns the address of the group with the values.
     *
     * @return positive
     */
    public long address() {
        return group.address();
    }

    /**
     * Returns how many different values there are.
     *
     * @return 1 or more
     */
    public int count() {
        return group.count();
    }

    /**
     * Returns the length of their image.
     *
     * @return bytes
     */
    public long sizeBytes() {
        return group.sizeBytes();
    }

    /** Objects that are stored later hold copies again. The server keeps the values as long as objects that it has refer to them. */
    @Override
    public void close() {
        sharing.end(group);
    }
}
