package org.heapspan.exchange.sharing;

/** A group of values to which other groups refer. Immutable, and so are the values. */
public final class SharedGroup {
    private final long address;
    private final long sizeBytes;
    private final Object[] values;

    /**
     * Takes over the values.
     *
     * @param address of the group
     * @param sizeBytes length of its image
     * @param values at least one, none of them null; not copied
     */
    public SharedGroup(long address, long sizeBytes, Object[] values) {
        this.address = address;
        this.sizeBytes = sizeBytes;
        this.values = values;
    }

    public long address() {
        return address;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    public int count() {
        return values.length;
    }

    public Object value(int index) {
        return values[index];
    }
}
