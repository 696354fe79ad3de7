package org.heapspan.exchange.metadata;

/**
 * How addresses are cut into chunks (ZCOT section 4.2: 256 MB). An address is the number of its chunk times the length of a chunk, plus an
 * offset. A group that is longer than a chunk continues at the beginning of the next one. Immutable.
 *
 * @param chunkBytes a power of two
 */
public record Chunks(int chunkBytes) {
    /** The length of a chunk unless a test asks for another. */
    public static final int DEFAULT_BYTES = 256 << 20;

    /** Groups begin at multiples of this length, so that the pages of one can be given back alone. */
    public static final int PAGE_BYTES = 4096;

    private static final int MOST_BYTES = 1 << 30;

    /** Where addresses begin of groups for which the memory of a server had no room. */
    private static final long FIRST_OVERFLOW_ADDRESS = 1L << 62;

    /** Checks the length. */
    public Chunks {
        if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < PAGE_BYTES || chunkBytes > MOST_BYTES) {
            throw new IllegalArgumentException("a chunk of " + chunkBytes + " bytes, expected a power of two from "
                    + PAGE_BYTES + " to " + MOST_BYTES);
        }
    }

    /** The chunk of an address. */
    public long number(long address) {
        return address / chunkBytes;
    }

    /** Where in its chunk an address is. */
    public int offset(long address) {
        return (int) (address % chunkBytes);
    }

    /** How many bytes from an address on are in its chunk. */
    public int room(long address) {
        return chunkBytes - offset(address);
    }

    /** The address of the first byte of a chunk. */
    public long address(long number) {
        return number * chunkBytes;
    }

    /** How many chunks there can be for groups in memory. Numbers from there on are those of chunks in the overflow. */
    public long firstOverflow() {
        return FIRST_OVERFLOW_ADDRESS / chunkBytes;
    }

    /** Whether a chunk is one of the overflow: its file is in the second folder of the server that gave out its addresses. */
    public boolean isOverflow(long number) {
        return number >= firstOverflow();
    }

    /** What a group of this length takes: whole pages. */
    public static long pages(long sizeBytes) {
        return (sizeBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
